import type { Clock } from '../../src/lib/clock.ts';
import type {
  FollowedTask,
  Lane,
  LaneTrouble,
  Scheduler,
  Trouble,
  Verdict,
} from '../../src/services/polling/scheduler.ts';

/** The same jitter as the scheduler's own. */
const JITTER = 0.1;

/**
 * The scheduler as the engine sees it, with a counter of its polls. If polls are also timed, verdicts are jittered here instead of in the
 * scheduler, so that the time at which each poll is due is known.
 */
export class WatchedScheduler implements Scheduler {
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #isTimed: boolean;
  readonly #lanes = new Map<Lane, Lane>();
  readonly #dueTimes = new Map<string, number>();
  requests = 0;
  polls = 0;
  lateness: number[] = [];
  trouble: Trouble | undefined;

  constructor(scheduler: Scheduler, clock: Clock, isTimed: boolean) {
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#isTimed = isTimed;
  }

  get pressure(): number {
    return this.#scheduler.pressure;
  }

  add({ lane, ...followed }: FollowedTask): void {
    this.#scheduler.add({ ...followed, lane: this.#wrap(lane) });
  }

  hint(id: string): void {
    this.#scheduler.hint(id);
  }

  remove(id: string): void {
    this.#scheduler.remove(id);
  }

  start(): void {
    this.#scheduler.start();
  }

  stop(): Promise<void> {
    return this.#scheduler.stop();
  }

  troubles(): LaneTrouble[] {
    return this.#scheduler.troubles();
  }

  get laneNames(): readonly string[] {
    return this.#scheduler.laneNames;
  }

  onPoll(listener: Parameters<Scheduler['onPoll']>[0]): void {
    this.#scheduler.onPoll(listener);
  }

  reset(): void {
    this.requests = 0;
    this.polls = 0;
    this.lateness = [];
  }

  #wrap(lane: Lane): Lane {
    const existing = this.#lanes.get(lane);
    if (existing) return existing;
    const wrappedLane: Lane = {
      ...lane,
      poll: async (ids, permit) => {
        this.requests += 1;
        this.polls += ids.length;
        if (this.#isTimed) this.#recordLateness(ids);
        const result = await lane.poll(ids, permit);
        if ('kind' in result) {
          this.trouble ??= result;
          return result;
        }
        return this.#isTimed ? new Map([...result].map(([id, verdict]) => [id, this.#addJitter(id, verdict)])) : result;
      },
    };
    this.#lanes.set(lane, wrappedLane);
    return wrappedLane;
  }

  #recordLateness(ids: readonly string[]): void {
    const now = this.#clock.now();
    for (const id of ids) {
      const dueAt = this.#dueTimes.get(id);
      if (dueAt !== undefined) this.lateness.push(now - dueAt);
    }
  }

  #addJitter(id: string, verdict: Verdict | Trouble): Verdict | Trouble {
    if (typeof verdict === 'string' || 'kind' in verdict) return verdict;
    const now = this.#clock.now();
    const again = now + (verdict.again - now) * (1 - JITTER + 2 * JITTER * Math.random());
    this.#dueTimes.set(id, again);
    return { again };
  }
}
