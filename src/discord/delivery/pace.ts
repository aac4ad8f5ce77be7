import { SnowflakeUtil } from 'discord.js';
import { wordsOf } from '../../services/asks/transitions.ts';
import type { Task } from '../../services/tasks/task.ts';

const MOST_EDITS = 8;
/** That it is still being worked on, although longer than anybody waits, must always be seen. */
const KEPT_FOR_OVERDUE = 1;
/** Discord takes some five edits in five seconds for a whole channel, and several jobs may share it. */
const LEAST_GAP_MS = 4_000;
/** Messages older than an hour have a much smaller bucket of their own (code 30046). */
const OLD_AFTER_MS = 60 * 60_000;
const OLD_GAP_MS = 30_000;
/** An edit waits for so much of the job's age to have passed since the last one: the eight reach as far as a token lives. */
const SHARE_OF_AGE = 0.6;

export interface Shown {
  /** Progress edits so far. */
  edits: number;
  /** When the last one went out; undefined: not since the bot started. */
  lastAt: number | undefined;
  /** When this task was first heard of since the bot started. */
  heardAt: number;
}

/** An answer is read while it comes: about one edit a second, by a token that is made for one message. */
const ANSWER_GAP_MS = 1_100;
/** The first words come within a moment, usually, and are to find the message free. */
const BEFORE_WORDS_MS = 1_500;

/** From when on progress may be shown again; undefined: no more of it. */
export function mayShowAt(task: Task, { edits, lastAt, heardAt }: Shown): number | undefined {
  if (task.traits.isInWords) return mayShowWordsAt(task, lastAt, heardAt);
  // Until a conversation is over its message says the same.
  if (task.traits.isConversation) return undefined;
  const { created, overdue } = task.times;
  const most = overdue === undefined ? MOST_EDITS - KEPT_FOR_OVERDUE : MOST_EDITS;
  if (edits >= most) return undefined;
  if (lastAt === undefined) return edits === 0 ? heardAt : heardAt + LEAST_GAP_MS;
  const soonest = lastAt + (isOld(task, lastAt + LEAST_GAP_MS) ? OLD_GAP_MS : LEAST_GAP_MS);
  if (overdue !== undefined && lastAt < overdue) return soonest;
  return Math.max(soonest, created + (lastAt - created) / (1 - SHARE_OF_AGE));
}

function mayShowWordsAt(task: Task, lastAt: number | undefined, heardAt: number): number {
  if (lastAt === undefined) return wordsOf(task) === '' ? heardAt + BEFORE_WORDS_MS : heardAt;
  if (isOld(task, lastAt + ANSWER_GAP_MS)) return lastAt + OLD_GAP_MS;
  // With the bot's own token the whole channel shares the edits.
  return lastAt + (task.route.token === undefined ? LEAST_GAP_MS : ANSWER_GAP_MS);
}

function isOld({ message, times }: Task, at: number): boolean {
  const since = message ? SnowflakeUtil.timestampFrom(message.id) : times.created;
  return at - since > OLD_AFTER_MS;
}
