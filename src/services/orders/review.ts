import type { RefusalKey } from '../../lib/refusal.ts';
import { isHeld, type MessagePlace, type Review, type Task, withRequest } from '../tasks/task.ts';

/** Records the review: the results may be shown, or wait until a moderator has decided. */
export function markReviewed(task: Task, review: Review, { isSpoiler = false } = {}): Task {
  if (task.state !== 'ready' || task.review) return task;
  return { ...(isSpoiler ? withRequest(task, { spoiler: 'required' }) : task), review };
}

export const setReviewMessage = (task: Task, { channelId, id: messageId }: MessagePlace): Task =>
  task.review && isHeld(task) ? { ...task, review: { ...task.review, channelId, messageId } } : task;

export const markShownByModerator = (task: Task): Task =>
  task.review && isHeld(task) ? { ...task, review: { ...task.review, outcome: 'shown' } } : task;

/** For a task whose results no one may see. `key` names the reason. Its owner does not pay for them, but its server does. */
export function markResultsRefused(task: Task, review: Omit<Review, 'outcome'>, key: RefusalKey): Task {
  if (task.state !== 'ready' || (task.review && !isHeld(task))) return task;
  return {
    ...task,
    state: 'failed',
    media: [],
    actions: [],
    failure: { cause: 'refused', refusal: { key, variables: {} } },
    review: { ...review, outcome: 'deleted' },
  };
}

/**
 * Marks a task whose result a moderator deleted after members had seen it. As for a withheld result, the server pays for it, but the owner
 * does not. The question about a held result is then one of its messages, and the record of a decision about it is not.
 */
export function markResultRemoved(task: Task, at: number): Task {
  if (task.state !== 'ready' && task.state !== 'delivered') return task;
  const { text: _, tracks: __, preview: ___, answer, ...rest } = task;
  return {
    ...rest,
    state: 'failed',
    media: [],
    actions: [],
    ...(answer && { answer: { ...answer, rounds: [], draft: '', heard: undefined, voice: undefined } }),
    failure: { cause: 'refused', refusal: { key: 'refusals.rules.resultRemoved', variables: {} } },
    review: { ...task.review, ...(isHeld(task) && { messageId: undefined }), at, outcome: 'deleted' },
  };
}
