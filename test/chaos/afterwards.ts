import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import { text } from '../../sandbox/discord/discord.ts';
import { type Ended, type Keeper, runToEnd } from './keeper.ts';
import type { Sides } from './sides.ts';

/** The bot's log message when nothing is left to do. */
export const IDLE = 'Tasks in progress: 0';

/** Longer than the pause before the library's first retry. */
const ASKED_AGAIN = 40;
const ASKED_AGAIN_AFTER_MS = 250;

/** Runs the bot with nothing left to do, queries its state and stops it. */
interface Leaving {
  about: string;
  code: number | null;
}

/** The bot's work after a restart, and its leftovers. */
export interface Afterwards {
  leavings: readonly Leaving[];
  /** Write requests to Discord, except replies to `/about` and notices to the operator. */
  writes: number;
  /** The doctor's report before and after the repair. */
  doctor: readonly [first: Ended, then: Ended];
}

export async function afterwardsOf(
  sides: Sides,
  keeper: Keeper,
  settings: Record<string, string> & { OPERATOR_CHANNEL_ID: string },
): Promise<Afterwards> {
  // Notices of starts go to this channel.
  const asked: string[] = [settings.OPERATOR_CHANNEL_ID];
  const about = await idleAbout(sides.discord, asked);
  // Until nothing is left to do, the bot may still send writes, for example when it retries a request that Discord has not answered.
  sides.listen();
  const before = sides.toDiscord.entries.length;
  const leavings: Leaving[] = [{ about, code: await keeper.stop() }];
  await keeper.start();
  leavings.push({ about: await idleAbout(sides.discord, asked), code: await keeper.stop() });
  sides.listen();
  const writes = sides.toDiscord.entries.slice(before).filter(({ method }) => method !== 'GET');
  const doctor = [
    await runToEnd('scripts/doctor.ts', settings),
    await runToEnd('scripts/doctor.ts', settings, '--dry-run'),
  ] as const;
  return { leavings, writes: writes.filter(({ path }) => !asked.some((part) => path.includes(part))).length, doctor };
}

async function idleAbout(discord: EmbeddedDiscord, asked: string[]): Promise<string> {
  let about = await ask(discord, asked);
  // An end that Discord already shows may not have been stored yet.
  for (let again = 0; again < ASKED_AGAIN && !about.includes(IDLE); again++) {
    await pause(ASKED_AGAIN_AFTER_MS);
    about = await ask(discord, asked);
  }
  return about;
}

async function ask(discord: EmbeddedDiscord, asked: string[]): Promise<string> {
  const exchange = await discord.as('admin').slash('about');
  asked.push(exchange.id, exchange.token);
  return exchange.message().then(text, String);
}
