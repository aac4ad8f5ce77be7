import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Clock } from '../../../src/lib/clock.ts';
import type { SchedulerLimits } from '../../../src/services/polling/capacity.ts';
import { InProcessScheduler } from '../../../src/services/polling/in-process.ts';
import type { Lane, Trouble, Verdict } from '../../../src/services/polling/scheduler.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Timers } from './timers.ts';

type Answer = ReadonlyMap<string, Verdict> | Trouble;

export interface Question {
  lane: string;
  ids: readonly string[];
  /** Milliseconds since the stage was set up. */
  at: number;
}

/** A poll that waits for the test's response. */
interface Open extends Question {
  answer(answer: Answer): void;
  fail(error: Error): void;
}

export interface Line {
  level: 'debug' | 'info' | 'warn' | 'error';
  sentence: string;
  facts: Record<string, unknown>;
}

interface Setting {
  limits?: Partial<SchedulerLimits>;
  random?: () => number;
}

/** A machine whose clock can be set while its timers continue unchanged. */
class SettableClock implements Clock {
  readonly #time: Clock;
  #setBy = 0;

  constructor(time: Clock) {
    this.#time = time;
  }

  now(): number {
    return this.#time.now() + this.#setBy;
  }

  after(ms: number, task: () => void): () => void {
    return this.#time.after(ms, task);
  }

  set(by: number): void {
    this.#setBy += by;
  }
}

const plenty: SchedulerLimits = { perSecond: 10_000, inFlight: 1_000 };

/** A scheduler on a manual clock, with all its polls and log lines recorded. */
export function stage({ limits = plenty, random = () => 0.5 }: Setting = {}) {
  const world = new ManualClock();
  const time = new Timers(world);
  const machine = new SettableClock(time);
  const own = new Timers(machine);
  const began = time.now();
  const questions: Question[] = [];
  const open: Open[] = [];
  const lines: Line[] = [];
  const say =
    (level: Line['level']) =>
    (facts: object, sentence: string): void => {
      lines.push({ level, sentence, facts: { ...facts } });
    };
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const scheduler = new InProcessScheduler({ clock: own, random, log, limits });

  const noted = (lane: string, ids: readonly string[]): Question => {
    const question = { lane, ids, at: time.now() - began };
    questions.push(question);
    return question;
  };
  return {
    scheduler,
    time,
    /** The scheduler's clock, which shows the manual time unless it is set. */
    machine,
    /** The timers of the scheduler only. */
    own,
    questions,
    /** Polls of a `patient` lane without a response yet. */
    open,
    lines,
    now: () => time.now() - began,
    at: (ms: number) => began + ms,
    /** A lane that responds immediately. */
    lane: (name: string, answer: (ids: readonly string[]) => Answer, max = 1): Lane => ({
      name,
      max,
      poll: async (ids) => {
        noted(name, ids);
        return answer(ids);
      },
    }),
    /** A lane whose polls the test responds to. */
    patient: (name: string, max = 1): Lane => ({
      name,
      max,
      poll: (ids) =>
        new Promise((resolve, reject) => {
          open.push({ ...noted(name, ids), answer: resolve, fail: reject });
        }),
    }),
    /** Advances time from timer to timer, so that every response arrives at the right time. */
    async pass(ms: number): Promise<void> {
      const end = time.now() + ms;
      await turnOfTheLoop();
      while (time.next <= end) {
        world.advance(Math.max(0, time.next - time.now()));
        await turnOfTheLoop();
      }
      world.advance(end - time.now());
      await turnOfTheLoop();
    },
  };
}

/** Returns the same verdict for every polled task. */
export function all(ids: readonly string[], verdict: Verdict): ReadonlyMap<string, Verdict> {
  return new Map(ids.map((id) => [id, verdict]));
}
