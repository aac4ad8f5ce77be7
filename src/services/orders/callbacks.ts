import type { Clock } from '../../lib/clock.ts';
import { Listeners } from '../../lib/listeners.ts';
import type { PlainLog } from '../../lib/log.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { Kind } from '../tasks/kind.ts';
import type { TaskKind } from '../tasks/kind-spec.ts';
import { hasEnded, isFollowed, type Task } from '../tasks/task.ts';
import type { TaskBook } from './book.ts';
import { CallbackHabits, type HabitName } from './callback-habits.ts';
import { type CallbackMeaning, openListener } from './callback-listener.ts';
import { CallbackUrls } from './callback-urls.ts';
import { MIN_GAP_MS } from './polling/allowance.ts';
import type { Scheduler } from './scheduler.ts';

const VALID_AFTER_END_MS = 10 * 60_000;
/** The least recently used entry is dropped. Only valid URLs create an entry. */
const MAX_REMEMBERED_TASKS = 20_000;
/** How many callbacks of one type bring forward a task's poll. After that, the usual polls find the end. */
export const MAX_HINTS = 4;

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

interface CallbackRecord {
  hints: Record<'end' | 'unclear', number>;
  hintedAt: number;
  hasProgress: boolean;
}

export interface CallbackSettings {
  /** The URL at which the gateway reaches the listener, without a trailing slash. */
  url: string | undefined;
  port: number | undefined;
  host: string;
}

/**
 * Turns callbacks into hints, and learns which callbacks each lane sends. A callback proves neither who sent it, nor that
 * the gateway accepted an order, nor how a job ended. Callbacks are off until their URLs are known.
 */
export class Callbacks {
  readonly #book: TaskBook;
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #log: PlainLog;
  readonly #habits: CallbackHabits;
  /** The lane in which the tasks of a kind are polled. */
  readonly #lanes: ReadonlyMap<TaskKind, string | undefined>;
  readonly #records = new RecentMap<string, CallbackRecord>(MAX_REMEMBERED_TASKS);
  readonly #endedTasks = new RecentMap<string, { at: number; lane: string | undefined }>(MAX_REMEMBERED_TASKS);
  readonly #outcomes = new Listeners<[outcome: CallbackOutcome]>();
  readonly onCallback = this.#outcomes.add;
  #addresses: CallbackUrls | undefined;
  #listener: Awaited<ReturnType<typeof openListener>> | undefined;

  constructor(book: TaskBook, kinds: readonly Kind[], scheduler: Scheduler, clock: Clock, log: PlainLog) {
    this.#book = book;
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#log = log;
    this.#habits = new CallbackHabits(clock);
    this.#lanes = new Map(kinds.map(({ name, source }) => [name, source?.name]));
    book.onChange((task, previous) => {
      if (this.#addresses && previous && !hasEnded(previous) && hasEnded(task)) this.#noteEnd(task, previous);
    });
  }

  /** Call this if another process of the cluster receives the callbacks. */
  open(addresses: CallbackUrls): void {
    this.#addresses = addresses;
  }

  async listen({ url, port, host }: CallbackSettings, secret: string): Promise<void> {
    if (url !== undefined && port !== undefined) {
      this.open(new CallbackUrls(url, secret));
      this.#listener = await openListener({ port, host }, { callbacks: this, log: this.#log });
    } else if (url !== undefined || port !== undefined)
      this.#log.warn({}, 'Callbacks are off: they need both CALLBACK_URL and CALLBACK_PORT.');
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }

  /** The callback URL for a task; undefined if callbacks are off, and while the gateway seems to ignore them. */
  urlFor(lane: string, taskId: string): string | undefined {
    return this.#addresses && this.#habits.isWorthTrying(lane) ? this.#addresses.urlFor(taskId) : undefined;
  }

  /** The share of polls that a task still needs although callbacks may arrive for it: the share of ends for which no callback arrived. */
  missedShare({ id, kind, hasCallback }: Task): number {
    if (!this.#addresses || !hasCallback) return 1;
    // After a callback without effect, the task relies on its polls again.
    if ((this.#records.get(id)?.hintedAt ?? Number.NEGATIVE_INFINITY) > 0) return 1;
    const lane = this.#lanes.get(kind);
    return lane === undefined ? 1 : this.#habits.missedShare(lane);
  }

  /** The id of the task that a URL belongs to; undefined for forgeries and for URLs that are no longer valid. */
  find(target: string): string | undefined {
    const id = this.#addresses?.taskIdIn(target);
    if (id === undefined) return undefined;
    const endedTask = this.#endedTasks.get(id);
    if (endedTask) return this.#clock.now() - endedTask.at <= VALID_AFTER_END_MS ? id : undefined;
    const task = this.#book.find(id);
    return task && !hasEnded(task) ? id : undefined;
  }

  process(id: string, meaning: CallbackMeaning): CallbackOutcome {
    const outcome = this.#outcomeOf(id, meaning);
    this.report(outcome);
    return outcome;
  }

  report(outcome: CallbackOutcome): void {
    this.#outcomes.notify(outcome);
  }

  /** The lanes that were given callback URLs, and which callbacks they send. */
  get habits(): { lane: string; habit: HabitName }[] {
    return this.#habits.all;
  }

  #outcomeOf(id: string, meaning: CallbackMeaning): CallbackOutcome {
    if (typeof meaning === 'object') return 'challenge';
    const endedTask = this.#endedTasks.get(id);
    if (endedTask?.lane !== undefined) this.#habits.noteLateCallback(endedTask.lane);
    const task = this.#book.find(id);
    if (endedTask || !task || hasEnded(task)) return 'late';
    const unseen = { hints: { end: 0, unclear: 0 }, hintedAt: Number.NEGATIVE_INFINITY, hasProgress: false };
    const record = this.#records.get(id) ?? unseen;
    this.#records.set(id, record);
    if (meaning === 'progress') {
      record.hasProgress = true;
      return 'progress';
    }
    // Further callbacks are duplicates, or the gateway uses the term for something else.
    if (record.hints[meaning] >= MAX_HINTS) return 'ignored';
    record.hints[meaning] += 1;
    record.hintedAt = this.#clock.now();
    // The task's first poll follows right after the response to the submit.
    if (!isFollowed(task)) return 'early';
    this.#scheduler.hint(id);
    return 'hint';
  }

  #noteEnd(task: Task, previous: Task): void {
    const lane = this.#lanes.get(task.kind);
    const now = this.#clock.now();
    this.#endedTasks.set(task.id, { at: now, lane: task.hasCallback ? lane : undefined });
    const record = this.#records.get(task.id);
    this.#records.delete(task.id);
    // Only an end that a poll has found says anything about callbacks.
    if (!task.hasCallback || lane === undefined || !isFollowed(previous) || task.failure?.cause === 'forgotten') return;
    const pendingAt = previous.times.lastPending ?? previous.times.accepted ?? now;
    // A poll that a hint triggers follows the previous poll after the minimum gap.
    const hasEndCallback = record !== undefined && record.hintedAt >= pendingAt - MIN_GAP_MS;
    this.#habits.learn(lane, {
      hasProgress: record?.hasProgress ?? false,
      hasEnd: hasEndCallback,
      hasAny: record !== undefined,
    });
  }
}
