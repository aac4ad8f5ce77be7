import type { Clock } from '../../src/lib/clock.ts';
import type { Lane, Trouble, Verdict } from '../../src/services/orders/polling/lane.ts';
import { type FollowedTask, Scheduler } from '../../src/services/orders/scheduler.ts';

/** The same jitter as the scheduler's own. */
const JITTER = 0.1;

/**
 * The scheduler as the engine sees it, with a counter of its polls. If polls are also timed, verdicts are jittered here instead of in the
 * scheduler, so that the time at which each poll is due is known.
 */
export class WatchedScheduler extends Scheduler {
  readonly #clock: Clock;
  readonly #isTimed: boolean;
  readonly #lanes = new Map<Lane, Lane>();
  readonly #dueTimes = new Map<string, number>();
  requests = 0;
  polls = 0;
  lateness: number[] = [];
  trouble: Trouble | undefined;

  constructor(isTimed: boolean, ...parts: ConstructorParameters<typeof Scheduler>) {
    super(...parts);
    [this.#clock] = parts;
    this.#isTimed = isTimed;
  }

  override add({ lane, ...followed }: FollowedTask): void {
    super.add({ ...followed, lane: this.#wrap(lane) });
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
