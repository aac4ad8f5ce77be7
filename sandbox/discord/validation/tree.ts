import { asList, isObject, type JsonObject } from './json.ts';
import { field, item } from './violation.ts';

/** Deeper than any valid nesting. Deeper components are skipped here, because the schema refuses them. */
const MAX_DEPTH = 5;

export interface ComponentAtPath {
  readonly component: JsonObject;
  readonly path: string;
}

/** All components of a message or modal with their paths, parents first, as Discord counts them. */
export const flattenComponents = (components: unknown, path: string, depth = 0): ComponentAtPath[] =>
  asList(components).flatMap((component, index) => withDescendants(component, item(path, index), depth));

function withDescendants(component: unknown, path: string, depth: number): ComponentAtPath[] {
  if (!isObject(component) || depth > MAX_DEPTH) return [];
  return [
    { component, path },
    ...flattenComponents(component.components, field(path, 'components'), depth + 1),
    // The accessory of a section and the component of a label.
    ...withDescendants(component.accessory, field(path, 'accessory'), depth + 1),
    ...withDescendants(component.component, field(path, 'component'), depth + 1),
  ];
}
