import { isDeepStrictEqual } from 'node:util';
import type { AppContext } from '../../lib/app-context.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { type LimitStarts, updateStarts } from '../money/limits-text.ts';
import {
  type Duration,
  MAX_DURATIONS_PER_KEY,
  type PageQuery,
  type TaskPage,
  type TaskStore,
} from '../orders/task-store.ts';
import { dropExpiredToken } from '../tasks/delivery-state.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import { isLive, mayBeSentAgain, type Task } from '../tasks/task.ts';
import { summaryOf } from '../tasks/task-summary.ts';
import type { Change, Durability } from './backend.ts';
import { type StoreOwnership, soleOwnership } from './lease.ts';
import { type Namespaces, StoreHealth } from './namespaces.ts';
import { StoredEntries } from './rows/ledger-rows.ts';
import { hashSecret, hashSecretMark, limitStartsMark, pollingMark } from './rows/marks.ts';
import { Quarantine } from './rows/rows.ts';
import { RemoteIdRows, SentOrderRows } from './rows/sent-order-rows.ts';
import { isSameSummary, SummaryIndex } from './rows/summary-index.ts';
import { openTables, type Tables } from './rows/tables.ts';
import {
  assertReadable,
  type Migration,
  retentionOf,
  storedFingerprints,
  TaskRows,
  taskLock,
  taskMigrations,
} from './rows/task-rows.ts';

interface StoredTasksParts extends AppContext {
  namespaces: Namespaces;
  specs: KindSpecs;
  migrations?: ReadonlyMap<number, Migration> | undefined;
  ownership?: StoreOwnership;
  health?: StoreHealth;
  quarantine?: Quarantine;
  close(): void | Promise<void>;
}

const CLEANUP_BATCH_SIZE = 200;

/** The tasks of a store, and the tables beside them. `namespaces.ts` says what each of them holds. */
export type StoredTasks = ReturnType<typeof openStoredTasks>;

export function openStoredTasks(parts: StoredTasksParts) {
  const { namespaces, specs, clock, quarantine = new Quarantine(namespaces.quarantine, parts) } = parts;
  const { durations, keptScopes, ...tables } = openTables(namespaces, quarantine, specs);
  return Object.assign(new TaskStorage(parts, quarantine, { durations, keptScopes }), tables, {
    quarantine,
    ownership: parts.ownership ?? soleOwnership,
    health: parts.health ?? new StoreHealth(clock),
    /** Messages that are updated for a while. */
    follows: namespaces.follows,
    fingerprints: storedFingerprints(namespaces.fingerprints),
    polling: pollingMark(namespaces.asking),
  });
}

type TaskTables = Pick<Tables, 'durations' | 'keptScopes'>;

/** Tasks, their list entries and durations. All rows of a change of a task are written together, or none of them. */
class TaskStorage implements Omit<TaskStore, 'erasures' | 'polling'> {
  readonly #parts: StoredTasksParts;
  readonly #locks = new KeyedLock();
  readonly #rows: TaskRows;
  readonly #index: SummaryIndex;
  readonly #remotes: RemoteIdRows;
  readonly sentOrders: SentOrderRows;
  readonly #tables: TaskTables;
  readonly entries;
  readonly #liveIds = new Set<string>();
  #clearedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: StoredTasksParts, quarantine: Quarantine, tables: TaskTables) {
    const { namespaces, clock, specs, migrations = taskMigrations } = parts;
    this.#parts = parts;
    this.#rows = new TaskRows(namespaces, { migrations, specs, quarantine, clock }, this.#locks);
    this.#index = new SummaryIndex(namespaces.index, quarantine, specs);
    this.#remotes = new RemoteIdRows(namespaces.remotes);
    this.sentOrders = new SentOrderRows(namespaces.sent);
    this.#tables = tables;
    this.entries = new StoredEntries(namespaces, quarantine, tables.keptScopes, (id) => this.get(id));
  }

  /** The key of the hashes that replace members after an erasure. */
  hashSecret(): Promise<string> {
    return hashSecret(this.#parts.namespaces.meta);
  }

  /** Undefined before a bot has started on this store. */
  async existingHashSecret(): Promise<string | undefined> {
    return (await hashSecretMark(this.#parts.namespaces.meta).read())?.secret;
  }

  /** When the bot first started with the operator's current limits. */
  async limitStarts(limits: Parameters<typeof updateStarts>[1]): Promise<LimitStarts> {
    const mark = limitStartsMark(this.#parts.namespaces.meta);
    const known = await mark.read();
    const starts = updateStarts(known, limits, this.#parts.clock.now());
    if (!isDeepStrictEqual(starts, known)) await mark.write(starts);
    return starts;
  }

  async live(): Promise<Task[]> {
    const now = this.#parts.clock.now();
    const { tasks, finished } = await this.#rows.allLive();
    const liveTasks: Task[] = [];
    const expiredTokenIds: string[] = [];
    for (const [id, stored] of tasks) {
      if (finished.has(id) || !isLive(stored)) await this.#finishSettling(stored);
      else {
        const task = dropExpiredToken(stored, now);
        if (task !== stored) expiredTokenIds.push(id);
        this.sentOrders.restore(task);
        this.#liveIds.add(id);
        liveTasks.push(task);
      }
    }
    for (let start = 0; start < expiredTokenIds.length; start += CLEANUP_BATCH_SIZE)
      await this.#dropTokens(expiredTokenIds.slice(start, start + CLEANUP_BATCH_SIZE).sort());
    return liveTasks.sort((a, b) => a.times.created - b.times.created || (a.id < b.id ? -1 : 1));
  }

  async get(id: string): Promise<Task | undefined> {
    return (await this.#rows.find([id])).get(id);
  }

  async findByRemoteId(remoteId: string): Promise<Task | undefined> {
    const id = await this.#remotes.find(remoteId);
    const task = id === undefined ? undefined : await this.get(id);
    return task?.remoteId === remoteId ? task : undefined;
  }

  async put(task: Task, isRepeatable = false): Promise<void> {
    assertReadable(task, this.#parts.specs);
    await this.#clearExpired();
    const durability = isRepeatable ? 'deferred' : 'immediate';
    await this.#locks.run(taskLock(task.id), () =>
      this.#write(dropExpiredToken(task, this.#parts.clock.now()), durability),
    );
  }

  remove(task: Task): Promise<void> {
    return this.#locks.run(taskLock(task.id), async () => {
      const { live, finished, fingerprints } = this.#parts.namespaces;
      const { id } = task;
      const places = [live, finished, fingerprints].map((namespace) => namespace.removal(id));
      const removals = [...this.#index.removals(task), ...(await this.#remotes.removals(task))];
      await live.write([...places, this.sentOrders.removal(id), ...removals], 'delete');
      this.#liveIds.delete(id);
      this.sentOrders.forget(id);
    });
  }

  async removeStaleSummaries(memberId: string): Promise<void> {
    for await (const batch of this.#index.newestFirst({ of: { memberId } })) {
      const tasks = await this.#rows.find(batch.map(({ id }) => id));
      for (const summary of batch)
        if (!tasks.has(summary.id))
          await this.#locks.run(taskLock(summary.id), async () => {
            // The list entries of a new task are written before it.
            if (!(await this.#rows.findLocked([summary.id])).has(summary.id)) await this.#index.remove(summary);
          });
    }
  }

  page(query: PageQuery): Promise<TaskPage> {
    return this.#index.page(query, this.#rows, this.#parts.clock.now());
  }

  addDuration(key: string, duration: Duration): Promise<void> {
    return this.#locks.run(durationsLock(key), async () => {
      const durations = [...(await this.#readDurations(key)), duration].slice(-MAX_DURATIONS_PER_KEY);
      await this.#tables.durations.put({ durationKey: key, durations });
    });
  }

  durations(key: string): Promise<Duration[]> {
    return this.#locks.run(durationsLock(key), () => this.#readDurations(key));
  }

  async #readDurations(key: string): Promise<Duration[]> {
    return (await this.#tables.durations.get({ durationKey: key }))?.durations ?? [];
  }

  async close(): Promise<void> {
    await this.#parts.close();
  }

  async #write(task: Task, durability: Durability): Promise<void> {
    const changes = [
      ...(await this.#remotes.changesFor(task)),
      ...(await this.#listChanges(task)),
      ...this.#rows.changesFor(task),
      ...this.sentOrders.changesFor(task),
    ];
    await this.#parts.namespaces.live.write(changes, 'write', durability);
    if (!isLive(task) || !mayBeSentAgain(task)) this.sentOrders.forget(task.id);
    if (isLive(task)) this.#liveIds.add(task.id);
    else this.#liveIds.delete(task.id);
  }

  /** The entry of a live task only points to it, so it is written once. */
  async #listChanges(task: Task): Promise<Change[]> {
    const wasLive = this.#liveIds.has(task.id) || (await this.#parts.namespaces.live.has(task.id));
    if (isLive(task)) return wasLive ? [] : this.#index.rows({ ...summaryOf(task), settledAt: undefined });
    const summary = summaryOf(task);
    const previous = wasLive ? undefined : (await this.#rows.findLocked([task.id])).get(task.id);
    if (previous && isSameSummary(summaryOf(previous), summary)) return [];
    return this.#index.rows(summary, retentionOf(task, this.#parts.clock.now()));
  }

  #finishSettling(stored: Task): Promise<void> {
    return this.#locks.run(taskLock(stored.id), async () => {
      const task = (await this.#rows.findLocked([stored.id])).get(stored.id);
      if (task && !isLive(task)) await this.#write(task, 'immediate');
    });
  }

  #dropTokens(ids: readonly string[]): Promise<void> {
    return this.#withLocks(ids.map(taskLock), async () => {
      const tasks = await this.#rows.findLocked(ids);
      await this.#rows.put(...[...tasks.values()].filter(isLive));
    });
  }

  /** The adapter removes an expired row when it is read, but finished tasks may never be read again. */
  async #clearExpired(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#clearedAt < DAY_MS) return;
    this.#clearedAt = now;
    await this.#parts.namespaces.finished.clearExpired();
  }

  #withLocks<T>([first, ...rest]: readonly string[], work: () => Promise<T>): Promise<T> {
    return first === undefined ? work() : this.#locks.run(first, () => this.#withLocks(rest, work));
  }
}

const durationsLock = (key: string): string => `durations ${key}`;
