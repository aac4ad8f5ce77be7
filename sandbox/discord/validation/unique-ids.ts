import type { ComponentAtPath } from './tree.ts';
import { field, type Violation, violation } from './violation.ts';

/** An interaction contains only the id of the used component, so ids must be unique in a message or modal. */
export function validateUniqueIds(components: readonly ComponentAtPath[]): Violation[] {
  return [
    ...duplicateIds(
      components,
      'custom_id',
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    ),
    ...duplicateIds(components, 'id', 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated'),
  ];
}

function duplicateIds(components: readonly ComponentAtPath[], key: string, code: string, message: string): Violation[] {
  const seen = new Set<unknown>();
  return components.flatMap(({ component, path }) => {
    const value = component[key];
    // Discord assigns an id for 0, as it does for a missing id.
    if ((typeof value !== 'string' && typeof value !== 'number') || value === 0) return [];
    if (seen.has(value)) return [violation(field(path, key), code, message)];
    seen.add(value);
    return [];
  });
}
