import { z } from 'zod';
import { type Clock, DAY_MS } from '../../../lib/clock.ts';
import { isRecord } from '../../../lib/exact-json.ts';
import type { KeyedLock } from '../../../lib/keyed-lock.ts';
import type { FingerprintStore } from '../../orders/fingerprints.ts';
import { dropExpiredToken } from '../../tasks/delivery-state.ts';
import { isKind, type KindSpecs, type TaskKind } from '../../tasks/kind-spec.ts';
import { StoreError } from '../../tasks/store-error.ts';
import { isLive, TASK_VERSION, type Task, type TaskFacts, type TaskOf, taskFacts } from '../../tasks/task.ts';
import type { Change } from '../backend.ts';
import { type Namespace, type Namespaces, UnreadableRow } from '../namespaces.ts';
import { parseWith, type Quarantine, Rows, UNREADABLE } from './rows.ts';

/** A year, and an extra month: buttons under old results keep working, and the store does not grow forever. */
export const RETENTION_MS = 400 * DAY_MS;

export const isExpired = (settledAt: number | undefined, now: number): boolean =>
  settledAt !== undefined && now >= settledAt + RETENTION_MS;

/** For how long the rows of a finished task are kept. The adapter treats zero and negative values as "forever". */
export const retentionOf = ({ times }: Task, now: number): number =>
  Math.max(1, (times.settled ?? now) + RETENTION_MS - now);

/** Turns a record into one of the next version. */
export type Migration = (record: Record<string, unknown>) => Record<string, unknown>;

/** Migrations by the version from which they start. A change of `TASK_VERSION` adds one entry here, and no entry is ever removed. */
export const taskMigrations: ReadonlyMap<number, Migration> = new Map();

/** Returns undefined if a migration is missing. */
export function upgradeRecord(
  record: Record<string, unknown>,
  targetVersion: number,
  migrations: ReadonlyMap<number, Migration>,
): Record<string, unknown> | undefined {
  const { version } = record;
  if (version === targetVersion) return record;
  if (typeof version !== 'number') return undefined;
  const migration = migrations.get(version);
  return migration && upgradeRecord({ ...migration(record), version: version + 1 }, targetVersion, migrations);
}

export interface ReadingContext {
  readonly migrations: ReadonlyMap<number, Migration>;
  readonly specs: KindSpecs;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
}

/** The task in the current version; or why the row is unreadable, without any of its content. */
export function readTask(
  id: string,
  value: unknown,
  { migrations, specs }: Pick<ReadingContext, 'migrations' | 'specs'>,
): Task | string {
  if (value instanceof UnreadableRow || !isRecord(value)) return UNREADABLE;
  const { version } = value;
  if (typeof version === 'number' && version > TASK_VERSION)
    throw new StoreError('newer', `Task ${id} was stored by a newer Atelier. Start that version again.`);
  const record = migrate(value, migrations);
  if (!record) return 'cannot be migrated to this version';
  const { data, error } = taskFacts.safeParse(record);
  if (!data) return invalidReason(error);
  if (data.id !== id) return 'holds a different task';
  return isKind(record.kind, specs) ? parseTask(record.kind, record.request, data, specs) : 'is invalid at kind';
}

function parseTask<K extends TaskKind>(
  kind: K,
  storedRequest: unknown,
  facts: TaskFacts,
  specs: KindSpecs,
): TaskOf<K> | string {
  const { request: schema, traits } = specs[kind];
  const parsed = schema.safeParse(storedRequest);
  return parsed.success ? { ...facts, kind, request: parsed.data, traits } : invalidReason(parsed.error, 'request');
}

const invalidReason = ({ issues }: z.ZodError, ...prefix: string[]): string =>
  `is invalid at ${[...new Set(issues.map(({ path }) => [...prefix, ...path].join('.')))].join(', ')}`;

export const toRecord = ({ traits: _, ...record }: Task): object => record;

/** An unreadable row must never be written: the next start would set it aside, and the task would no longer be followed. */
export function assertReadable(task: Task, specs: KindSpecs): void {
  const record = readTask(task.id, task, { migrations: new Map(), specs });
  if (typeof record === 'string') throw new StoreError('failed', `Task ${task.id} cannot be stored: it ${record}.`);
}

/** A migration that fails makes only its record unreadable. */
function migrate(record: Record<string, unknown>, migrations: ReadonlyMap<number, Migration>) {
  try {
    return upgradeRecord(record, TASK_VERSION, migrations);
  } catch {
    return undefined;
  }
}

/** Stores tasks in two places, live and finished, so that a start reads only the live ones. */
export class TaskRows {
  readonly #namespaces: Namespaces;
  readonly #context: ReadingContext;
  readonly #locks: KeyedLock;

  constructor(namespaces: Namespaces, context: ReadingContext, locks: KeyedLock) {
    this.#namespaces = namespaces;
    this.#context = context;
    this.#locks = locks;
  }

  /** Reads both places in the order in which tasks move, so that none is missed. If one is in both, the finished one counts. */
  async find(ids: readonly string[], setAside = this.#setAside): Promise<Map<string, Task>> {
    const { live, finished } = this.#namespaces;
    const now = this.#context.clock.now();
    const tasks = await this.#readRows(live, await live.getMany(ids), setAside);
    for (const [id, task] of await this.#readRows(finished, await finished.getMany(ids), setAside)) tasks.set(id, task);
    for (const [id, task] of tasks) {
      if (isExpired(task.times.settled, now)) tasks.delete(id);
      else tasks.set(id, dropExpiredToken(task, now));
    }
    return tasks;
  }

  /** For a caller that holds the locks of these tasks: unreadable rows are skipped and set aside later. */
  findLocked(ids: readonly string[]): Promise<Map<string, Task>> {
    return this.find(ids, async () => undefined);
  }

  /** All live tasks as stored, and which of them are also stored as finished. */
  async allLive(): Promise<{ tasks: Map<string, Task>; finished: ReadonlySet<string> }> {
    const { live, finished } = this.#namespaces;
    const rows = new Map<string, unknown>();
    for await (const [id, value] of live.entries()) rows.set(id, value);
    const tasks = await this.#readRows(live, rows);
    const finishedTasks = await this.#readRows(finished, await finished.getMany([...tasks.keys()]));
    return { tasks, finished: new Set(finishedTasks.keys()) };
  }

  /** The changes that store a task, and delete a finished one from the live ones. */
  changesFor(task: Task): Change[] {
    const { live, finished, fingerprints } = this.#namespaces;
    const { id } = task;
    if (isLive(task)) return [live.row(id, toRecord(task))];
    const ttlMs = retentionOf(task, this.#context.clock.now());
    const files = fingerprintRow(task);
    return [
      ...(files ? [fingerprints.row(id, files, ttlMs)] : []),
      finished.row(id, toRecord(task), ttlMs),
      live.removal(id),
    ];
  }

  /** Writes tasks to their places, and deletes them from the other one. */
  put(...tasks: readonly Task[]): Promise<void> {
    const { live, finished } = this.#namespaces;
    const misplaced = tasks.filter(isLive).map(({ id }) => finished.removal(id));
    return live.write([...tasks.flatMap((task) => this.changesFor(task)), ...misplaced]);
  }

  async #readRows(
    namespace: Namespace,
    rows: ReadonlyMap<string, unknown>,
    setAside = this.#setAside,
  ): Promise<Map<string, Task>> {
    const tasks = new Map<string, Task>();
    for (const [id, value] of rows) {
      const record = readTask(id, value, this.#context);
      const task = typeof record === 'string' ? await setAside(namespace, id) : record;
      if (task) tasks.set(id, task);
    }
    return tasks;
  }

  /** Reads the row again under its lock: a task written in the meantime is valid, and is kept. */
  readonly #setAside = (namespace: Namespace, id: string): Promise<Task | undefined> =>
    this.#locks.run(taskLock(id), () => rowsOfTasks(namespace, this.#context).get(id));
}

export const rowsOfTasks = (namespace: Namespace, context: ReadingContext) =>
  new Rows(namespace, context.quarantine, (id, value) => readTask(id, value, context));

export const taskLock = (id: string): string => `task ${id}`;

/** The beginning of a file's hash, and its perceptual hash if it has one. */
const shortHashes = z.string().regex(/^[0-9a-f]{16}(?:[0-9a-f]{16})?$/);
const fingerprintsSchema = z.object({ files: z.array(shortHashes) });

export const fingerprintRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(fingerprintsSchema));

const HASH_LENGTH = 16;

export function fingerprintRow({ fingerprints = [] }: Task): z.output<typeof fingerprintsSchema> | undefined {
  if (fingerprints.length === 0) return undefined;
  return { files: fingerprints.map(({ hash, likeness = '' }) => hash.slice(0, HASH_LENGTH) + likeness) };
}

/** A row for each settled task that delivered files. It is deleted before its task, and an unreadable one is left to the doctor. */
export const storedFingerprints = (namespace: Namespace): FingerprintStore => ({
  async *all() {
    for await (const [taskId, value] of namespace.entries()) {
      const files = fingerprintsSchema.safeParse(value).data?.files ?? [];
      yield {
        taskId,
        files: files.map((file) => ({
          hash: file.slice(0, HASH_LENGTH),
          likeness: file.slice(HASH_LENGTH) || undefined,
        })),
      };
    }
  },
});
