import { isRecord } from '../../lib/exact-json.ts';
import { malformedError } from './errors.ts';
import { type CallOptions, Resource } from './http.ts';
import { asList, asText, asTime, firstAt, places } from './places.ts';
import { taskId, validate } from './schemas.ts';

export interface FineTuneEvent {
  id: string | undefined;
  at: number | undefined;
  level: string | undefined;
  /** Exactly as the gateway wrote it. */
  message: string;
}

const fieldPaths = {
  list: places('data', 'events', 'data.data'),
  id: places('id'),
  time: places('created_at', 'createdAt', 'timestamp', 'time'),
  level: places('level'),
  message: places('message', 'text'),
} as const;

export class FineTunes extends Resource {
  /** Returns the events of one fine-tuning job in chronological order (4.9), however the gateway sorts them. */
  async events(fineTuneId: string, options?: CallOptions): Promise<FineTuneEvent[]> {
    const path = `/v1/fine-tunes/${encodeURIComponent(validate(taskId, fineTuneId))}/events`;
    const response = await this.http.read({ path, notFoundKind: 'not-found', ...options });
    const list = asList(response) ?? firstAt(response, fieldPaths.list, asList);
    if (!list) throw malformedError('The gateway’s response is not a list of events.');
    return sortByTime(list.map(eventFrom).filter((event) => event !== undefined));
  }
}

function eventFrom(value: unknown): FineTuneEvent | undefined {
  if (!isRecord(value)) return undefined;
  return {
    id: firstAt(value, fieldPaths.id, asText),
    at: firstAt(value, fieldPaths.time, asTime),
    level: firstAt(value, fieldPaths.level, asText),
    message: typeof value.message === 'string' ? value.message : (firstAt(value, fieldPaths.message, asText) ?? ''),
  };
}

/** Events of the same second keep their order, so a reversed list has to be reversed before it is sorted. An event without a time stays behind the one before it. */
function sortByTime(events: FineTuneEvent[]): FineTuneEvent[] {
  const firstTime = events.find((event) => event.at !== undefined)?.at ?? 0;
  const lastTime = events.findLast((event) => event.at !== undefined)?.at ?? 0;
  const chronological = firstTime > lastTime ? events.toReversed() : events;
  let time = 0;
  const timed = chronological.map((event) => {
    time = event.at ?? time;
    return { event, time };
  });
  return timed.toSorted((a, b) => a.time - b.time).map(({ event }) => event);
}
