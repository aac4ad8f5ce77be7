import { setImmediate } from 'node:timers/promises';
import { type Clock, DAY_MS } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { Log } from '../../lib/log.ts';
import type { Entries } from '../ledger/entry.ts';
import { withoutExpiredToken } from '../tasks/delivery-state.ts';
import { isLive, type KindSpecs, type Task } from '../tasks/task.ts';
import { lineOf, type TaskLine } from '../tasks/task-line.ts';
import {
  type Duration,
  type ForgettingMark,
  KEPT_DURATIONS,
  type PageQuestion,
  type SentBody,
  type TaskPage,
  type TaskStore,
} from '../tasks/task-store.ts';
import { EntryRows } from './entry-rows.ts';
import { soleTenure, type Tenure } from './lease.ts';
import { isSameLine, LineIndex, ownerAskedFor, ownersOf, pageOf } from './line-index.ts';
import { askingMark } from './marks.ts';
import { Quarantine, type Rows } from './rows.ts';
import type { Shelf, Shelves } from './shelf.ts';
import { durationRows, forgettingRows, RemoteRows, rowKey, SentRows } from './side-rows.ts';
import { isPast, type Migration, mustBeReadable, TaskRows, taskLock, taskMigrations } from './task-rows.ts';

interface KeptTasksParts {
  shelves: Shelves;
  log: Log;
  clock: Clock;
  specs: KindSpecs;
  migrations?: ReadonlyMap<number, Migration> | undefined;
  tenure?: Tenure;
  close(): void | Promise<void>;
}

const CLEANED_AT_ONCE = 200;

/**
 * Tasks, their list entries and durations. There are no transactions over several rows; instead, writes are ordered so that a crash after any of
 * them leaves a valid store:
 *
 * - a new task: its list entries, then the task. An unsettled entry without a task is not shown.
 * - a settled task: the finished row, its list entries, then the live row is deleted. Found in both places, the finished one is right.
 * - an order as it is sent: after its task, before it is submitted; it is deleted after a task that no longer needs it.
 * - a finished task that changes or is removed: its list entries point at it until that is done.
 *
 * Locks are taken in the order member, server, task.
 */
export class KeptTasks implements TaskStore {
  readonly #parts: KeptTasksParts;
  readonly #locks = new KeyedLock();
  readonly quarantine: Quarantine;
  readonly #rows: TaskRows;
  readonly #index: LineIndex;
  readonly #durations: Rows<{ durations: Duration[] }>;
  readonly #remotes: RemoteRows;
  readonly #sent: SentRows;
  readonly #forgettings: Rows<ForgettingMark>;
  readonly entries: Entries;
  readonly tenure: Tenure;
  /** Messages that are kept up to date. */
  readonly follows: Shelf;
  #clearedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: KeptTasksParts) {
    const { shelves, clock, specs, migrations = taskMigrations, tenure = soleTenure } = parts;
    const quarantine = new Quarantine(shelves.quarantine, parts);
    this.quarantine = quarantine;
    this.#parts = parts;
    this.tenure = tenure;
    this.#rows = new TaskRows({ ...shelves, quarantine, locks: this.#locks, clock, reading: { migrations, specs } });
    this.#index = new LineIndex(shelves.index, quarantine, specs);
    this.#remotes = new RemoteRows(shelves.remotes);
    this.#durations = durationRows(shelves.durations, quarantine);
    this.#sent = new SentRows(shelves.sent);
    this.#forgettings = forgettingRows(shelves.forgetting, quarantine);
    this.follows = shelves.follows;
    const tasks = { task: (id: string) => this.get(id), tasks: () => this.#rows.all() };
    this.entries = new EntryRows({ ...shelves, quarantine, ...tasks });
  }

  async live(): Promise<Task[]> {
    const now = this.#parts.clock.now();
    const { tasks, finished } = await this.#rows.allLive();
    const live: Task[] = [];
    const expired: string[] = [];
    for (const [id, stored] of tasks) {
      if (finished.has(id) || !isLive(stored)) await this.#finishSettling(stored);
      else {
        const task = withoutExpiredToken(stored, now);
        if (task !== stored) expired.push(id);
        this.#sent.found(task);
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

  async knownAs(remoteId: string): Promise<Task | undefined> {
    const id = await this.#remotes.find(remoteId);
    const task = id === undefined ? undefined : await this.get(id);
    return task?.remoteId === remoteId ? task : undefined;
  }

  async put(task: Task): Promise<void> {
    mustBeReadable(task, this.#parts.specs);
    await this.#clearExpired();
    await this.#underLocksOf(task, () => this.#write(withoutExpiredToken(task, this.#parts.clock.now())));
    // SQLite responds synchronously, so a long run of puts would block the process.
    await setImmediate();
  }

  remove(task: Task): Promise<void> {
    return this.#underLocksOf(task, async () => {
      // Before its task, so that no member's prompt stays behind that nothing leads to.
      await this.#sent.remove(task.id);
      await this.#writeLines(task, asPointer);
      await this.#remotes.forget(task);
      await this.#parts.shelves.live.delete(task.id);
      await this.#parts.shelves.finished.delete(task.id);
      await this.#removeLines(task);
    });
  }

  async clearLines(memberId: string): Promise<void> {
    const owner = ownerAskedFor({ memberId });
    const gone = await this.#locks.run(owner, async () => {
      const lines: TaskLine[] = [];
      for await (const chunk of this.#index.newestFirst(owner)) {
        const tasks = await this.#rows.find(chunk.map(({ id }) => id));
        lines.push(...chunk.filter(({ id }) => !tasks.has(id)));
      }
      return lines;
    });
    for (const line of gone) {
      await this.#underLocksOf(line, async () => {
        await this.#removeLines(line);
        for (const list of ownersOf(line)) await this.#index.clearAstray(list);
      });
    }
    await this.#locks.run(owner, () => this.#index.clearAstray(owner));
  }

  page(question: PageQuestion): Promise<TaskPage> {
    const owner = ownerAskedFor(question.of);
    return this.#locks.run(owner, () =>
      pageOf(question, {
        lines: this.#index.newestFirst(owner, question.before),
        isOver: this.#isOver,
        isListedApart: ({ kind }) => this.#parts.specs[kind].traits.isListedApart === true,
        find: (ids) => this.#rows.find(ids),
      }),
    );
  }

  keepSent(id: string, sent: SentBody): Promise<void> {
    return this.#sent.put(id, sent);
  }

  sentOf(id: string): Promise<SentBody | undefined> {
    return this.#sent.read(id);
  }

  addDuration(key: string, duration: Duration): Promise<void> {
    return this.#locks.run(durationsLock(key), async () => {
      const durations = [...(await this.#readDurations(key)), duration].slice(-KEPT_DURATIONS);
      await this.#parts.shelves.durations.put(rowKey(key), { durations });
    });
  }

  durations(key: string): Promise<Duration[]> {
    return this.#locks.run(durationsLock(key), () => this.#readDurations(key));
  }

  async #readDurations(key: string): Promise<Duration[]> {
    return (await this.#durations.get(rowKey(key)))?.durations ?? [];
  }

  async forgettings(): Promise<ForgettingMark[]> {
    const { good, setAside } = await this.#forgettings.sorted();
    await setAside();
    return [...good.values()];
  }

  putForgetting(mark: ForgettingMark): Promise<void> {
    return this.#parts.shelves.forgetting.put(mark.memberId, mark);
  }

  removeForgetting(memberId: string): Promise<void> {
    return this.#parts.shelves.forgetting.delete(memberId);
  }

  noteAsking(at: number): Promise<void> {
    return askingMark(this.#parts.shelves.asking).write({ at });
  }

  async askingUntil(): Promise<number | undefined> {
    return (await askingMark(this.#parts.shelves.asking).read())?.at;
  }

  async close(): Promise<void> {
    await this.#parts.close();
  }

  async #write(task: Task): Promise<void> {
    await this.#remotes.point(task);
    const wasLive = await this.#parts.shelves.live.has(task.id);
    if (isLive(task)) {
      if (!wasLive) await this.#writeLines(task, asPointer);
      await this.#rows.putLive(task);
    } else if (wasLive) {
      await this.#rows.putFinished(task);
      await this.#writeLines(task);
      await this.#parts.shelves.live.delete(task.id);
    } else {
      const before = (await this.#rows.findLocked([task.id])).get(task.id);
      const isListed = before !== undefined && isSameLine(lineOf(before), lineOf(task));
      if (!isListed) await this.#writeLines(task, asPointer);
      await this.#rows.putFinished(task);
      if (!isListed) await this.#writeLines(task);
    }
    await this.#sent.follow(task);
  }

  async #writeLines(task: Task, shape = (line: TaskLine): TaskLine => line): Promise<void> {
    for (const owner of ownersOf(task)) await this.#index.put(owner, shape(lineOf(task)), this.#isOver);
  }

  /** The member's own entry goes last, since it leads to the server's. */
  async #removeLines(task: ListedTask): Promise<void> {
    for (const owner of ownersOf(task).reverse()) await this.#index.remove(owner, task.id);
  }

  #finishSettling(stored: Task): Promise<void> {
    return this.#underLocksOf(stored, async () => {
      const task = (await this.#rows.findLocked([stored.id])).get(stored.id);
      if (task && !isLive(task)) await this.#write(task);
    });
  }

  #dropTokens(ids: readonly string[]): Promise<void> {
    return this.#underLocks(ids.map(taskLock), async () => {
      const tasks = await this.#rows.findLocked(ids);
      await this.#rows.putLive(...[...tasks.values()].filter(isLive));
    });
  }

  /** The adapter removes an expired row when it is read, but these are never read again. */
  async #clearExpired(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#clearedAt < DAY_MS) return;
    this.#clearedAt = now;
    await this.#parts.shelves.finished.clearExpired();
  }

  readonly #isOver = (line: TaskLine): boolean => isPast(line.settledAt, this.#parts.clock.now());

  #underLocksOf<T>(task: ListedTask, work: () => Promise<T>): Promise<T> {
    return this.#underLocks([...ownersOf(task), taskLock(task.id)], work);
  }

  #underLocks<T>([first, ...rest]: readonly string[], work: () => Promise<T>): Promise<T> {
    return first === undefined ? work() : this.#locks.run(first, () => this.#underLocks(rest, work));
  }
}

const durationsLock = (key: string): string => `durations ${key}`;

type ListedTask = Pick<Task, 'id' | 'requesterId' | 'guildId'>;

/** An unsettled list entry only points at its task, which is authoritative: so a crash never leaves a wrong list. */
const asPointer = (line: TaskLine): TaskLine => ({ ...line, settledAt: undefined });
