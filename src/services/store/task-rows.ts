import type { Clock } from '../../lib/clock.ts';
import type { KeyedLock } from '../../lib/keyed-lock.ts';
import { withoutExpiredToken } from '../tasks/delivery-state.ts';
import { isLive, type Task } from '../tasks/task.ts';
import { type Quarantine, Rows } from './rows.ts';
import type { Shelf } from './shelf.ts';
import { isPast, RETENTION_MS, readTask, recordOf, type TaskReading } from './task-record.ts';

export interface TaskRowsParts {
  live: Shelf;
  finished: Shelf;
  quarantine: Quarantine;
  locks: KeyedLock;
  clock: Clock;
  reading: TaskReading;
}

/** The tasks themselves, live and finished ones apart: what is left to do is then found in one short way through. */
export class TaskRows {
  readonly #parts: TaskRowsParts;

  constructor(parts: TaskRowsParts) {
    this.#parts = parts;
  }

  /**
   * Both places are looked at, in the order of a task's own way, so that one that moves meanwhile is seen at least once. Where it is in
   * both, the finished one is right.
   */
  async find(ids: readonly string[], setAside = this.#setAside): Promise<Map<string, Task>> {
    const { live, finished, clock } = this.#parts;
    const now = clock.now();
    const tasks = await this.#fitting(live, await live.getMany(ids), setAside);
    for (const [id, task] of await this.#fitting(finished, await finished.getMany(ids), setAside)) tasks.set(id, task);
    for (const [id, task] of tasks) {
      if (isPast(task.times.settled, now)) tasks.delete(id);
      else tasks.set(id, withoutExpiredToken(task, now));
    }
    return tasks;
  }

  /** For a caller that holds the locks of these tasks: what cannot be read is left for another time. */
  findLocked(ids: readonly string[]): Promise<Map<string, Task>> {
    return this.find(ids, async () => undefined);
  }

  /** All that lies among the live ones, as it was stored, and which of them are finished as well. */
  async allLive(): Promise<{ tasks: Map<string, Task>; finished: ReadonlySet<string> }> {
    const { live, finished } = this.#parts;
    const rows = new Map<string, unknown>();
    for await (const [id, value] of live.entries()) rows.set(id, value);
    const tasks = await this.#fitting(live, rows);
    const both = await this.#fitting(finished, await finished.getMany([...tasks.keys()]));
    return { tasks, finished: new Set(both.keys()) };
  }

  /** Every task that can be read, whether live or finished, in no order; one that lies in both places comes as the finished one. */
  async *all(): AsyncGenerator<Task> {
    const { live, finished } = this.#parts;
    for (const shelf of [live, finished]) {
      for await (const [id] of shelf.entries()) {
        const task = (await this.find([id])).get(id);
        if (task && isLive(task) === (shelf === live)) yield task;
      }
    }
  }

  isLive(id: string): Promise<boolean> {
    return this.#parts.live.has(id);
  }

  async putLive(...tasks: Task[]): Promise<void> {
    await this.#parts.live.putMany(tasks.map((task) => ({ key: task.id, value: recordOf(task) })));
  }

  async putFinished(task: Task): Promise<void> {
    const { finished, clock } = this.#parts;
    const left = (task.times.settled ?? clock.now()) + RETENTION_MS - clock.now();
    // Zero and less would mean "for ever" to the adapter.
    await finished.put(task.id, recordOf(task), Math.max(1, left));
  }

  /** Written where it belongs before it goes from where it does not. */
  async putRightly(task: Task): Promise<void> {
    await (isLive(task) ? this.putLive(task) : this.putFinished(task));
    await (isLive(task) ? this.removeFinished(task.id) : this.removeLive(task.id));
  }

  removeLive(id: string): Promise<void> {
    return this.#parts.live.delete(id);
  }

  removeFinished(id: string): Promise<void> {
    return this.#parts.finished.delete(id);
  }

  async #fitting(
    shelf: Shelf,
    rows: ReadonlyMap<string, unknown>,
    setAside = this.#setAside,
  ): Promise<Map<string, Task>> {
    const tasks = new Map<string, Task>();
    for (const [id, value] of rows) {
      const record = readTask(id, value, this.#parts.reading);
      const task = typeof record === 'string' ? await setAside(shelf, id) : record;
      if (task) tasks.set(id, task);
    }
    return tasks;
  }

  /** Looked at once more while nobody writes it: what was written meanwhile is good, and stays. */
  readonly #setAside = (shelf: Shelf, id: string): Promise<Task | undefined> => {
    const { locks, quarantine, reading } = this.#parts;
    return locks.run(taskLock(id), () => taskRows(shelf, quarantine, reading).get(id));
  };
}

/** The tasks of one place as they lie there. */
export const taskRows = (shelf: Shelf, quarantine: Quarantine, reading: TaskReading) =>
  new Rows(shelf, quarantine, (id, value) => readTask(id, value, reading));

export const taskLock = (id: string): string => `task ${id}`;
