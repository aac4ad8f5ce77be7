import type { TaskKind } from '../tasks/kind-spec.ts';
import type { Task } from '../tasks/task.ts';
import type { OrderedRequest } from '../tasks/transitions.ts';
import type { OrdersContext } from './orders-context.ts';
import type { DurationHistory } from './polling/learned-schedule.ts';
import type { Line } from './submission/line.ts';

export type Outlook = ReturnType<typeof createOutlook>;

/** What members can currently expect from a model, according to its latest jobs. */
export function createOutlook({ kinds, circuits, clock }: OrdersContext, durations: DurationHistory, line: Line) {
  const typicalMs = ({ durationKey }: Pick<Task, 'durationKey'>) => durations.typicalMs(durationKey, clock.now());
  return {
    /** How long tasks like this currently take; undefined if too little is known. */
    typicalMs,

    prospectOf(order: OrderedRequest<TaskKind>) {
      const durationKey = kinds.get(order.kind)?.durationKey(order.request);
      return {
        typicalMs: durationKey === undefined ? undefined : typicalMs({ durationKey }),
        failingModel: circuits.findFailing(order),
      };
    },

    /** When the turn of a waiting task probably comes; undefined if too little is known, or if it is too soon to be mentioned. */
    turnAt(task: Task): number | undefined {
      const waitMs = line.waitMs(task, typicalMs);
      return waitMs === undefined || slowSeconds(waitMs) === undefined ? undefined : clock.now() + waitMs;
    },
  };
}

/** The typical duration, rounded to minutes; undefined if it is too short to be mentioned. */
export const slowSeconds = (typicalMs = 0): number | undefined => Math.round(typicalMs / 60_000) * 60 || undefined;
