import {
  hasEnded,
  type Intention,
  isLive,
  type MessageAddress,
  type MessagePlace,
  type Route,
  type Task,
} from './task.ts';

/** What is shown by others has nothing left to do once it has ended. */
export function settledUnseen(task: Task, now: number): Task {
  return task.traits.isPart && hasEnded(task) && isLive(task) ? delivered(task, undefined, now) : task;
}

/** The page that its message shows. */
export function turnedTo(task: Task, page: number): Task {
  return task.page === page ? task : { ...task, page };
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

export function settled(task: Task, now: number): Task {
  const { intention: _, call: __, ...delivery } = task.delivery;
  const settledAt = isLive(task) ? now : task.times.settled;
  return withoutToken(voiceShown({ ...task, delivery, times: { ...task.times, settled: settledAt } }));
}

export function wrongTurn({ id, state }: Task, to: string): Error {
  return new Error(`Task ${id} cannot become ${to}: it is ${state}.`);
}
