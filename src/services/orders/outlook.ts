import type { TaskKind } from '../tasks/kind-spec.ts';
import type { Task } from '../tasks/task.ts';
import type { OrderedRequest } from '../tasks/transitions.ts';
import type { OrdersContext } from './orders-context.ts';
import type { DurationHistory } from './polling/learned-schedule.ts';
import type { Line } from './submission/line.ts';

/** What members can currently expect from a model, according to its latest jobs. */
export class Outlook {
  readonly #context: OrdersContext;
  readonly #durations: DurationHistory;
  readonly #line: Line;

  constructor(context: OrdersContext, durations: DurationHistory, line: Line) {
    this.#context = context;
    this.#durations = durations;
    this.#line = line;
  }

  prospectOf(order: OrderedRequest<TaskKind>) {
    const { kinds, circuits, clock } = this.#context;
    const key = kinds.get(order.kind)?.durationKey(order.request);
    return {
      /** How long such tasks currently take. Undefined if too little is known. */
      typicalMs: key === undefined ? undefined : this.#durations.typicalMs(key, clock.now()),
      failingModel: circuits.findFailing(order),
    };
  }

  /** How long tasks like this currently take; undefined if too little is known. */
  typicalMs({ durationKey }: Task): number | undefined {
    return this.#durations.typicalMs(durationKey, this.#context.clock.now());
  }

  /** When the turn of a waiting task probably comes; undefined if too little is known, or if it is too soon to be mentioned. */
  turnAt(task: Task): number | undefined {
    const waitMs = this.#line.waitMs(task, (one) => this.typicalMs(one));
    return waitMs === undefined || slowSeconds(waitMs) === undefined ? undefined : this.#context.clock.now() + waitMs;
  }
}

/** The typical duration, rounded to minutes; undefined if it is too short to be mentioned. */
export const slowSeconds = (typicalMs = 0): number | undefined => Math.round(typicalMs / 60_000) * 60 || undefined;
