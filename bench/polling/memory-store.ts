import type { Task } from '../../src/services/tasks/task.ts';
import { type Duration, KEPT_DURATIONS, type TaskPage, type TaskStore } from '../../src/services/tasks/task-store.ts';

/** What a run needs of a store, without its cost: nothing of what is measured here depends on how tasks are stored. */
export class MemoryStore implements TaskStore {
  readonly #durations = new Map<string, Duration[]>();

  async live(): Promise<Task[]> {
    return [];
  }

  async get(): Promise<undefined> {
    return undefined;
  }

  async put(): Promise<void> {}

  async remove(): Promise<void> {}

  async page(): Promise<TaskPage> {
    return { lines: [], next: undefined };
  }

  async addDuration(key: string, duration: Duration): Promise<void> {
    this.#durations.set(key, [...(this.#durations.get(key) ?? []), duration].slice(-KEPT_DURATIONS));
  }

  async durations(key: string): Promise<Duration[]> {
    return this.#durations.get(key) ?? [];
  }

  async noteAsking(): Promise<void> {}

  async askingUntil(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {}
}
