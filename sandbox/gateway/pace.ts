import type { Clock } from '../clock.ts';

interface ScheduledTask {
  /** In the gateway's own time. */
  readonly at: number;
  readonly task: () => void;
  cancel: () => void;
}

interface SpeedPeriod {
  readonly speed: number;
  /** The start of the period: `elapsed` in the gateway's own time, `at` in the clock's time. */
  readonly elapsed: number;
  readonly at: number;
}

/** The gateway's own time, which runs `speed` times as fast as the clock. A new speed also applies to scheduled tasks. */
export class Pace {
  readonly #clock: Clock;
  readonly #scheduledTasks = new Set<ScheduledTask>();
  /** The periods of constant speed, the current one last. */
  readonly #periods: [SpeedPeriod, ...SpeedPeriod[]];

  constructor(clock: Clock, speed: number) {
    this.#clock = clock;
    this.#periods = [{ speed: checkSpeed(speed), elapsed: 0, at: clock.now() }];
  }

  get speed(): number {
    return this.#current.speed;
  }

  /** The clock's time in whole milliseconds since the epoch, for timestamps in responses. */
  now(): number {
    return Math.floor(this.#clock.now());
  }

  /** The gateway's own time: milliseconds since its start. */
  elapsed(): number {
    const { elapsed, at, speed } = this.#current;
    return elapsed + (this.#clock.now() - at) * speed;
  }

  /** Converts the gateway's own time to the clock's time. */
  clockTimeAt(elapsed: number): number {
    const period = this.#periods.findLast((one) => one.elapsed <= elapsed) ?? this.#periods[0];
    return period.at + (elapsed - period.elapsed) / period.speed;
  }

  after(ms: number, task: () => void): () => void {
    const scheduled: ScheduledTask = { at: this.elapsed() + ms, task, cancel: () => undefined };
    this.#scheduledTasks.add(scheduled);
    this.#schedule(scheduled);
    return () => {
      this.#scheduledTasks.delete(scheduled);
      scheduled.cancel();
    };
  }

  setSpeed(speed: number): void {
    checkSpeed(speed);
    this.#periods.push({ speed, elapsed: this.elapsed(), at: this.#clock.now() });
    for (const scheduled of this.#scheduledTasks) {
      scheduled.cancel();
      this.#schedule(scheduled);
    }
  }

  stop(): void {
    for (const scheduled of this.#scheduledTasks) scheduled.cancel();
    this.#scheduledTasks.clear();
  }

  get #current(): SpeedPeriod {
    return this.#periods.at(-1) ?? this.#periods[0];
  }

  #schedule(scheduled: ScheduledTask): void {
    scheduled.cancel = this.#clock.after(Math.max(0, scheduled.at - this.elapsed()) / this.speed, () => {
      this.#scheduledTasks.delete(scheduled);
      scheduled.task();
    });
  }
}

function checkSpeed(speed: number): number {
  if (!(speed > 0 && speed <= 100_000))
    throw new RangeError(`The speed must be a number above 0 and at most 100000, not ${speed}.`);
  return speed;
}
