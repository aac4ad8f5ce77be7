import type { InProcessScheduler } from './in-process.ts';
import type { FollowedTask, LaneTrouble, PollOutcome, Scheduler } from './scheduler.ts';

type SharedScheduler = Pick<
  InProcessScheduler,
  'add' | 'hint' | 'remove' | 'removeAll' | 'finishRunning' | 'pressure' | 'troubles' | 'laneNames' | 'onPoll'
>;

/** The tasks of one partition in the scheduler of a process that owns several: all of them share its budget and its polls. */
export class PartitionScheduler implements Scheduler {
  readonly #shared: SharedScheduler;
  readonly #isOwnTask: (id: string) => boolean;
  /** The tasks that were added before the start. */
  readonly #pendingTasks = new Map<string, FollowedTask>();
  #isRunning = false;

  constructor(shared: SharedScheduler, isOwnTask: (id: string) => boolean) {
    this.#shared = shared;
    this.#isOwnTask = isOwnTask;
  }

  add(task: FollowedTask): void {
    if (this.#isRunning) this.#shared.add(task);
    else this.#pendingTasks.set(task.id, task);
  }

  hint(id: string): void {
    this.#shared.hint(id);
  }

  remove(id: string): void {
    this.#pendingTasks.delete(id);
    this.#shared.remove(id);
  }

  start(): void {
    this.#isRunning = true;
    for (const task of this.#pendingTasks.values()) this.#shared.add(task);
    this.#pendingTasks.clear();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#shared.removeAll(this.#isOwnTask);
    await this.#shared.finishRunning();
  }

  get pressure(): number {
    return this.#shared.pressure;
  }

  troubles(): LaneTrouble[] {
    return this.#shared.troubles();
  }

  get laneNames(): readonly string[] {
    return this.#shared.laneNames;
  }

  onPoll(listener: (lane: string, outcome: PollOutcome) => void): void {
    this.#shared.onPoll(listener);
  }
}
