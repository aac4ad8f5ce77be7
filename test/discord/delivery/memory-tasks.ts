import { expect } from 'vitest';
import { Refusal } from '../../../src/lib/refusal.ts';
import { isLive, type Task } from '../../../src/services/tasks/task.ts';

/** Polls until the condition holds; otherwise the test times out. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 2 }).toBe(true);
}

/** Implements the two task interfaces that the delivery uses, in memory. Writes can be made to fail, as on a full disk. */
export class MemoryTasks {
  readonly #tasks = new Map<string, Task>();
  /** Decides whether a change fails. */
  shouldFail: (previous: Task, next: Task) => boolean = () => false;
  failures = 0;
  /** The number of attempted changes, including failed ones. */
  attemptedChanges = 0;

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
    this.attemptedChanges += 1;
    const previous = this.get(id);
    const next = transition(previous);
    if (next === previous) return previous;
    if (this.shouldFail(previous, next)) {
      this.failures += 1;
      throw new Error('The disk is full.');
    }
    this.#tasks.set(id, next);
    return next;
  }

  async waitUntilSettled(id: string): Promise<Task> {
    await waitUntil(() => !isLive(this.get(id)));
    return this.get(id);
  }

  async waitForEdits(id: string, count: number): Promise<Task> {
    await waitUntil(() => this.get(id).delivery.progressEdits >= count);
    return this.get(id);
  }
}
