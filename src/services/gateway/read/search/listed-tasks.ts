import { isRecord } from '../../../../lib/exact-json.ts';
import { asText } from '../../places.ts';

const MAX_DEPTH = 8;
const MAX_VALUES = 5_000;
/** Tasks of a batch have their id near the top. */
const MAX_ID_DEPTH = 3;

export interface ListedTask {
  id: string;
  record: Record<string, unknown>;
}

/** Finds the tasks in a batch response whose list is not in a known place: records that contain exactly one of the polled ids. */
export function findListedTasks(response: unknown, ids: readonly string[]): ListedTask[] {
  const polledIds = new Set(ids);
  let remaining = MAX_VALUES;
  const idsIn = (value: unknown, depth: number): Set<string> => {
    if (remaining-- <= 0 || depth > MAX_ID_DEPTH) return new Set();
    const text = asText(value);
    if (text !== undefined) return new Set(polledIds.has(text) ? [text] : []);
    if (!isRecord(value)) return new Set();
    return new Set(Object.values(value).flatMap((inner) => [...idsIn(inner, depth + 1)]));
  };
  const visit = (value: unknown, depth: number): ListedTask[] => {
    if (remaining-- <= 0 || depth > MAX_DEPTH) return [];
    if (!Array.isArray(value))
      return isRecord(value) ? Object.values(value).flatMap((one) => visit(one, depth + 1)) : [];
    return value.filter(isRecord).flatMap((record) => {
      const [id, ...others] = idsIn(record, 0);
      return id === undefined || others.length > 0 ? [] : [{ id, record }];
    });
  };
  return visit(response, 0);
}
