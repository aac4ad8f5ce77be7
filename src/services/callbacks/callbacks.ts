import type { Clock } from '../../lib/clock.ts';
import { MIN_GAP_MS } from '../polling/allowance.ts';
import type { TaskBook } from '../tasks/book.ts';
import { hasEnded, isFollowed, type Task } from '../tasks/task.ts';
import type { CallbackAddresses } from './addresses.ts';
import { CallbackHabits, type HabitName } from './habits.ts';
import type { CallbackMeaning } from './reader.ts';

/** How long a URL stays valid after its task's end. */
const VALID_AFTER_END_MS = 10 * 60_000;
/** The least recently used entry is dropped. Only valid URLs create an entry. */
const MAX_REMEMBERED = 20_000;
/** How often callbacks of one type bring a task's poll forward. After that, the usual polls find the end. */
export const MAX_HINTS = 4;

/** The outcome of a callback. */
export type CallbackOutcome =
  | 'hint'
  | 'progress'
  | 'challenge'
  | 'early'
  | 'late'
  | 'ignored'
  | 'limited'
  | 'unknown'
  | 'passed'
  | 'lost';

/** What the callbacks reported about a live task. */
interface Call {
  hints: Record<'end' | 'unclear', number>;
  hintedAt: number;
  hasProgress: boolean;
}

interface CallbacksParts {
  book: Pick<TaskBook, 'find' | 'onChange'>;
  clock: Clock;
  /** The lane in which a task is polled. */
  laneOf(task: Pick<Task, 'kind'>): string | undefined;
  hint(id: string): void;
}

/**
 * Turns callbacks into hints, and learns which callbacks each lane sends. A callback proves nothing: not who sent it, not that the
 * gateway took an order, not how a job ended.
 */
export class Callbacks {
  readonly #parts: CallbacksParts;
  readonly #habits: CallbackHabits;
  readonly #calls = new Map<string, Call>();
  readonly #ended = new Map<string, { at: number; lane: string | undefined }>();
  readonly #listeners: ((outcome: CallbackOutcome) => void)[] = [];
  #addresses: CallbackAddresses | undefined;

  constructor(parts: CallbacksParts) {
    this.#parts = parts;
    this.#habits = new CallbackHabits(parts.clock);
    parts.book.onChange((task, previous) => {
      if (previous && !hasEnded(previous) && hasEnded(task)) this.#end(task, previous);
    });
  }

  open(addresses: CallbackAddresses): void {
    this.#addresses = addresses;
  }

  /** Undefined if the gateway ignores such URLs. */
  addressFor(lane: string, taskId: string): string | undefined {
    return this.#habits.isWorthTrying(lane) ? this.#addresses?.urlFor(taskId) : undefined;
  }

  /** The share of polls that a task still needs although callbacks may arrive for it: the share of ends for which no callback arrived. */
  missedShare({ id, kind, hasCallback }: Task): number {
    // After a callback without effect, the task relies on its polls again.
    if (!hasCallback || (this.#calls.get(id)?.hintedAt ?? Number.NEGATIVE_INFINITY) > 0) return 1;
    const lane = this.#parts.laneOf({ kind });
    return lane === undefined ? 1 : this.#habits.missedShare(lane);
  }

  /** The task whose URL this is; undefined for forgeries and for URLs that are no longer valid. */
  find(target: string): string | undefined {
    const id = this.#addresses?.taskIdIn(target);
    if (id === undefined) return undefined;
    const ended = this.#ended.get(id);
    if (ended) return this.#parts.clock.now() - ended.at <= VALID_AFTER_END_MS ? id : undefined;
    const task = this.#parts.book.find(id);
    return task && !hasEnded(task) ? id : undefined;
  }

  /** Processes a callback about a task that `find` found. */
  process(id: string, meaning: CallbackMeaning): CallbackOutcome {
    const outcome = this.#outcomeOf(id, meaning);
    this.report(outcome);
    return outcome;
  }

  report(outcome: CallbackOutcome): void {
    for (const listener of this.#listeners) listener(outcome);
  }

  onCallback(listener: (outcome: CallbackOutcome) => void): void {
    this.#listeners.push(listener);
  }

  /** The lanes that were given callback URLs, and which callbacks they send. */
  get habits(): { lane: string; habit: HabitName }[] {
    return this.#habits.all;
  }

  #outcomeOf(id: string, meaning: CallbackMeaning): CallbackOutcome {
    if (typeof meaning === 'object') return 'challenge';
    const { book, clock, hint } = this.#parts;
    const ended = this.#ended.get(id);
    if (ended?.lane !== undefined) this.#habits.noteLate(ended.lane);
    const task = book.find(id);
    if (ended || !task || hasEnded(task)) return 'late';
    const call = this.#callOf(id);
    if (meaning === 'progress') {
      call.hasProgress = true;
      return 'progress';
    }
    // Duplicate callbacks, or terms that this gateway uses for something else.
    if (call.hints[meaning] >= MAX_HINTS) return 'ignored';
    call.hints[meaning] += 1;
    call.hintedAt = clock.now();
    // The task's first poll follows right after the response to the submit.
    if (!isFollowed(task)) return 'early';
    hint(id);
    return 'hint';
  }

  #end(task: Task, previous: Task): void {
    const { clock } = this.#parts;
    const lane = this.#parts.laneOf(task);
    const now = clock.now();
    remember(this.#ended, task.id, { at: now, lane: task.hasCallback ? lane : undefined });
    const call = this.#calls.get(task.id);
    this.#calls.delete(task.id);
    // Only an end that a poll has found says anything about callbacks.
    if (!task.hasCallback || lane === undefined || !isFollowed(previous) || task.failure?.cause === 'forgotten') return;
    const pendingAt = previous.times.lastPending ?? previous.times.accepted ?? now;
    // The poll that a hint causes follows the last one after the smallest gap.
    const end = call !== undefined && call.hintedAt >= pendingAt - MIN_GAP_MS;
    this.#habits.learn(lane, { progress: call?.hasProgress ?? false, hasEnd: end, hasAny: call !== undefined });
  }

  #callOf(id: string): Call {
    const existing = this.#calls.get(id);
    if (existing) return existing;
    const call = { hints: { end: 0, unclear: 0 }, hintedAt: Number.NEGATIVE_INFINITY, hasProgress: false };
    remember(this.#calls, id, call);
    return call;
  }
}

function remember<Value>(entries: Map<string, Value>, id: string, value: Value): void {
  entries.delete(id);
  entries.set(id, value);
  const [oldest] = entries.keys();
  if (entries.size > MAX_REMEMBERED && oldest !== undefined) entries.delete(oldest);
}
