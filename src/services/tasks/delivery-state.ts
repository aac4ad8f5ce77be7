import { type Fingerprint, joinFingerprints } from '../media/fingerprint.ts';
import {
  hasEnded,
  type Intention,
  isLive,
  type MessageAddress,
  type MessagePlace,
  type Route,
  type Task,
} from './task.ts';

/** An album shows its parts, so nothing is left to do for a part that has ended. */
export const settlePart = (task: Task, now: number): Task =>
  task.traits.isPart && hasEnded(task) && isLive(task) ? markDelivered(task, undefined, now) : task;

export const turnPage = (task: Task, page: number): Task => (task.page === page ? task : { ...task, page });

export function addFingerprints(task: Task, files: readonly Fingerprint[]): Task {
  const fingerprints = joinFingerprints(task.fingerprints ?? [], files);
  return fingerprints ? { ...task, fingerprints } : task;
}

export function clearMessage(task: Task): Task {
  const { message: _, ...rest } = task;
  return rest;
}

const MAX_EXTRA_MESSAGES = 50;

export function addExtraMessage(task: Task, address: MessageAddress): Task {
  if (task.beside?.some(({ id }) => id === address.id)) return task;
  return { ...task, beside: [...(task.beside ?? []), address].slice(-MAX_EXTRA_MESSAGES) };
}

export function removeMessageById(task: Task, id: string): Task {
  const rest = task.message?.id === id ? clearMessage(task) : task;
  if (!rest.beside?.some((one) => one.id === id)) return rest;
  return { ...rest, beside: rest.beside.filter((one) => one.id !== id) };
}

/** Where a task is still shown once its own message is deleted. The question to moderators is not a copy. */
export const leftCopyOf = ({ message, beside = [], review }: Task): MessageAddress | undefined =>
  message ? undefined : beside.findLast(({ id }) => id !== review?.messageId);

/** The member's newest interaction is the best way to reach them. */
export function updateRoute(task: Task, route: Route, message: MessagePlace | undefined): Task {
  return { ...task, route: { ...route, isPrivate: task.route.isPrivate }, message: message ?? task.message };
}

export const setMessage = (task: Task, message: MessagePlace): Task =>
  task.message?.id === message.id ? task : { ...task, message };

export function countProgressEdit(task: Task): Task {
  return { ...task, delivery: { ...task.delivery, progressEdits: task.delivery.progressEdits + 1 } };
}

/** The intention is stored before a message is posted, so that the message can be found after a crash. */
export function recordIntent(task: Task, intention: Intention): Task {
  const { unseenSince: _, ...delivery } = task.delivery;
  return { ...task, delivery: { ...delivery, intention } };
}

/** Records the intention before the owner is notified that the end may already have been shown. */
export const recordHint = (task: Task, intention: Intention): Task => ({
  ...task,
  delivery: { ...task.delivery, intention },
});

/** Recorded before the end is sent to a message that can only be reached with the interaction's token. Once the token has expired, that message cannot be checked. */
export function recordUnseen(task: Task, now: number): Task {
  if (task.delivery.unseenSince !== undefined) return task;
  return { ...task, delivery: { ...task.delivery, unseenSince: now } };
}

/** Settles a task whose end is shown, as Discord has confirmed. */
export const markDelivered = (task: Task, message: MessagePlace | undefined, now: number): Task =>
  settle(showEnd(task, message), now);

/** Marks a task whose end is shown, but whose owner still has to be pinged. */
export function markPingDue(task: Task, message: MessagePlace | undefined, now: number): Task {
  const updated = showEnd(task, message);
  const { intention: _, unseenSince: __, ...delivery } = updated.delivery;
  return { ...updated, delivery: { ...delivery, call: { shownAt: now } } };
}

/** This is stored before the owner ping is posted, so that the ping can be found after a crash. */
export function markPinging(task: Task, now: number): Task {
  const { call } = task.delivery;
  if (!call || call.goingAt !== undefined) return task;
  return { ...task, delivery: { ...task.delivery, call: { ...call, goingAt: now } } };
}

export const markPinged = (task: Task, now: number): Task => (task.delivery.call ? settle(task, now) : task);

/** Settles a task whose end no message shows, at least not until a member presses a button. A ready result can still be fetched. */
export function markUndeliverable(task: Task, reason: 'deleted' | 'no-way', now: number): Task {
  if (!hasEnded(task)) throw transitionError(task, 'undeliverable');
  return settle({ ...task, delivery: { ...task.delivery, undeliverable: reason } }, now);
}

/** Marks a task whose owner has fetched a result that could not be delivered. */
export function markCollected(task: Task): Task {
  if (task.state !== 'ready' || isLive(task)) return task;
  const { undeliverable: _, ...delivery } = task.delivery;
  return { ...task, state: 'delivered', delivery };
}

export function dropToken(task: Task): Task {
  if (task.route.token === undefined) return task;
  const { token: _, ...route } = task.route;
  return { ...task, route };
}

export const dropExpiredToken = (task: Task, now: number): Task =>
  now >= task.route.tokenExpiresAt ? dropToken(task) : task;

/** Deletes the stored audio once it has been posted in Discord or cannot be posted. */
export function dropVoiceAudio(task: Task): Task {
  const { answer } = task;
  if (answer?.voice?.sound === undefined) return task;
  const { sound: _, ...voice } = answer.voice;
  return { ...task, answer: { ...answer, voice } };
}

function showEnd(task: Task, message: MessagePlace | undefined): Task {
  if (!hasEnded(task)) throw transitionError(task, 'delivered');
  const updated = message ? setMessage(task, message) : task;
  return { ...updated, state: task.state === 'ready' ? 'delivered' : task.state };
}

export function settle(task: Task, now: number): Task {
  const { intention: _, call: __, unseenSince: ___, ...delivery } = task.delivery;
  const settledAt = isLive(task) ? now : task.times.settled;
  return dropToken(dropVoiceAudio({ ...task, delivery, times: { ...task.times, settled: settledAt } }));
}

export const transitionError = ({ id, state }: Task, to: string): Error =>
  new Error(`Task ${id} cannot become ${to}: it is ${state}.`);
