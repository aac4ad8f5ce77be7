import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import { text } from '../../sandbox/discord/discord.ts';
import { type Keeper, runToEnd, type ScriptResult } from './keeper.ts';
import type { EmbeddedServers } from './sides.ts';

/** The bot's log message when nothing is left to do. */
export const IDLE = 'Tasks in progress: 0';

/** Together, these are longer than the pause before the library's first retry. */
const MAX_QUERIES = 40;
const QUERY_INTERVAL_MS = 250;

/** What `/about` reported when nothing was left to do, and the exit code of the bot. */
interface FinalState {
  about: string;
  code: number | null;
}

/** The bot's work after a restart, and its leftovers. */
export interface Aftermath {
  finalStates: readonly FinalState[];
  /** Write requests to Discord, except replies to `/about` and notices to the operator. */
  writes: number;
  /** The doctor's report before and after the repair. */
  doctor: readonly [first: ScriptResult, then: ScriptResult];
}

export async function inspectAftermath(
  servers: EmbeddedServers,
  keeper: Keeper,
  settings: Record<string, string> & { OPERATOR_CHANNEL_ID: string },
): Promise<Aftermath> {
  // Notices about starts are posted to this channel.
  const ownPathParts: string[] = [settings.OPERATOR_CHANNEL_ID];
  const about = await idleAbout(servers.discord, ownPathParts);
  // Until nothing is left to do, the bot may still send writes, for example when it retries a request that Discord has not answered.
  servers.listen();
  const requestCount = servers.toDiscord.entries.length;
  const finalStates: FinalState[] = [{ about, code: await keeper.stop() }];
  await keeper.start();
  finalStates.push({ about: await idleAbout(servers.discord, ownPathParts), code: await keeper.stop() });
  servers.listen();
  const writes = servers.toDiscord.entries.slice(requestCount).filter(({ method }) => method !== 'GET');
  const doctor = [
    await runToEnd('scripts/doctor.ts', settings),
    await runToEnd('scripts/doctor.ts', settings, '--dry-run'),
  ] as const;
  return {
    finalStates,
    writes: writes.filter(({ path }) => !ownPathParts.some((part) => path.includes(part))).length,
    doctor,
  };
}

async function idleAbout(discord: EmbeddedDiscord, ownPathParts: string[]): Promise<string> {
  let about = await queryAbout(discord, ownPathParts);
  // An end that Discord already shows may not have been stored yet.
  for (let query = 0; query < MAX_QUERIES && !about.includes(IDLE); query++) {
    await pause(QUERY_INTERVAL_MS);
    about = await queryAbout(discord, ownPathParts);
  }
  return about;
}

async function queryAbout(discord: EmbeddedDiscord, ownPathParts: string[]): Promise<string> {
  const exchange = await discord.as('admin').slash('about');
  ownPathParts.push(exchange.id, exchange.token);
  return exchange.message().then(text, String);
}
