import { type JsonObject, numberIn } from './json.ts';
import { field, type Violation, violation } from './violation.ts';

/** A lower end above the upper one; an end that is left out is `otherwise`, or none. */
export function judgeEnds(of: JsonObject, path: string, low: string, high: string, otherwise?: number): Violation[] {
  const least = numberIn(of[low]);
  const most = numberIn(of[high]) ?? otherwise;
  if (least === undefined || most === undefined || least <= most) return [];
  return [violation(field(path, low), 'NUMBER_TYPE_MAX', `${low} value should be less than or equal to ${most}.`)];
}
