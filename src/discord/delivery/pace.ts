import { SnowflakeUtil } from 'discord.js';
import { answerText } from '../../services/asks/transitions.ts';
import type { Task } from '../../services/tasks/task.ts';

const MAX_EDITS = 8;
/** The edit that says that the task takes longer must always be possible. */
const RESERVED_FOR_OVERDUE = 1;
/** Discord accepts about five edits in five seconds per channel, and several jobs may share it. */
const LEAST_GAP_MS = 4_000;
/** Messages older than an hour have a much smaller rate limit of their own (code 30046). */
const OLD_AFTER_MS = 60 * 60_000;
const OLD_GAP_MS = 30_000;
/** A queued task leaves most of its edits for the time when its job runs. */
const MAX_EDITS_IN_LINE = 4;
/** The share of the job's age between two edits, so eight edits last as long as a token. */
const SHARE_OF_AGE = 0.6;

export interface EditHistory {
  edits: number;
  /** When the last one was sent; undefined if none has been sent since the bot started. */
  lastAt: number | undefined;
  /** When the bot first saw this task since it started. */
  heardAt: number;
}

/** An answer is read while it arrives: about one edit a second, by a token that serves one message. */
const ANSWER_GAP_MS = 1_100;
/** The first words usually arrive within a moment, and must not wait for an earlier edit. */
const BEFORE_WORDS_MS = 1_500;

/** When progress can be shown again; undefined for never. */
export function nextEditAt(task: Task, { edits, lastAt, heardAt }: EditHistory): number | undefined {
  if (task.traits.isText) return nextTextEditAt(task, lastAt, heardAt);
  // The message of a conversation does not change before its end.
  if (task.traits.isTalk) return undefined;
  const { created, overdue } = task.times;
  const max = overdue === undefined ? MAX_EDITS - RESERVED_FOR_OVERDUE : MAX_EDITS;
  if (edits >= (task.state === 'waiting' ? MAX_EDITS_IN_LINE : max)) return undefined;
  if (lastAt === undefined) return edits === 0 ? heardAt : heardAt + LEAST_GAP_MS;
  const soonest = lastAt + (isOld(task, lastAt + LEAST_GAP_MS) ? OLD_GAP_MS : LEAST_GAP_MS);
  if (overdue !== undefined && lastAt < overdue) return soonest;
  return Math.max(soonest, created + (lastAt - created) / (1 - SHARE_OF_AGE));
}

function nextTextEditAt(task: Task, lastAt: number | undefined, heardAt: number): number {
  if (lastAt === undefined) return answerText(task) === '' ? heardAt + BEFORE_WORDS_MS : heardAt;
  if (isOld(task, lastAt + ANSWER_GAP_MS)) return lastAt + OLD_GAP_MS;
  // By the bot's token, the edits share the channel's rate limit.
  return lastAt + (task.route.token === undefined ? LEAST_GAP_MS : ANSWER_GAP_MS);
}

function isOld({ message, times }: Task, at: number): boolean {
  const since = message ? SnowflakeUtil.timestampFrom(message.id) : times.created;
  return at - since > OLD_AFTER_MS;
}
