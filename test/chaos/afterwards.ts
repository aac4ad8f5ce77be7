import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import { text } from '../../sandbox/discord/discord.ts';
import type { Examination } from '../../src/services/store/examination/examination.ts';
import { examineStore } from '../support/examine-store.ts';
import type { Keeper } from './keeper.ts';
import type { EmbeddedServers } from './sides.ts';

/** What `/about` contains when nothing is left to do. */
export const IDLE_TEXT = 'Tasks in progress: 0';

/** Together, all queries take longer than the pause before the library's first retry. */
const MAX_QUERIES = 40;
const QUERY_INTERVAL_MS = 250;

/** What `/about` reported when nothing was left to do, and the exit code of the bot. */
interface FinalState {
  about: string;
  code: number | null;
}

/** What the bot did after a restart, and what it left behind in the store. */
export interface Aftermath {
  finalStates: readonly FinalState[];
  /** Write requests to Discord, except replies to `/about` and notices to the operator. */
  writes: number;
  /** What the doctor finds, and what it finds after its repair. */
  doctor: readonly [first: Examination, second: Examination];
}

export async function inspectAftermath(
  servers: EmbeddedServers,
  keeper: Keeper,
  settings: Record<string, string> & { OPERATOR_CHANNEL_ID: string; STORE_URL: string },
): Promise<Aftermath> {
  // Notices about starts are posted to this channel.
  const ownPathParts: string[] = [settings.OPERATOR_CHANNEL_ID];
  const about = await idleAbout(servers.discord, ownPathParts);
  // Until nothing is left to do, the bot may still send writes, for example when it retries a request that Discord has not answered.
  servers.readLogs();
  const requestCount = servers.discordLog.entries.length;
  const finalStates: FinalState[] = [{ about, code: await keeper.stop() }];
  await keeper.start();
  finalStates.push({ about: await idleAbout(servers.discord, ownPathParts), code: await keeper.stop() });
  servers.readLogs();
  const writes = servers.discordLog.entries.slice(requestCount).filter(({ method }) => method !== 'GET');
  const doctor = [
    await examineStore(settings.STORE_URL, { repair: true }),
    await examineStore(settings.STORE_URL, { repair: false }),
  ] as const;
  return {
    finalStates,
    writes: writes.filter(({ path }) => !ownPathParts.some((part) => path.includes(part))).length,
    doctor,
  };
}

async function idleAbout(discord: EmbeddedDiscord, ownPathParts: string[]): Promise<string> {
  let about = await queryAbout(discord, ownPathParts);
  // The end of a task may already be shown in Discord before it is stored.
  for (let query = 0; query < MAX_QUERIES && !about.includes(IDLE_TEXT); query++) {
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
