import type { Clock } from '../../src/lib/clock.ts';

interface Appointment {
  /** In the gateway's own time. */
  readonly at: number;
  readonly task: () => void;
  cancel: () => void;
}

interface Stretch {
  readonly speed: number;
  /** Of the gateway's own time, and of the clock's, where it begins. */
  readonly elapsed: number;
  readonly at: number;
}

/** The gateway's own time, `speed` times as fast as the clock's. A new speed also holds for what is already under way. */
export class Pace {
  readonly #clock: Clock;
  readonly #appointments = new Set<Appointment>();
  /** One for each speed there was, the present one last. */
  readonly #stretches: [Stretch, ...Stretch[]];

  constructor(clock: Clock, speed: number) {
    this.#clock = clock;
    this.#stretches = [{ speed: checkedSpeed(speed), elapsed: 0, at: clock.now() }];
  }

  get speed(): number {
    return this.#now.speed;
  }

  /** Whole milliseconds since the epoch, as the clock has them: what answers show. */
  now(): number {
    return Math.floor(this.#clock.now());
  }

  /** Milliseconds of the gateway's own time since it began. */
  elapsed(): number {
    const { elapsed, at, speed } = this.#now;
    return elapsed + (this.#clock.now() - at) * speed;
  }

  /** What the clock said when so much had elapsed. */
  whenWas(elapsed: number): number {
    const stretch = this.#stretches.findLast((one) => one.elapsed <= elapsed) ?? this.#stretches[0];
    return stretch.at + (elapsed - stretch.elapsed) / stretch.speed;
  }

  after(ms: number, task: () => void): () => void {
    const appointment: Appointment = { at: this.elapsed() + ms, task, cancel: () => undefined };
    this.#appointments.add(appointment);
    this.#arrange(appointment);
    return () => {
      this.#appointments.delete(appointment);
      appointment.cancel();
    };
  }

  setSpeed(speed: number): void {
    checkedSpeed(speed);
    this.#stretches.push({ speed, elapsed: this.elapsed(), at: this.#clock.now() });
    for (const appointment of this.#appointments) {
      appointment.cancel();
      this.#arrange(appointment);
    }
  }

  stop(): void {
    for (const appointment of this.#appointments) appointment.cancel();
    this.#appointments.clear();
  }

  get #now(): Stretch {
    return this.#stretches.at(-1) ?? this.#stretches[0];
  }

  #arrange(appointment: Appointment): void {
    appointment.cancel = this.#clock.after(Math.max(0, appointment.at - this.elapsed()) / this.speed, () => {
      this.#appointments.delete(appointment);
      appointment.task();
    });
  }
}

function checkedSpeed(speed: number): number {
  if (!(speed > 0 && speed <= 100_000))
    throw new RangeError(`The speed is a number above 0 and at most 100000, not ${speed}.`);
  return speed;
}
