import type { Clock } from '../../lib/clock.ts';
import type { DurationHistory } from '../polling/learned-schedule.ts';
import type { FailingModel, ModelCircuits } from './circuits.ts';
import type { Kind } from './kind.ts';
import type { TaskKind } from './kind-spec.ts';
import type { Task } from './task.ts';
import type { OrderedRequest } from './transitions.ts';

export interface Prospect {
  /** How long such tasks currently take. Undefined if too little is known. */
  typicalMs: number | undefined;
  failingModel: FailingModel | undefined;
}

interface OutlookParts {
  kinds: ReadonlyMap<TaskKind, Kind>;
  durations: DurationHistory;
  circuits: ModelCircuits | undefined;
  clock: Clock;
}

/** What members can currently expect from a model, according to its latest jobs. */
export class Outlook {
  readonly #parts: OutlookParts;

  constructor(parts: OutlookParts) {
    this.#parts = parts;
  }

  prospectOf(order: OrderedRequest<TaskKind>): Prospect {
    const { kinds, durations, circuits, clock } = this.#parts;
    const key = kinds.get(order.kind)?.durationKey(order.request);
    return {
      typicalMs: key === undefined ? undefined : durations.typicalMs(key, clock.now()),
      failingModel: circuits?.findFailing(order),
    };
  }

  typicalMs({ durationKey }: Task): number | undefined {
    const { durations, clock } = this.#parts;
    return durations.typicalMs(durationKey, clock.now());
  }
}

const MINUTE_MS = 60_000;

/** The typical duration in whole minutes; undefined if it is too short to be mentioned. */
export function slowMinutes(typicalMs: number | undefined): number | undefined {
  const minutes = Math.round((typicalMs ?? 0) / MINUTE_MS);
  return minutes >= 1 ? minutes : undefined;
}
