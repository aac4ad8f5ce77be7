import type { InProcessScheduler } from './in-process.ts';
import type { FollowedTask, LaneTrouble, PollOutcome, Scheduler } from './scheduler.ts';

type SharedScheduler = Pick<
  InProcessScheduler,
  'add' | 'hint' | 'remove' | 'removeAll' | 'finishRunning' | 'pressure' | 'troubles' | 'laneNames' | 'onPoll'
>;

/** The tasks of one partition in the scheduler of a process that owns several: all of them share its budget and its polls. */
export class PartitionScheduler implements Scheduler {
  readonly #shared: SharedScheduler;
  readonly #isOwn: (id: string) => boolean;
  /** The tasks that were added before the start. */
  readonly #pending = new Map<string, FollowedTask>();
  #isRunning = false;

  constructor(shared: SharedScheduler, isOwn: (id: string) => boolean) {
    this.#shared = shared;
    this.#isOwn = isOwn;
  }

  add(followed: FollowedTask): void {
    if (this.#isRunning) this.#shared.add(followed);
    else this.#pending.set(followed.id, followed);
  }

  hint(id: string): void {
    this.#shared.hint(id);
  }

  remove(id: string): void {
    this.#pending.delete(id);
    this.#shared.remove(id);
  }

  start(): void {
    this.#isRunning = true;
    for (const followed of this.#pending.values()) this.#shared.add(followed);
    this.#pending.clear();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#shared.removeAll(this.#isOwn);
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
