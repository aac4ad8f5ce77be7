import { type Clock, DAY_MS } from '../../lib/clock.ts';

/** After this many tasks without a single callback, a gateway gets no callback URLs for a day. */
const MAX_SILENT_TASKS = 20;
/** The weight of each new task in the average: after about twenty tasks, little of the initial estimate is left. */
const NEW_TASK_WEIGHT = 0.1;
/** A smaller share counts as none, because it amounts to less than one of the most recent tasks. */
const NEGLIGIBLE_SHARE = 0.05;

export const habitNames = ['untried', 'none', 'progress', 'ends', 'both'] as const;
export type HabitName = (typeof habitNames)[number];

interface Habit {
  /** The share of tasks whose end was found without a callback. It starts at 1, so no callbacks are expected before some have been seen. */
  missedShare: number;
  progressShare: number;
  taskCount: number;
  silentTaskCount: number;
  pausedUntil: number;
}

export interface ObservedCallbacks {
  hasProgress: boolean;
  hasEnd: boolean;
  hasAny: boolean;
}

/** Which callbacks each lane sends, learned from its tasks. Only kept in memory, because twenty tasks are enough to learn it again. */
export class CallbackHabits {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Habit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the next order gets a callback URL. */
  isWorthTrying(lane: string): boolean {
    return this.#habitOf(lane).pausedUntil <= this.#clock.now();
  }

  /** Ranges from 0 (a callback arrived for every end) to 1 (none did). */
  missedShare(lane: string): number {
    return this.#habitOf(lane).missedShare;
  }

  /** Called when a task with a callback URL has ended. */
  learn(lane: string, { hasProgress, hasEnd, hasAny }: ObservedCallbacks): void {
    const habit = this.#habitOf(lane);
    habit.taskCount += 1;
    habit.missedShare += NEW_TASK_WEIGHT * ((hasEnd ? 0 : 1) - habit.missedShare);
    habit.progressShare += NEW_TASK_WEIGHT * ((hasProgress ? 1 : 0) - habit.progressShare);
    habit.silentTaskCount = hasAny ? 0 : habit.silentTaskCount + 1;
    if (habit.silentTaskCount < MAX_SILENT_TASKS) return;
    Object.assign(habit, { missedShare: 1, progressShare: 0, silentTaskCount: 0 });
    habit.pausedUntil = this.#clock.now() + DAY_MS;
  }

  /** Called when a callback arrives after its task has ended, which shows that the gateway does call back. */
  noteLateCallback(lane: string): void {
    Object.assign(this.#habitOf(lane), { silentTaskCount: 0, pausedUntil: Number.NEGATIVE_INFINITY });
  }

  get all(): { lane: string; habit: HabitName }[] {
    return [...this.#lanes].map(([lane, habit]) => ({ lane, habit: this.#nameOf(habit) }));
  }

  #nameOf({ missedShare, progressShare, taskCount, pausedUntil }: Habit): HabitName {
    if (pausedUntil > this.#clock.now()) return 'none';
    const hasEnds = missedShare < 1 - NEGLIGIBLE_SHARE;
    if (progressShare > NEGLIGIBLE_SHARE) return hasEnds ? 'both' : 'progress';
    if (hasEnds) return 'ends';
    return taskCount < MAX_SILENT_TASKS ? 'untried' : 'none';
  }

  #habitOf(name: string): Habit {
    const untried = {
      missedShare: 1,
      progressShare: 0,
      taskCount: 0,
      silentTaskCount: 0,
      pausedUntil: Number.NEGATIVE_INFINITY,
    };
    const habit = this.#lanes.get(name) ?? untried;
    this.#lanes.set(name, habit);
    return habit;
  }
}
