import type { Submission } from '../gateway/read/snapshot.ts';
import { settled, wrongTurn } from './delivery-state.ts';
import {
  type CommonRequest,
  hasEnded,
  type MessagePlace,
  type Route,
  TASK_VERSION,
  type Task,
  type TaskKind,
  type TaskOf,
  type TaskRequests,
  type Traits,
  withRequest,
} from './task.ts';

/** What is ordered. */
export type OrderedOf<K extends TaskKind> = { [One in K]: { kind: One; request: TaskRequests[One] } }[K];

/** What a member orders, before it is a task. */
export type OrderOf<K extends TaskKind> = OrderFacts & OrderedOf<K>;
export type Order = OrderOf<TaskKind>;

/** Who orders it, and from where. */
export interface OrderFacts {
  requesterId: string;
  guildId?: string | undefined;
  channelId?: string | undefined;
  /** Known already where a press changes the message it stands on. */
  message?: MessagePlace | undefined;
  route: Route;
  parent?: Task | undefined;
  /** The unconfirmed task that it sends again under the same key. */
  predecessorId?: string | undefined;
}

/** What a task has ordered, for the like of it. */
export const orderedIn = <K extends TaskKind>({ kind, request }: TaskOf<K>): OrderedOf<K> => ({ kind, request });

export interface NewTask {
  id: string;
  traits: Traits;
  idempotencyKey: string;
  model?: string | undefined;
  durationKey: string;
  now: number;
}

export function submitting<K extends TaskKind>(order: OrderOf<K>, facts: NewTask): TaskOf<K> {
  const { id, traits, idempotencyKey, model, durationKey, now } = facts;
  const { kind, request, requesterId, guildId, channelId, message, route, parent, predecessorId } = order;
  return {
    kind,
    request,
    traits,
    ...{ requesterId, guildId, channelId, message, route, predecessorId },
    version: TASK_VERSION,
    id,
    state: 'submitting',
    idempotencyKey,
    model,
    durationKey,
    parentId: parent?.id,
    rootId: parent ? (parent.rootId ?? parent.id) : undefined,
    delivery: { progressEdits: 0 },
    polls: 0,
    actions: [],
    media: [],
    times: { created: now },
  };
}

/** A task that the gateway has already, as somebody found it there. It is asked about and nothing is sent for it. */
export function adopted(order: Order, facts: NewTask & { remoteId: string }): Task {
  const { token: _, ...route } = order.route;
  const task = submitting({ ...order, route }, facts);
  return { ...task, state: 'accepted', remoteId: facts.remoteId, times: { ...task.times, accepted: facts.now } };
}

/** What brings other tasks together is under way at once: the gateway hears nothing of it. */
export function bringingTogether(order: Order, facts: NewTask): Task {
  const task = submitting(order, facts);
  return { ...task, state: 'accepted', times: { ...task.times, accepted: facts.now } };
}

/** The last of the tasks that it brings together has ended. */
export function complete(task: Task, now: number): Task {
  return hasEnded(task) ? task : { ...task, state: 'ready', times: { ...task.times, ended: now } };
}

export function accepted(task: Task, submission: Submission, now: number): Task {
  const { remoteId, needsInput, queuedBehind, finalPrompt } = submission;
  if (task.state !== 'submitting') throw wrongTurn(task, 'accepted');
  return {
    ...task,
    remoteId,
    state: needsInput ? 'needs-input' : 'accepted',
    queuedBehind,
    finalPrompt,
    times: { ...task.times, accepted: now },
  };
}

/** Words for it are about to go to the gateway: whatever happens on their way, they do not go again by themselves. */
export function wordsGoing(task: Task, words: CommonRequest, now: number): Task {
  if (task.state !== 'needs-input') throw wrongTurn(task, 'given words');
  const { wordsRefused: _, ...rest } = task;
  return { ...withRequest(rest, words), times: { ...task.times, wordsSent: now } };
}

/** The gateway has its words, and begins. It may have given it another id. */
export function wordsTaken(task: Task, { remoteId }: Submission, now: number): Task {
  if (hasEnded(task)) return task;
  return { ...task, remoteId, state: 'accepted', times: { ...task.times, wordsTaken: now } };
}

/** The gateway did not take its words: others may be given. */
export function wordsRefused(task: Task, reason: string): Task {
  const { wordsSent: _, ...times } = task.times;
  return { ...task, wordsRefused: reason, times };
}

/** Nobody knows whether the gateway took the order. It is not sent again unless its member says so. */
export function unconfirmed(task: Task, reason: string | undefined, now: number): Task {
  if (task.state !== 'submitting') throw wrongTurn(task, 'unconfirmed');
  return {
    ...task,
    state: 'unconfirmed',
    failure: { cause: 'unconfirmed', reason },
    times: { ...task.times, ended: now },
  };
}

/** Its member asked for it once more: another task has taken its place. */
export function succeededBy(task: Task, successorId: string | undefined): Task {
  return { ...task, successorId };
}

/** Its successor has sent the same order under the same key: there is one order, and it is the successor's. */
export function handedOver(task: Task): Task {
  return task.handedOver ? task : { ...task, handedOver: true };
}

/** Its member wants to hear no more of an order whose fate is unknown. */
export function dismissed(task: Task, now: number): Task {
  if (task.state !== 'unconfirmed') throw wrongTurn(task, 'dismissed');
  return settled({ ...task, state: 'cancelled', failure: { cause: 'dismissed' } }, now);
}

/** A list left it out, which alone ends nothing: lists leave out what the gateway has. */
export function notListed(task: Task, now: number): Task {
  if (hasEnded(task) || (task.unknown?.answers ?? 0) >= FORGOTTEN_ANSWERS - 1) return task;
  return notKnown(task, now);
}

/** One more answer that the gateway does not know it, and it is given up. */
export const isAlmostForgotten = ({ unknown }: Task, now: number): boolean =>
  unknown !== undefined && unknown.answers >= FORGOTTEN_ANSWERS - 1 && now - unknown.since >= FORGOTTEN_MS;

/** So many answers over so long a time must agree that a task is gone: a gateway that restarts forgets for a moment. */
const FORGOTTEN_ANSWERS = 5;
const FORGOTTEN_MS = 5 * 60_000;

export function notKnown(task: Task, now: number): Task {
  if (hasEnded(task)) return task;
  const { answers, since } = task.unknown ?? { answers: 0, since: now };
  const counted = { ...task, unknown: { answers: answers + 1, since } };
  if (answers + 1 < FORGOTTEN_ANSWERS || now - since < FORGOTTEN_MS) return counted;
  return { ...counted, state: 'failed', failure: { cause: 'forgotten' }, times: { ...task.times, ended: now } };
}

/** It takes longer than anybody waits: from now on it is asked about more slowly, and nothing new is made of it. */
export function overdue(task: Task, now: number): Task {
  return hasEnded(task) || task.times.overdue !== undefined
    ? task
    : { ...task, times: { ...task.times, overdue: now } };
}

/** undefined: its references are as good as not looked at. */
export function withReferenceNotes(task: Task, notes: readonly string[] | undefined): Task {
  const { referenceNotes: _, ...rest } = task;
  return notes ? { ...rest, referenceNotes: [...notes] } : rest;
}

/** Its member wants it forgotten. */
export function unwanted(task: Task): Task {
  return task.unwanted ? task : { ...task, unwanted: true };
}
