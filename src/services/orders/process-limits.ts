import type { Clock } from '../../lib/clock.ts';
import { WHOLE_STORE } from '../tasks/homes.ts';
import type { TasksLog } from './book.ts';
import type { SchedulerLimits } from './polling/capacity.ts';
import { Scheduler } from './scheduler.ts';
import type { LiveLimit } from './submission/live-limits.ts';
import { Slots } from './submission/slots.ts';

/** The share of the connections to the gateway that polls may use: members' orders need some too. */
const POLL_SHARE = 0.75;

interface LimitSettings {
  gateway: { connections: number; jobsAtOnce?: number | undefined };
  poll: { perSecond: number };
  liveLimits: Readonly<Record<'ask' | 'talk', { all: number; perMember: number }>>;
}

/**
 * This process's share of the operator's limits for the whole bot. It corresponds to the partitions that the process owns, so the shares of all
 * processes never exceed the limit. The partitions of a process use it together.
 */
export class ProcessLimits {
  readonly scheduler: Scheduler;
  readonly slots = new Slots(0);
  readonly live: Readonly<Record<'ask' | 'talk', LiveLimit>>;
  readonly #settings: LimitSettings;
  readonly #partitionCount: number;

  constructor(
    settings: LimitSettings,
    { clock, log }: { clock: Clock; log: TasksLog },
    partitionCount: number = WHOLE_STORE.count,
  ) {
    this.#settings = settings;
    this.#partitionCount = partitionCount;
    const limits = this.#pollLimits([]);
    this.scheduler = new Scheduler(clock, Math.random, log, limits);
    this.live = {
      ask: { all: new Slots(0), perMember: 0 },
      talk: { all: new Slots(0), perMember: 0 },
    };
    this.setOwnedPartitions(partitionCount === 1 ? [WHOLE_STORE.number] : []);
  }

  /** To be called with a smaller share before a partition is released, and with a larger one once it is owned. */
  setOwnedPartitions(partitions: readonly number[]): void {
    const { gateway, liveLimits } = this.#settings;
    const count = this.#partitionCount;
    this.scheduler.setLimits(this.#pollLimits(partitions));
    const { jobsAtOnce } = gateway;
    this.slots.setLimit(
      jobsAtOnce === undefined ? Number.POSITIVE_INFINITY : shareForPartitions(jobsAtOnce, { partitions, count }),
    );
    for (const kind of ['ask', 'talk'] as const) {
      this.live[kind].all.setLimit(shareForPartitions(liveLimits[kind].all, { partitions, count }));
      this.live[kind].perMember = liveLimits[kind].perMember;
    }
  }

  /** How many connections to the gateway a process with these partitions may have. It needs one besides that of an answer that is being streamed. */
  connectionCount(partitions: readonly number[]): number {
    return Math.max(
      2,
      shareForPartitions(this.#settings.gateway.connections, { partitions, count: this.#partitionCount }),
    );
  }

  #pollLimits(partitions: readonly number[]): SchedulerLimits {
    // Without a partition there is nothing to poll.
    const perSecond = (this.#settings.poll.perSecond * Math.max(1, partitions.length)) / this.#partitionCount;
    return { perSecond, inFlight: Math.max(1, Math.floor(this.connectionCount(partitions) * POLL_SHARE)) };
  }
}

/** The part of a limit that falls to these partitions: a whole number, and the parts of all partitions add up to the limit. */
export function shareForPartitions(
  limit: number,
  { partitions, count }: { partitions: readonly number[]; count: number },
): number {
  const cumulativeShare = (partition: number): number => Math.floor((limit * partition) / count);
  return partitions.reduce((sum, partition) => sum + cumulativeShare(partition + 1) - cumulativeShare(partition), 0);
}
