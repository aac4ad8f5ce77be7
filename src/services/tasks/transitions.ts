import type { Submission } from '../gateway/read/submission.ts';
import {
  type CommonRequest,
  hasEnded,
  type Intention,
  isLive,
  type MessageAddress,
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

/** What is shown by others has nothing left to do once it has ended. */
export function settledUnseen(task: Task, now: number): Task {
  return task.traits.isPart && hasEnded(task) && isLive(task) ? delivered(task, undefined, now) : task;
}

/** The page that its message shows. */
export function turnedTo(task: Task, page: number): Task {
  return task.page === page ? task : { ...task, page };
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

/** Its message was taken away. */
export function messageGone(task: Task): Task {
  const { message: _, ...rest } = task;
  return rest;
}

/** So many messages of one task are remembered; nobody brings a result to more places. */
const MOST_BESIDE = 50;

/** The bot has posted this about it, beside its own message. */
export function shownBeside(task: Task, address: MessageAddress): Task {
  if (task.beside?.some(({ id }) => id === address.id)) return task;
  return { ...task, beside: [...(task.beside ?? []), address].slice(-MOST_BESIDE) };
}

/** A message about it was taken away: its own, or one beside. */
export function withoutMessage(task: Task, id: string): Task {
  const rest = task.message?.id === id ? messageGone(task) : task;
  if (!rest.beside?.some((one) => one.id === id)) return rest;
  return { ...rest, beside: rest.beside.filter((one) => one.id !== id) };
}

/** Its member has come back to it: their newest interaction is the best way to them. */
export function reachedBy(task: Task, route: Route, message: MessagePlace | undefined): Task {
  return { ...task, route: { ...route, isPrivate: task.route.isPrivate }, message: message ?? task.message };
}

/** A message shows it. */
export function shownIn(task: Task, message: MessagePlace): Task {
  return task.message?.id === message.id ? task : { ...task, message };
}

/** undefined: its references are as good as not looked at. */
export function withReferenceNotes(task: Task, notes: readonly string[] | undefined): Task {
  const { referenceNotes: _, ...rest } = task;
  return notes ? { ...rest, referenceNotes: [...notes] } : rest;
}

export function progressShown(task: Task): Task {
  return { ...task, delivery: { ...task.delivery, progressEdits: task.delivery.progressEdits + 1 } };
}

/** About to post a message, so that a crash in between is understood. */
export function intending(task: Task, intention: Intention): Task {
  return { ...task, delivery: { ...task.delivery, intention } };
}

/** Discord has confirmed that the end is shown. */
export function delivered(task: Task, message: MessagePlace | undefined, now: number): Task {
  return settled(endShown(task, message), now);
}

/** The same, and something is left to do: to call its member to it. */
export function toBeCalled(task: Task, message: MessagePlace | undefined, now: number): Task {
  const shown = endShown(task, message);
  const { intention: _, ...delivery } = shown.delivery;
  return { ...shown, delivery: { ...delivery, call: { shownAt: now } } };
}

/** About to call, so that a crash in between is understood. */
export function calling(task: Task, now: number): Task {
  const { call } = task.delivery;
  if (!call || call.goingAt !== undefined) return task;
  return { ...task, delivery: { ...task.delivery, call: { ...call, goingAt: now } } };
}

/** Its member has been called, or will not be any more. */
export function called(task: Task, now: number): Task {
  return task.delivery.call ? settled(task, now) : task;
}

/** No message shows the end, and none will by itself; what is ready stays ready, to be fetched. */
export function undeliverable(task: Task, why: 'deleted' | 'no-way', now: number): Task {
  if (!hasEnded(task)) throw wrongTurn(task, 'undeliverable');
  return settled({ ...task, delivery: { ...task.delivery, undeliverable: why } }, now);
}

/** Its member wants it forgotten. */
export function unwanted(task: Task): Task {
  return task.unwanted ? task : { ...task, unwanted: true };
}

/** A result that had reached nobody was fetched by its member. */
export function collected(task: Task): Task {
  if (task.state !== 'ready' || isLive(task)) return task;
  const { undeliverable: _, ...delivery } = task.delivery;
  return { ...task, state: 'delivered', delivery };
}

/** The interaction's token is dead, or of no more use. */
export function withoutToken(task: Task): Task {
  if (task.route.token === undefined) return task;
  const { token: _, ...route } = task.route;
  return { ...task, route };
}

export function withoutExpiredToken(task: Task, now: number): Task {
  return now >= task.route.tokenExpiresAt ? withoutToken(task) : task;
}

/** The sound of its answer stands in Discord, or cannot: it is kept nowhere else. */
export function voiceShown(task: Task): Task {
  const { answer } = task;
  if (answer?.voice?.sound === undefined) return task;
  const { sound: _, ...voice } = answer.voice;
  return { ...task, answer: { ...answer, voice } };
}

function endShown(task: Task, message: MessagePlace | undefined): Task {
  if (!hasEnded(task)) throw wrongTurn(task, 'delivered');
  const there = message ? shownIn(task, message) : task;
  return { ...there, state: task.state === 'ready' ? 'delivered' : task.state };
}

function settled(task: Task, now: number): Task {
  const { intention: _, call: __, ...delivery } = task.delivery;
  const settledAt = isLive(task) ? now : task.times.settled;
  return withoutToken(voiceShown({ ...task, delivery, times: { ...task.times, settled: settledAt } }));
}

function wrongTurn({ id, state }: Task, to: string): Error {
  return new Error(`Task ${id} cannot become ${to}: it is ${state}.`);
}
