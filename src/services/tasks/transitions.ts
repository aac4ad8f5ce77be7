import type { Language } from '../../lib/languages.ts';
import type { Submission } from '../gateway/snapshot.ts';
import { withoutSignedUrls } from '../media/signed-urls.ts';
import { settle, transitionError } from './delivery-state.ts';
import type { Estimate } from './estimate.ts';
import type { CommonRequest, TaskKind, TaskRequests, Traits } from './kind-spec.ts';
import {
  hasEnded,
  isHeld,
  type MessagePlace,
  type Route,
  TASK_VERSION,
  type Task,
  type TaskFailure,
  type TaskOf,
  withRequest,
} from './task.ts';

export type OrderedRequest<K extends TaskKind> = { [One in K]: { kind: One; request: TaskRequests[One] } }[K];

export type OrderOf<K extends TaskKind> = OrderFacts & OrderedRequest<K>;
export type Order = OrderOf<TaskKind>;

export interface OrderFacts {
  requesterId: string;
  guildId?: string | undefined;
  channelId?: string | undefined;
  /** Set if a button press changes the message that contains the button, since that message is already known. */
  message?: MessagePlace | undefined;
  route: Route;
  /** The member's roles in the server, since limits may depend on them. */
  roleIds?: readonly string[] | undefined;
  parentChannelId?: string | undefined;
  isAgeRestricted?: true | undefined;
  /** Of those who read the message of the task. */
  language?: Language | undefined;
  /** Set if the settings have been read for the values of the request, so that they are not read twice. */
  preferredPing?: Task['ping'] | 'slow';
  holdFor?: Task['holdFor'];
  parent?: Task | undefined;
  isShownByParent?: true | undefined;
  predecessorId?: string | undefined;
}

/** Returns the order from which this task was created, so that it can be ordered again. */
export const orderOfTask = <K extends TaskKind>({ kind, request }: TaskOf<K>): OrderedRequest<K> => ({ kind, request });

export interface NewTaskFacts {
  id: string;
  traits: Traits;
  idempotencyKey: string;
  model?: string | undefined;
  estimate?: Estimate | undefined;
  weight?: number | undefined;
  ping?: Task['ping'];
  durationKey: string;
  now: number;
}

export function createTask<K extends TaskKind>(order: OrderOf<K>, { now, ...facts }: NewTaskFacts): TaskOf<K> {
  const { kind, request, requesterId, guildId, message, route, parent, predecessorId } = order;
  const { channelId, parentChannelId, isAgeRestricted, isShownByParent, roleIds, holdFor, language } = order;
  return {
    ...facts,
    kind,
    request,
    requesterId,
    guildId,
    channelId,
    parentChannelId,
    message,
    route,
    predecessorId,
    isAgeRestricted,
    isShownByParent,
    holdFor,
    language: language === 'en' ? undefined : language,
    ...(roleIds !== undefined && roleIds.length > 0 && { roleIds: [...roleIds] }),
    version: TASK_VERSION,
    state: 'submitting',
    parentId: parent?.id,
    rootId: parent ? (parent.rootId ?? parent.id) : undefined,
    delivery: { progressEdits: 0 },
    polls: 0,
    actions: [],
    media: [],
    times: { created: now },
  };
}

/** Creates a task for a job that the gateway already has and a member follows. It is polled, but nothing is sent for it. */
export function adoptTask(order: Order, facts: NewTaskFacts & { remoteId: string }): Task {
  const { token: _, ...route } = order.route;
  const task = createTask({ ...order, route }, facts);
  return { ...task, state: 'accepted', remoteId: facts.remoteId, times: { ...task.times, accepted: facts.now } };
}

/** An album or a batch is running immediately, since the gateway is not involved. */
export function createAlbum<K extends TaskKind>(order: OrderOf<K>, facts: NewTaskFacts): TaskOf<K> {
  const task = createTask(order, facts);
  return { ...task, state: 'running', times: { ...task.times, accepted: facts.now } };
}

/** For a task that waits for its turn: nothing was sent, or the gateway has definitely accepted nothing. */
export const markWaiting = (task: Task): Task => ({ ...task, state: 'waiting' });

/** For a task whose turn came, but which could not be prepared, or which the gateway definitely did not accept at the moment. */
export function markReturned(task: Task): Task {
  if (task.state !== 'waiting' && task.state !== 'submitting') throw transitionError(task, 'waiting');
  return { ...markWaiting(task), returns: (task.returns ?? 0) + 1 };
}

export const setPosition = (task: Task, place: number): Task => (task.state === 'waiting' ? { ...task, place } : task);

export function markTurn({ place: _, ...task }: Task, idempotencyKey: string, now: number): Task {
  if (task.state !== 'waiting') throw transitionError(task, 'submitting');
  return { ...task, state: 'submitting', idempotencyKey, times: { ...task.times, turn: now } };
}

/** For a task that the bot or the gateway refused after it had waited. */
export function markRefused(
  { place: _, roleIds: __, ...task }: Task,
  failure: Omit<TaskFailure, 'cause'>,
  now: number,
): Task {
  if (task.state !== 'waiting' && task.state !== 'submitting') throw transitionError(task, 'refused');
  return { ...task, state: 'failed', failure: { ...failure, cause: 'refused' }, times: { ...task.times, ended: now } };
}

/** For a task that was cancelled before anything was sent, so that nothing is running at the gateway. */
export function markWithdrawn({ place: _, roleIds: __, ...task }: Task, now: number): Task {
  return { ...task, state: 'cancelled', failure: { cause: 'withdrawn' }, times: { ...task.times, ended: now } };
}

export const completeAlbum = (task: Task, now: number): Task =>
  hasEnded(task) ? task : { ...task, state: 'ready', times: { ...task.times, ended: now } };

export function markAccepted(
  { roleIds: _, ...task }: Task,
  submission: Submission,
  now: number,
  hasCallback = false,
): Task {
  const { remoteId, needsInput, queuedBehind, finalPrompt } = submission;
  if (task.state !== 'submitting') throw transitionError(task, 'accepted');
  return {
    ...task,
    remoteId,
    state: needsInput ? 'needs-input' : 'accepted',
    queuedBehind,
    finalPrompt: finalPrompt && withoutSignedUrls(finalPrompt),
    ...(hasCallback && { hasCallback }),
    times: { ...task.times, accepted: now },
  };
}

/** Marks a task whose text is about to be sent. Only the member can send the text again. */
export function markWordsSent(task: Task, words: CommonRequest, now: number): Task {
  if (task.state !== 'needs-input') throw transitionError(task, 'given words');
  const { wordsRefused: _, ...rest } = task;
  return { ...withRequest(rest, words), times: { ...task.times, wordsSent: now } };
}

/** For a task whose prompt the gateway has accepted. The gateway continues, and may have assigned another id. */
export function markWordsTaken(task: Task, { remoteId }: Submission, now: number): Task {
  if (hasEnded(task)) return task;
  return { ...task, remoteId, state: 'accepted', times: { ...task.times, wordsTaken: now } };
}

export function markWordsRefused(task: Task, reason: Task['wordsRefused']): Task {
  const { wordsSent: _, ...times } = task.times;
  return { ...task, wordsRefused: reason, times };
}

/** For an order with an unknown outcome: the gateway may or may not have accepted it. It is not sent again unless its owner decides so. */
export function markUnconfirmed({ roleIds: _, ...task }: Task, reason: TaskFailure['reason'], now: number): Task {
  if (task.state !== 'submitting') throw transitionError(task, 'unconfirmed');
  return {
    ...task,
    state: 'unconfirmed',
    failure: { cause: 'unconfirmed', reason },
    times: { ...task.times, ended: now },
  };
}

/** A ping that was due may have been sent since the backup, and no ping is better than two. A voice message is a result, so it is kept. */
function withoutDuePing(task: Task): Task {
  const { call } = task.delivery;
  if (!call || task.answer?.voice?.sound !== undefined) return task;
  return { ...task, delivery: { ...task.delivery, call: { ...call, goingAt: 0 } } };
}

/**
 * For a live task in a restored store. It is unknown what was sent since the backup: an order that was about to be sent may have been sent, and
 * words that came with the order can only be sent again by the member.
 */
export function markRestored(original: Task, now: number): Task {
  const task = withoutQuestion(original, now);
  if (!task.traits.isPaid || hasEnded(task)) return withoutDuePing({ ...task, restored: { at: now } });
  const { state, times } = task;
  if (state === 'submitting') return markUnconfirmed({ ...task, restored: { at: now } }, undefined, now);
  if (state === 'waiting') {
    const { place: _, ...rest } = task;
    return markUnconfirmed({ ...rest, state: 'submitting', restored: { at: now, wasWaiting: true } }, undefined, now);
  }
  const hasUnsentWords = task.request.words !== undefined && times.wordsSent === undefined;
  return {
    ...task,
    restored: { at: now },
    times: hasUnsentWords && times.wordsTaken === undefined ? { ...times, wordsLost: times.wordsLost ?? now } : times,
  };
}

/** Moderators may have decided since the backup, and then the question that they were asked has no buttons any more. */
const withoutQuestion = (task: Task, now: number): Task =>
  task.review && isHeld(task) ? { ...task, review: { ...task.review, at: now, messageId: undefined } } : task;

/** Both orders count from now on, also under the same key, because a gateway may ignore the key. */
export const setSuccessor = (task: Task, successorId: string | undefined): Task => ({
  ...task,
  successorId,
  isRepeated: successorId === undefined ? undefined : true,
});

/** For a task whose owner has not decided about its unknown outcome within the time that the operator has configured. */
export function markReleased(task: Task, now: number): Task {
  const isUndecided = task.state === 'unconfirmed' && !task.isRepeated;
  return isUndecided && task.releasedAt === undefined ? { ...task, releasedAt: now } : task;
}

export const markHandedOver = (task: Task): Task => (task.handedOver ? task : { ...task, handedOver: true });

/** For an order with an unknown outcome that the member no longer wants to follow. */
export function markDismissed(task: Task, now: number): Task {
  if (task.state !== 'unconfirmed') throw transitionError(task, 'dismissed');
  return settle({ ...task, state: 'cancelled', failure: { cause: 'dismissed' } }, now);
}

/** For a task that is missing from a list. That alone does not fail it, because lists may leave out tasks that the gateway has. */
export function countMissing(task: Task, now: number): Task {
  if (hasEnded(task) || (task.unknown?.answers ?? 0) >= LOST_AFTER_RESPONSES - 1) return task;
  return countNotFound(task, now);
}

/** Whether one more "not found" response fails the task. */
export const isLastMiss = ({ unknown }: Task, now: number): boolean =>
  unknown !== undefined && unknown.answers >= LOST_AFTER_RESPONSES - 1 && now - unknown.since >= LOST_AFTER_MS;

/** This many responses over this time must agree, because a gateway that is restarting may not know its tasks for a moment. */
const LOST_AFTER_RESPONSES = 5;
const LOST_AFTER_MS = 5 * 60_000;

export function countNotFound(task: Task, now: number): Task {
  if (hasEnded(task)) return task;
  const { answers, since } = task.unknown ?? { answers: 0, since: now };
  const updated = { ...task, unknown: { answers: answers + 1, since } };
  if (answers + 1 < LOST_AFTER_RESPONSES || now - since < LOST_AFTER_MS) return updated;
  return { ...updated, state: 'failed', failure: { cause: 'forgotten' }, times: { ...task.times, ended: now } };
}

/** For a task that has exceeded its wait limit. It is polled less often, but its state does not change. */
export function markOverdue(task: Task, now: number): Task {
  return hasEnded(task) || task.times.overdue !== undefined
    ? task
    : { ...task, times: { ...task.times, overdue: now } };
}

/** For a job that the gateway never ends. It may have cost something, so its estimate counts. */
export const markGivenUp = (task: Task, now: number): Task =>
  hasEnded(task)
    ? task
    : { ...task, state: 'expired', failure: { cause: 'unconfirmed' }, times: { ...task.times, ended: now } };

/** Stores what was found out about the references. If `notes` is undefined, the references count as not checked yet. */
export function setReferenceNotes(task: Task, notes: readonly string[] | undefined): Task {
  const { referenceNotes: _, ...rest } = task;
  return notes ? { ...rest, referenceNotes: [...notes] } : rest;
}

export const markForErasure = (task: Task): Task => (task.unwanted ? task : { ...task, unwanted: true });
