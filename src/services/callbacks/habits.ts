import { type Clock, DAY_MS } from '../../lib/clock.ts';

/** After this many tasks without a single callback, a gateway gets no callback URLs for a day. */
const SILENT_TASKS = 20;
/** The weight of each new task in the average: after about twenty callbacks, hardly anything of the first estimate is left. */
const NEW_TASK_WEIGHT = 0.1;
/** A smaller share counts as none: it is less than one of the latest few tasks. */
const NEGLIGIBLE_SHARE = 0.05;

export const habitNames = ['untried', 'none', 'progress', 'ends', 'both'] as const;
/** Which callbacks a gateway sends, according to observations. */
export type HabitName = (typeof habitNames)[number];

interface Habit {
  /** The share of tasks whose end was found without a callback. It starts at 1, so no callbacks are expected before some have been seen. */
  missed: number;
  progress: number;
  tasks: number;
  silentInARow: number;
  pausedUntil: number;
}

/** Which callbacks arrived for one task. */
export interface ObservedCallbacks {
  progress: boolean;
  hasEnd: boolean;
  hasAny: boolean;
}

/** Which callbacks each lane sends, learned from its tasks. Only kept in memory, because twenty tasks are enough to learn it again. */
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
  learn(lane: string, { progress, hasEnd, hasAny }: ObservedCallbacks): void {
    const habit = this.#lane(lane);
    habit.tasks += 1;
    habit.missed += NEW_TASK_WEIGHT * ((hasEnd ? 0 : 1) - habit.missed);
    habit.progress += NEW_TASK_WEIGHT * ((progress ? 1 : 0) - habit.progress);
    habit.silentInARow = hasAny ? 0 : habit.silentInARow + 1;
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
    const hasEnds = missed < 1 - NEGLIGIBLE_SHARE;
    if (progress > NEGLIGIBLE_SHARE) return hasEnds ? 'both' : 'progress';
    if (hasEnds) return 'ends';
    return tasks < SILENT_TASKS ? 'untried' : 'none';
  }

  #lane(name: string): Habit {
    const existing = this.#lanes.get(name);
    if (existing) return existing;
    const habit = { missed: 1, progress: 0, tasks: 0, silentInARow: 0, pausedUntil: Number.NEGATIVE_INFINITY };
    this.#lanes.set(name, habit);
    return habit;
  }
}
