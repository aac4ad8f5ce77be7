import { isObject, type JsonObject, listIn } from './json.ts';
import { field, item } from './violation.ts';

/** Deeper than any valid nesting; the schema refuses what is below. */
const DEPTH = 5;

export interface ComponentAtPath {
  readonly component: JsonObject;
  readonly path: string;
}

/** All components of a message or modal with their paths, parents first, as Discord counts them. */
export const flattenComponents = (components: unknown, path: string, depth = 0): ComponentAtPath[] =>
  listIn(components).flatMap((component, index) => withInner(component, item(path, index), depth));

function withInner(component: unknown, path: string, depth: number): ComponentAtPath[] {
  if (!isObject(component) || depth > DEPTH) return [];
  return [
    { component, path },
    ...flattenComponents(component.components, field(path, 'components'), depth + 1),
    // The accessory of a section and the component of a label.
    ...withInner(component.accessory, field(path, 'accessory'), depth + 1),
    ...withInner(component.component, field(path, 'component'), depth + 1),
  ];
}
