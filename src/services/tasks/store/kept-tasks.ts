import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../lib/clock.ts';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Entries } from '../../ledger/entries.ts';
import { isLive, type Task } from '../task.ts';
import { lineOf, type TaskLine } from '../task-line.ts';
import type { Duration, PageQuestion, TaskPage, TaskStore } from '../task-store.ts';
import { withoutExpiredToken } from '../transitions.ts';
import { DurationBook } from './duration-book.ts';
import { EntryRows } from './entry-rows.ts';
import { isSameLine } from './line-chunks.ts';
import { LineIndex } from './line-index.ts';
import { type Migration, taskMigrations } from './migrations.ts';
import { ownerAskedFor, ownersOf } from './owners.ts';
import { Quarantine } from './quarantine.ts';
import { isPastLine } from './retention.ts';
import type { Shelf } from './shelf.ts';
import type { Shelves } from './shelves.ts';
import { pageOf } from './task-page.ts';
import { mustBeReadable } from './task-record.ts';
import { TaskRows, taskLock } from './task-rows.ts';

export interface KeptTasksParts {
  shelves: Shelves;
  log: Log;
  clock: Clock;
  migrations?: ReadonlyMap<number, Migration> | undefined;
  close(): void;
}

/** So many rows are cleaned in one write. */
const CLEANED_AT_ONCE = 200;
const DAY_MS = 24 * 3_600_000;

/**
 * Tasks, their lines and their durations. There are no transactions over several rows; instead, writes come in an order of which every
 * beginning is sound:
 *
 * - a new task: its lines, then the task. An unsettled line without a task is not shown.
 * - a settled task: the finished row, its lines, then the live row goes. Found in both places, the finished one is right.
 * - a finished task that changes or goes: its lines point at it until that is done.
 *
 * Locks are taken in the order member, server, task.
 */
export class KeptTasks implements TaskStore {
  readonly #parts: KeptTasksParts;
  readonly #locks = new KeyedLock();
  readonly #rows: TaskRows;
  readonly #index: LineIndex;
  readonly #durations: DurationBook;
  /** The ledger's part of the store. */
  readonly entries: Entries;
  /** Messages that are kept up to date. */
  readonly follows: Shelf;
  #clearedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: KeptTasksParts) {
    const { shelves, clock, migrations = taskMigrations } = parts;
    const quarantine = new Quarantine(shelves.quarantine, parts);
    this.#parts = parts;
    this.#rows = new TaskRows({ ...shelves, quarantine, locks: this.#locks, clock, migrations });
    this.#index = new LineIndex(shelves.index, quarantine);
    this.#durations = new DurationBook(shelves.durations, quarantine, this.#locks);
    this.follows = shelves.follows;
    this.entries = new EntryRows({
      ...shelves,
      quarantine,
      task: (id) => this.get(id),
      tasks: () => this.#rows.all(),
    });
  }

  async live(): Promise<Task[]> {
    const now = this.#parts.clock.now();
    const { tasks, finished } = await this.#rows.allLive();
    const live: Task[] = [];
    const expired: string[] = [];
    for (const [id, stored] of tasks) {
      if (finished.has(id) || !isLive(stored)) await this.#settleAgain(stored);
      else {
        const task = withoutExpiredToken(stored, now);
        if (task !== stored) expired.push(id);
        live.push(task);
      }
    }
    for (let at = 0; at < expired.length; at += CLEANED_AT_ONCE)
      await this.#dropTokens(expired.slice(at, at + CLEANED_AT_ONCE).sort());
    return live.sort((a, b) => a.times.created - b.times.created || (a.id < b.id ? -1 : 1));
  }

  async get(id: string): Promise<Task | undefined> {
    return (await this.#rows.find([id])).get(id);
  }

  async put(task: Task): Promise<void> {
    mustBeReadable(task);
    await this.#clearExpired();
    await this.#alone(task, () => this.#write(withoutExpiredToken(task, this.#parts.clock.now())));
    // SQLite answers at once, so a long row of puts would keep everything else in the process waiting.
    await setImmediate();
  }

  remove(task: Task): Promise<void> {
    return this.#alone(task, async () => {
      await this.#writeLines(task, pointing);
      await this.#rows.removeLive(task.id);
      await this.#rows.removeFinished(task.id);
      for (const owner of ownersOf(task)) await this.#index.remove(owner, task.id);
    });
  }

  page(question: PageQuestion): Promise<TaskPage> {
    const owner = ownerAskedFor(question.of);
    return this.#locks.run(owner, () =>
      pageOf(question, {
        lines: this.#index.newestFirst(owner, question.before),
        isOver: this.#isOver,
        find: (ids) => this.#rows.find(ids),
      }),
    );
  }

  addDuration(key: string, duration: Duration): Promise<void> {
    return this.#durations.add(key, duration);
  }

  durations(key: string): Promise<Duration[]> {
    return this.#durations.of(key);
  }

  async close(): Promise<void> {
    this.#parts.close();
  }

  async #write(task: Task): Promise<void> {
    const wasLive = await this.#rows.isLive(task.id);
    if (isLive(task)) {
      if (!wasLive) await this.#writeLines(task, pointing);
      await this.#rows.putLive(task);
    } else if (wasLive) {
      await this.#rows.putFinished(task);
      await this.#writeLines(task);
      await this.#rows.removeLive(task.id);
    } else await this.#changeFinished(task);
  }

  async #changeFinished(task: Task): Promise<void> {
    const before = (await this.#rows.findLocked([task.id])).get(task.id);
    const isListed = before !== undefined && isSameLine(lineOf(before), lineOf(task));
    if (!isListed) await this.#writeLines(task, pointing);
    await this.#rows.putFinished(task);
    if (!isListed) await this.#writeLines(task);
  }

  async #writeLines(task: Task, shape = (line: TaskLine): TaskLine => line): Promise<void> {
    for (const owner of ownersOf(task)) await this.#index.put(owner, shape(lineOf(task)), this.#isOver);
  }

  /** The end of what a crash has interrupted. */
  #settleAgain(stored: Task): Promise<void> {
    return this.#alone(stored, async () => {
      const task = (await this.#rows.findLocked([stored.id])).get(stored.id);
      if (task && !isLive(task)) await this.#write(task);
    });
  }

  #dropTokens(ids: readonly string[]): Promise<void> {
    return this.#inTurn(ids.map(taskLock), async () => {
      const tasks = await this.#rows.findLocked(ids);
      await this.#rows.putLive(...[...tasks.values()].filter(isLive));
    });
  }

  /** The adapter removes an expired row when it is read, but these are not read any more. */
  async #clearExpired(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#clearedAt < DAY_MS) return;
    this.#clearedAt = now;
    await this.#parts.shelves.finished.clearExpired();
  }

  readonly #isOver = (line: TaskLine): boolean => isPastLine(line, this.#parts.clock.now());

  #alone<T>(task: Task, work: () => Promise<T>): Promise<T> {
    return this.#inTurn([...ownersOf(task), taskLock(task.id)], work);
  }

  #inTurn<T>([first, ...rest]: readonly string[], work: () => Promise<T>): Promise<T> {
    return first === undefined ? work() : this.#locks.run(first, () => this.#inTurn(rest, work));
  }
}

/** A line that is not settled only points at its task, which has the word: so no crash leaves a list that is wrong. */
const pointing = (line: TaskLine): TaskLine => ({ ...line, settledAt: undefined });
