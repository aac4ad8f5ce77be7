import { asList } from './json.ts';
import { item, type Violation, violation } from './violation.ts';

/** Reports values that occur more than once. */
export function validateUniqueValues(values: unknown, path: string): Violation[] {
  const seen = new Set<unknown>();
  return asList(values).flatMap((value, index) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [violation(item(path, index), 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains this value')];
  });
}
