import { onTestFinished } from 'vitest';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { buttonsOf } from '../../../sandbox/gateway/buttons.ts';
import { type ImgxJob, isImgx } from '../../../sandbox/gateway/follow-ups.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { createStudio, type Studio } from '../../../sandbox/gateway/studio/index.ts';
import { cachingStudio } from '../../support/studio.ts';
import { type FastClockFixture, says } from '../quick.ts';

type Options = Parameters<ReturnType<FastClockFixture['discord']['as']>['slash']>[1];

/** Requests a grid, by default as `member`, and waits for its delivery. */
export async function orderGrid(
  { discord }: FastClockFixture,
  options: Options = {},
  requester = discord.as('member'),
): Promise<Message> {
  const exchange = await requester.slash('imagine', { prompt: 'a fox in the snow', ...options });
  return exchange.message(says('Finished in'));
}

/** Presses a button and waits for its result in a new message. */
export async function pressAndWait({ discord }: FastClockFixture, message: Message, button: string): Promise<Message> {
  return (await discord.as('member').click(message, button)).message(says('Finished in'));
}

/** The submit requests that the gateway received, oldest first. */
export const orders = ({ requests }: EmbeddedGateway): { path: string; body: unknown }[] =>
  requests.filter(({ path }) => path.includes('/submit/')).map(({ path, body }) => ({ path, body }));

/** The gateway's jobs, oldest first. */
export function jobs({ jobs: book }: EmbeddedGateway): ImgxJob[] {
  return book.list().filter(isImgx);
}

/** The custom id that the gateway assigned to a button of a job, by its label or its emoji. */
export function buttonIdOf({ details }: ImgxJob, name: string): string {
  const button = buttonsOf(details, false).find(({ label, emoji }) => label === name || emoji === name);
  if (!button) throw new Error(`The gateway offers no button ${name}.`);
  return button.customId;
}

/** A stock gateway's response for a finished task, with the given fields added or replaced. */
export const finishedTask = (fields: object) => ({
  id: '1',
  action: 'IMAGINE',
  status: 'SUCCESS',
  progress: '100%',
  prompt: 'a fox in the snow',
  buttons: [],
  ...fields,
});

/** Makes the gateway respond to all polls with this task. */
export function respondToPollsWith({ faults }: EmbeddedGateway, body: object): void {
  faults.add({
    on: { path: /\/fetch$/ },
    do: { type: 'body', body: JSON.parse(JSON.stringify(body)) },
    times: 1_000,
  });
}

/** Returns the bytes of a message's file, downloaded as a member would. */
export async function bytesOf(message: Message, index = 0): Promise<Buffer> {
  const attachment = message.attachments[index];
  if (!attachment) throw new Error(`The message has only ${message.attachments.length} files.`);
  const response = await fetch(attachment.url);
  if (!response.ok) throw new Error(`The file cannot be opened: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The log lines at the error level. */
export const errorsIn = ({ logged }: FastClockFixture): string[] =>
  logged()
    .split('\n')
    .filter((line) => line.includes('"level":50'));

/** The real studio, for results in full size; it is closed after the test. */
export function fullStudio(): Studio {
  const studio = createStudio();
  onTestFinished(() => studio.close());
  return studio;
}

/** A studio with small results and the given overrides; it is closed after the test. */
export function studioWith(overridesFor: (studio: Studio) => Partial<Studio>): Studio {
  const studio = cachingStudio();
  onTestFinished(() => studio.close());
  return { ...studio, ...overridesFor(studio) };
}

/** Very short videos: encoding a long one takes longer than the download limit on the fast clock. */
export const shortVideos = (): Studio =>
  studioWith((studio) => ({
    drawVideo: (scene, options) => studio.drawVideo(scene, { ...options, width: 160, height: 96, seconds: 1 }),
  }));

/** Very short songs and small covers, for the same reason. */
export const shortSongs = (): Studio =>
  studioWith((studio) => ({
    compose: (prompt, seed) => studio.compose(prompt, seed, 1),
    drawImage: (scene, options) => studio.drawImage(scene, { ...options, width: 64, height: 64 }),
  }));
