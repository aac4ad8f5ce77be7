import { type JsonObject, numberIn } from './json.ts';
import { field, type Violation, violation } from './violation.ts';

/** Reports a lower limit above the upper limit; `otherwise` is the upper limit if the body has none. */
export function validateEnds(of: JsonObject, path: string, low: string, high: string, otherwise?: number): Violation[] {
  const least = numberIn(of[low]);
  const most = numberIn(of[high]) ?? otherwise;
  if (least === undefined || most === undefined || least <= most) return [];
  return [violation(field(path, low), 'NUMBER_TYPE_MAX', `${low} value should be less than or equal to ${most}.`)];
}
