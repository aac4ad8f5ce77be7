import { asNumber, type JsonObject } from './json.ts';
import { field, type Violation, violation } from './violation.ts';

/** Reports a lower limit above the upper limit; `defaultMax` is the upper limit if the body has none. */
export function validateRange(
  object: JsonObject,
  path: string,
  minKey: string,
  maxKey: string,
  defaultMax?: number,
): Violation[] {
  const min = asNumber(object[minKey]);
  const max = asNumber(object[maxKey]) ?? defaultMax;
  if (min === undefined || max === undefined || min <= max) return [];
  return [violation(field(path, minKey), 'NUMBER_TYPE_MAX', `${minKey} value should be less than or equal to ${max}.`)];
}
