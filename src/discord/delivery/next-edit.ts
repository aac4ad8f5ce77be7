import { answerText } from '../../services/conversations/ask-transitions.ts';
import type { Task } from '../../services/tasks/task.ts';
import { timestampOf } from '../snowflake.ts';

const MAX_EDITS = 8;
/** One edit is always reserved to say that the task takes longer than usual. */
const RESERVED_FOR_OVERDUE = 1;
/** Discord accepts about five edits in five seconds per channel, and several jobs may share it. */
const MIN_GAP_MS = 4_000;
/** Messages older than an hour have a separate, much lower rate limit (code 30046). */
const OLD_AFTER_MS = 60 * 60_000;
const OLD_GAP_MS = 30_000;
/** A queued task saves most of its edits for the time when its job runs. */
const MAX_EDITS_WHILE_WAITING = 4;
/** The time between two edits as a share of the job's age, chosen so that eight edits last as long as a token. */
const SHARE_OF_AGE = 0.6;

export interface EditHistory {
  editCount: number;
  /** When the last edit was sent; undefined if none has been sent since the bot started. */
  lastAt: number | undefined;
  /** When the bot first saw this task since it started. */
  firstSeenAt: number;
}

/** Members read an answer while it arrives, so it gets about one edit a second, with a token that is only used for this message. */
const ANSWER_GAP_MS = 1_100;
/** The first words usually arrive within a moment, and must not wait for an earlier edit. */
const FIRST_WORDS_DELAY_MS = 1_500;

/** When progress can be shown again; undefined if never. */
export function nextEditAt(task: Task, { editCount, lastAt, firstSeenAt }: EditHistory): number | undefined {
  if (task.traits.isText) return nextTextEditAt(task, lastAt, firstSeenAt);
  // The message of a conversation does not change before the conversation ends.
  if (task.traits.isTalk) return undefined;
  const { created, overdue } = task.times;
  const max = overdue === undefined ? MAX_EDITS - RESERVED_FOR_OVERDUE : MAX_EDITS;
  if (editCount >= (task.state === 'waiting' ? MAX_EDITS_WHILE_WAITING : max)) return undefined;
  if (lastAt === undefined) return editCount === 0 ? firstSeenAt : firstSeenAt + MIN_GAP_MS;
  const earliest = lastAt + (isOld(task, lastAt + MIN_GAP_MS) ? OLD_GAP_MS : MIN_GAP_MS);
  if (overdue !== undefined && lastAt < overdue) return earliest;
  return Math.max(earliest, created + (lastAt - created) / (1 - SHARE_OF_AGE));
}

function nextTextEditAt(task: Task, lastAt: number | undefined, firstSeenAt: number): number {
  if (lastAt === undefined) return answerText(task) === '' ? firstSeenAt + FIRST_WORDS_DELAY_MS : firstSeenAt;
  if (isOld(task, lastAt + ANSWER_GAP_MS)) return lastAt + OLD_GAP_MS;
  // Edits with the bot's token share the channel's rate limit.
  return lastAt + (task.route.token === undefined ? MIN_GAP_MS : ANSWER_GAP_MS);
}

function isOld({ message, times }: Task, time: number): boolean {
  const createdAt = message ? timestampOf(message.id) : times.created;
  return time - createdAt > OLD_AFTER_MS;
}
