import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Clock } from '../../../../src/lib/clock.ts';
import type { SchedulerLimits } from '../../../../src/services/orders/polling/capacity.ts';
import type { Lane, Trouble, Verdict } from '../../../../src/services/orders/polling/lane.ts';
import { Scheduler } from '../../../../src/services/orders/scheduler.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { CountingClock } from './timers.ts';

type PollResult = ReadonlyMap<string, Verdict> | Trouble;

export interface RecordedPoll {
  lane: string;
  ids: readonly string[];
  /** In milliseconds since the fixture was created. */
  at: number;
}

/** A poll that waits for the test's response. */
interface PendingPoll extends RecordedPoll {
  answer(answer: PollResult): void;
  fail(error: Error): void;
}

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  facts: Record<string, unknown>;
}

interface FixtureOptions {
  limits?: Partial<SchedulerLimits>;
  random?: () => number;
}

/** A system clock that can be set while its timers continue unchanged. */
class SettableClock implements Clock {
  readonly #time: Clock;
  #offsetMs = 0;

  constructor(time: Clock) {
    this.#time = time;
  }

  now(): number {
    return this.#time.now() + this.#offsetMs;
  }

  after(ms: number, task: () => void): () => void {
    return this.#time.after(ms, task);
  }

  set(ms: number): void {
    this.#offsetMs += ms;
  }
}

const generousLimits: SchedulerLimits = { perSecond: 10_000, inFlight: 1_000 };

/** A scheduler on a manual clock, with all its polls and log lines recorded. */
export function createFixture({ limits = generousLimits, random = () => 0.5 }: FixtureOptions = {}) {
  const manualClock = new ManualClock();
  const time = new CountingClock(manualClock);
  const machine = new SettableClock(time);
  const timers = new CountingClock(machine);
  const startedAt = time.now();
  const polls: RecordedPoll[] = [];
  const pendingPolls: PendingPoll[] = [];
  const lines: LogLine[] = [];
  const recordLine =
    (level: LogLine['level']) =>
    (facts: object, message: string): void => {
      lines.push({ level, message, facts: { ...facts } });
    };
  const log = {
    debug: recordLine('debug'),
    info: recordLine('info'),
    warn: recordLine('warn'),
    error: recordLine('error'),
  };
  const scheduler = new Scheduler(timers, random, log, { ...generousLimits, ...limits });

  const recordPoll = (lane: string, ids: readonly string[]): RecordedPoll => {
    const poll = { lane, ids, at: time.now() - startedAt };
    polls.push(poll);
    return poll;
  };
  return {
    scheduler,
    time,
    /** The scheduler's clock, which shows the manual time unless it is set. */
    machine,
    /** The timers of the scheduler only. */
    timers,
    polls,
    /** All polls of a `manualLane`, to which the test responds. */
    pendingPolls,
    lines,
    now: () => time.now() - startedAt,
    at: (ms: number) => startedAt + ms,
    /** A lane that responds immediately. */
    lane: (name: string, answer: (ids: readonly string[]) => PollResult, max = 1): Lane => ({
      name,
      max,
      poll: async (ids) => {
        recordPoll(name, ids);
        return answer(ids);
      },
    }),
    /** A lane whose polls wait until the test responds to them. */
    manualLane: (name: string, max = 1): Lane => ({
      name,
      max,
      poll: (ids) =>
        new Promise((resolve, reject) => {
          pendingPolls.push({ ...recordPoll(name, ids), answer: resolve, fail: reject });
        }),
    }),
    /** Advances time from timer to timer, so that every response arrives at the right time. */
    async pass(ms: number): Promise<void> {
      const end = time.now() + ms;
      await turnOfTheLoop();
      while (time.next <= end) {
        manualClock.advance(Math.max(0, time.next - time.now()));
        await turnOfTheLoop();
      }
      manualClock.advance(end - time.now());
      await turnOfTheLoop();
    },
  };
}

/** Returns the same verdict for every polled task. */
export function verdictForAll(ids: readonly string[], verdict: Verdict): ReadonlyMap<string, Verdict> {
  return new Map(ids.map((id) => [id, verdict]));
}
