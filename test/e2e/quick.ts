import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { App } from '../../src/roles/app.ts';
import { QuickClock } from '../support/quick-clock.ts';
import { type Stage, type StageOptions, stage, startBot } from './bot.ts';

const SPEED = 30;
/** These limits are in real time, because on a busy machine, a process may be suspended for a second or two. */
const LONG_LIMITS = { readMs: 5_000, submitMs: 5_000, bodyMs: 5_000 };

export interface QuickStage extends Stage {
  clock: QuickClock;
}

/**
 * Discord, the gateway and the bot share a clock that runs thirty times as fast, so a job of a minute takes two
 * seconds.
 */
export async function quickStage({
  discord,
  gateway,
  gatewayLimits,
  ...options
}: StageOptions = {}): Promise<QuickStage> {
  const clock = new QuickClock(SPEED);
  const staged = await stage({
    // Downloads take real time: on the quick clock, four covers would have only half a second.
    mediaClock: systemClock,
    ...options,
    clock,
    // Discord's three seconds would be a tenth of a second, and a busy machine can suspend a process for seconds.
    discord: { ...discord, limits: { acknowledgeMs: 10_000 * SPEED, ...discord?.limits } },
    gateway: { seed: 1, ...gateway },
    gatewayLimits: { ...LONG_LIMITS, ...gatewayLimits },
  });
  return { ...staged, clock };
}

export async function quickBot(options: StageOptions = {}): Promise<QuickStage & { app: App }> {
  const staged = await quickStage(options);
  return { ...staged, app: await startBot(staged) };
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

/** The labels of a message's buttons. */
export function labels(message: Message): string[] {
  return (message.components ?? []).flatMap((row) =>
    'components' in row ? row.components.flatMap((one) => ('label' in one && one.label ? [one.label] : [])) : [],
  );
}

/** The messages of a channel that contain these words. */
export const messagesWith = (discord: EmbeddedDiscord, channel: string, words: string): Message[] =>
  discord.messages(channel).filter(says(words));
