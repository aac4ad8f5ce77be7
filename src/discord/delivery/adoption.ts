import { SnowflakeUtil } from 'discord.js';
import type { Intention, MessagePlace, Task } from '../../services/tasks/task.ts';
import { readCustomId } from '../custom-id.ts';

/** Discord's clock and ours may disagree by so much. */
const SKEW_MS = 60_000;
/** A message that was to be posted is there within this time, or was never posted. */
const WINDOW_MS = 15 * 60_000;
/** A bound on how far back a busy channel is read. */
const MOST_PAGES = 10;

/** As far as it is looked at; it comes from outside. */
interface Found {
  id: string;
  author?: { id?: string };
  application_id?: string;
  /** Only answers of interactions have it, and those show progress. */
  interaction_metadata?: unknown;
  components?: unknown;
}

/** Looks for a message that was about to be posted when the bot stopped, or when Discord's answer was lost. */
export async function findPosted(
  task: Task,
  { channelId, at }: Intention,
  before: (channelId: string, id: string) => Promise<unknown[]>,
): Promise<MessagePlace | undefined> {
  const start = idAt(at - SKEW_MS);
  let oldest = idAt(at + WINDOW_MS);
  for (let page = 0; page < MOST_PAGES; page++) {
    const messages = (await before(channelId, String(oldest))) as Found[];
    const since = messages.filter(({ id }) => BigInt(id) >= start);
    const mine = since.find((message) => isMine(message, task));
    if (mine) return { channelId, id: mine.id };
    const last = since.at(-1);
    if (!last || since.length < messages.length) return undefined;
    oldest = BigInt(last.id);
  }
  return undefined;
}

const idAt = (time: number): bigint =>
  SnowflakeUtil.generate({ timestamp: time, increment: 0n, workerId: 0n, processId: 0n });

/** Anybody could write our words; nobody else knows a task's id before its message is there. */
function isMine(message: Found, { id, route, message: known }: Task): boolean {
  const { applicationId } = route;
  const isOurs = message.author?.id === applicationId || message.application_id === applicationId;
  if (!isOurs || message.interaction_metadata !== undefined || message.id === known?.id) return false;
  return idsIn(message.components).some((text) => readCustomId(text)?.args.includes(id));
}

/** The ids of its buttons, and of those that stand in a list for want of room. */
function idsIn(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(idsIn);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    if (typeof value === 'string') return key === 'custom_id' || key === 'value' ? [value] : [];
    return idsIn(value);
  });
}
