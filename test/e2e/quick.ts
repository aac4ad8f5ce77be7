import { AttachmentFlags } from 'discord-api-types/v10';
import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { App } from '../../src/roles/app.ts';
import { FastClock } from '../support/quick-clock.ts';
import { createFixture, type Fixture, type FixtureOptions, startBot } from './bot.ts';

const SPEED = 30;
/** In real time, and long, because a process may be suspended for a second or two on a busy machine. */
const LONG_LIMITS = { readMs: 5_000, submitMs: 5_000, bodyMs: 5_000 };

export interface FastClockFixture extends Fixture {
  clock: FastClock;
}

/**
 * Creates a fixture on which Discord, the gateway and the bot share a clock that runs thirty times as fast as real time:
 * a job of a minute takes two seconds.
 */
export async function createFastClockFixture({
  discord,
  gateway,
  gatewayLimits,
  ...options
}: FixtureOptions = {}): Promise<FastClockFixture> {
  const clock = new FastClock(SPEED);
  const baseFixture = await createFixture({
    // Downloads use real time: on the fast clock, four covers would have to arrive within half a second.
    mediaClock: systemClock,
    ...options,
    clock,
    // Discord's three seconds would be a tenth of a second in real time, and a busy machine can suspend a process for seconds.
    discord: { ...discord, limits: { acknowledgeMs: 10_000 * SPEED, ...discord?.limits } },
    gateway: { seed: 1, ...gateway },
    gatewayLimits: { ...LONG_LIMITS, ...gatewayLimits },
  });
  return { ...baseFixture, clock };
}

export async function startFastClockBot(options: FixtureOptions = {}): Promise<FastClockFixture & { app: App }> {
  const baseFixture = await createFastClockFixture(options);
  return { ...baseFixture, app: await startBot(baseFixture) };
}

export const says =
  (words: string) =>
  (message: Message): boolean =>
    text(message).includes(words);

/** The number of submits that the gateway received. */
export const submitCount = ({ requests }: EmbeddedGateway): number =>
  requests.filter(({ path }) => path.includes('/submit/')).length;

export const pollCount = ({ requests }: EmbeddedGateway): number =>
  requests.filter(({ path }) => path.endsWith('/fetch')).length;

/** Whether each file of a message is hidden behind a spoiler. */
export const spoilersOf = ({ attachments }: Message): boolean[] =>
  attachments.map(({ flags = 0 }) => (flags & AttachmentFlags.IsSpoiler) !== 0);

/** The labels of a message's buttons. */
export function labels(message: Message): string[] {
  return (message.components ?? []).flatMap((row) =>
    'components' in row ? row.components.flatMap((one) => ('label' in one && one.label ? [one.label] : [])) : [],
  );
}

/** The messages of a channel that contain these words. */
export const messagesWith = (discord: EmbeddedDiscord, channel: string, words: string): Message[] =>
  discord.messages(channel).filter(says(words));
