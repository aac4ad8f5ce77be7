import { type Clock, DAY_MS } from '../../lib/clock.ts';

/** After this many tasks without a single callback, a gateway gets no callback URLs for a day. */
const SILENT_TASKS = 20;
/** The weight of each new task in the average: after about twenty callbacks, hardly anything of the first estimate is left. */
const SHARE = 0.1;
/** Less than one of the latest few tasks. */
const HARDLY = 0.05;

export const habitNames = ['untried', 'none', 'progress', 'ends', 'both'] as const;
/** What a gateway calls back, according to observations. */
export type HabitName = (typeof habitNames)[number];

interface Habit {
  /** The share of tasks whose end was found without a callback. It starts at 1, so no callbacks are expected before some have been seen. */
  missed: number;
  progress: number;
  tasks: number;
  silentInARow: number;
  pausedUntil: number;
}

/** How callbacks accompanied one task. */
export interface Heard {
  progress: boolean;
  end: boolean;
  any: boolean;
}

/** What each lane calls back, learned from its tasks. It is kept in memory: it is learned again from twenty tasks. */
export class CallbackHabits {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #lanes = new Map<string, Habit>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Whether the next order gets a callback URL. */
  isWorthTrying(lane: string): boolean {
    return this.#lane(lane).pausedUntil <= this.#clock.now();
  }

  /** From 0, if there is a callback for every end, to 1. */
  missedShare(lane: string): number {
    return this.#lane(lane).missed;
  }

  /** Called when a task with a callback URL has ended. */
  learn(lane: string, { progress, end, any }: Heard): void {
    const habit = this.#lane(lane);
    habit.tasks += 1;
    habit.missed += SHARE * ((end ? 0 : 1) - habit.missed);
    habit.progress += SHARE * ((progress ? 1 : 0) - habit.progress);
    habit.silentInARow = any ? 0 : habit.silentInARow + 1;
    if (habit.silentInARow < SILENT_TASKS) return;
    Object.assign(habit, { missed: 1, progress: 0, silentInARow: 0 });
    habit.pausedUntil = this.#clock.now() + DAY_MS;
  }

  /** Called when a callback arrives after its task has ended, which shows that the gateway does call back. */
  noteLate(lane: string): void {
    Object.assign(this.#lane(lane), { silentInARow: 0, pausedUntil: Number.NEGATIVE_INFINITY });
  }

  get all(): { lane: string; habit: HabitName }[] {
    return [...this.#lanes].map(([lane, habit]) => ({ lane, habit: this.#nameOf(habit) }));
  }

  #nameOf({ missed, progress, tasks, pausedUntil }: Habit): HabitName {
    if (pausedUntil > this.#clock.now()) return 'none';
    const hasEnds = missed < 1 - HARDLY;
    if (progress > HARDLY) return hasEnds ? 'both' : 'progress';
    if (hasEnds) return 'ends';
    return tasks < SILENT_TASKS ? 'untried' : 'none';
  }

  #lane(name: string): Habit {
    const known = this.#lanes.get(name);
    if (known) return known;
    const habit = { missed: 1, progress: 0, tasks: 0, silentInARow: 0, pausedUntil: Number.NEGATIVE_INFINITY };
    this.#lanes.set(name, habit);
    return habit;
  }
}
