import {
  type Duration,
  MAX_DURATIONS_PER_KEY,
  type TaskPage,
  type TaskStore,
} from '../../src/services/orders/task-store.ts';
import { isLive, type Task } from '../../src/services/tasks/task.ts';

/** The parts of a store that a run needs, in memory: nothing measured here depends on how tasks are stored. */
export class MemoryStore implements Omit<TaskStore, 'erasures'> {
  readonly #live = new Map<string, Task>();
  readonly #durations = new Map<string, Duration[]>();
  #lastPoll: { at: number } | undefined;

  async live(): Promise<Task[]> {
    return [...this.#live.values()];
  }

  async get(id: string): Promise<Task | undefined> {
    return this.#live.get(id);
  }

  async put(task: Task): Promise<void> {
    if (isLive(task)) this.#live.set(task.id, task);
    else this.#live.delete(task.id);
  }

  async remove({ id }: Task): Promise<void> {
    this.#live.delete(id);
  }

  async page(): Promise<TaskPage> {
    return { summaries: [], next: undefined };
  }

  async addDuration(key: string, duration: Duration): Promise<void> {
    this.#durations.set(key, [...(this.#durations.get(key) ?? []), duration].slice(-MAX_DURATIONS_PER_KEY));
  }

  async durations(key: string): Promise<Duration[]> {
    return this.#durations.get(key) ?? [];
  }

  readonly polling = {
    read: async (): Promise<{ at: number } | undefined> => this.#lastPoll,
    write: async (mark: { at: number }): Promise<void> => {
      this.#lastPoll = mark;
    },
  };

  async findByRemoteId(): Promise<undefined> {
    return undefined;
  }

  readonly sentOrders = {
    put: async (): Promise<void> => undefined,
    read: async (): Promise<undefined> => undefined,
  };

  async removeStaleSummaries(): Promise<void> {
    throw new Error('A run erases no data.');
  }

  async close(): Promise<void> {
    this.#live.clear();
  }
}
