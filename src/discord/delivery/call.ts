import { type Call, isLive, type Task } from '../../services/tasks/task.ts';
import type { AnswerWay, TokenWay, Way } from './ways.ts';

/** Whoever has waited longer has turned to something else, and Discord tells nobody of an edit. */
const LONG_MS = 60_000;
/** Later its member has come back to it by themselves, or has long let it rest. */
const NEWS_FOR_MS = 15 * 60_000;
/** Discord knows a nonce again for "a few minutes" only, and the library's own tries reach some minutes beyond the last of ours. */
const TRIED_FOR_MS = 2 * 60_000;

/** It has a sound that is not to be heard anywhere yet. */
export const hasToSpeak = ({ answer }: Task): boolean => answer?.voice?.sound !== undefined;

/** A fresh direct message calls by itself; an edit does not, not even there. */
export function isWorthACall(task: Task, by: Way['by']): boolean {
  const { kind, talk, request, route, times, successorId } = task;
  // Whose member has already ordered again knows how it ended.
  if (!isLive(task) || route.isPrivate || by === 'direct' || successorId !== undefined) return false;
  if (kind === 'said') return hasToSpeak(task);
  // Whoever has ended a conversation knows, others in it do not, and a fresh message tells by itself.
  if (kind === 'talk') return by === 'edit' && (talk?.end !== 'ended' || request.who === 'everyone');
  // Whoever has stopped it knows.
  if (task.failure?.cause === 'stopped') return false;
  return (times.ended ?? times.created) - times.created > LONG_MS;
}

/** A call that may have gone out goes again only where its nonce makes it the same. Better none than two. */
export function mayStillCall(
  task: Task,
  { shownAt, goingAt }: Call,
  { by }: AnswerWay | TokenWay,
  now: number,
): boolean {
  // A sound is no news but a result, and comes however late.
  if (goingAt === undefined) return hasToSpeak(task) || now - shownAt < NEWS_FOR_MS;
  return by === 'answer' && now - goingAt < TRIED_FOR_MS;
}

/** Not the one of the task's own message. A nonce has 25 letters at most, and a task's id has 17. */
export const nonceOfCall = ({ id }: Task): string => `${id}-call`;
