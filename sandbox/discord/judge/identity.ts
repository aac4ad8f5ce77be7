import type { Placed } from './tree.ts';
import { field, type Violation, violation } from './violation.ts';

/** A click says only which id was pressed, so an id stands for one component in its message or modal. */
export function judgeIdentity(components: readonly Placed[]): Violation[] {
  return [
    ...repeated(components, 'custom_id', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated'),
    ...repeated(components, 'id', 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated'),
  ];
}

function repeated(components: readonly Placed[], key: string, code: string, message: string): Violation[] {
  const seen = new Set<unknown>();
  return components.flatMap(({ component, path }) => {
    const value = component[key];
    // Discord gives out an id of its own for 0, as for none.
    if ((typeof value !== 'string' && typeof value !== 'number') || value === 0) return [];
    if (seen.has(value)) return [violation(field(path, key), code, message)];
    seen.add(value);
    return [];
  });
}
