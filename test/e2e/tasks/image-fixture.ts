import sharp from 'sharp';
import { expect } from 'vitest';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import type { FixtureOptions } from '../bot.ts';
import { createFastClockFixture, type FastClockFixture, says, startFastClockBot } from '../quick.ts';
import { studioWith } from './fixture.ts';

export const JOBS_PATH = '/v1/images/generations/jobs';
export const TEST_IMAGE_MODEL = 'lumen-image-1';

/** Draws images at an eighth of the requested size, because only their relative size matters and large images take long to draw. */
const smallImages = () =>
  studioWith((studio) => ({
    drawImage: (scene, options) =>
      studio.drawImage(scene, { ...options, width: options.width / 8, height: options.height / 8 }),
    drawGrid: (scenes, options) =>
      studio.drawGrid(scenes, { ...options, width: options.width / 8, height: options.height / 8 }),
  }));

/** The gateway may download Discord's files, because both are embedded on this machine. */
const local = ({ gateway, settings, ...options }: FixtureOptions): FixtureOptions => ({
  ...options,
  gateway: { speed: 20, studio: smallImages(), ...gateway },
  settings: { MEDIA_ALLOW_PRIVATE: 'on', DEFAULT_IMAGE_MODEL: TEST_IMAGE_MODEL, ...settings },
});

export const createLocalFixture = (options: FixtureOptions = {}): Promise<FastClockFixture> =>
  createFastClockFixture(local(options));
export const startLocalBot = (options: FixtureOptions = {}): Promise<FastClockFixture> =>
  startFastClockBot(local(options));

/** The bodies of the image requests that the gateway received, oldest first. */
export const receivedOrders = ({ requests }: EmbeddedGateway): unknown[] =>
  requests.filter(({ method, path }) => method === 'POST' && path === JOBS_PATH).map(({ body }) => body);

const png = (): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
/** Creates a file that a member uploads. */
export const imageUpload = async (name = 'fox.png') => ({ name, bytes: await png() });

/** Requests an image and waits for its delivery. */
export async function orderImage(fixture: FastClockFixture, options: object = {}): Promise<Message> {
  const exchange = await fixture.discord.as('member').slash('image', { prompt: 'a red fox', ...options });
  return exchange.message(says('Finished in'));
}

/** Matches a URL of which only a part is known. */
export const urlContaining = (part: unknown) => expect.stringContaining(String(part));
