import { vi } from 'vitest';
import { Refusal } from '../../../src/lib/refusal.ts';
import { isLive, type Task } from '../../../src/services/tasks/task.ts';

/** Looks again and again; what never comes fails the test. */
export async function until(isSo: () => boolean): Promise<void> {
  await vi.waitUntil(isSo, { interval: 2, timeout: 20_000 });
}

/** Tasks in memory, behind the two doors that a delivery knows. It can be told to fail as a full disk does. */
export class Shelf {
  readonly #tasks = new Map<string, Task>();
  /** Says of a change whether the store cannot take it. */
  failsOn: (before: Task, after: Task) => boolean = () => false;
  failures = 0;
  /** How often it was asked for a change, whatever came of it. */
  asked = 0;

  put(task: Task): void {
    this.#tasks.set(task.id, task);
  }

  remove(id: string): void {
    this.#tasks.delete(id);
  }

  get(id: string): Task {
    const task = this.#tasks.get(id);
    if (!task) throw new Refusal('refusals.unknownTask');
    return task;
  }

  async change(id: string, transition: (task: Task) => Task): Promise<Task> {
    this.asked += 1;
    const before = this.get(id);
    const after = transition(before);
    if (after === before) return before;
    if (this.failsOn(before, after)) {
      this.failures += 1;
      throw new Error('The disk is full.');
    }
    this.#tasks.set(id, after);
    return after;
  }

  async settled(id: string): Promise<Task> {
    await until(() => !isLive(this.get(id)));
    return this.get(id);
  }

  async edits(id: string, count: number): Promise<Task> {
    await until(() => this.get(id).delivery.progressEdits >= count);
    return this.get(id);
  }
}
