import { isObject, type JsonObject, listIn } from './json.ts';
import { field, item } from './violation.ts';

/** Deeper than a button in a row in a container; what lies below that, the schema has refused already. */
const DEPTH = 5;

export interface Placed {
  readonly component: JsonObject;
  readonly path: string;
}

/** Every component of a message or modal with its place, parents first, as Discord counts them. */
export const everyComponent = (components: unknown, path: string, depth = 0): Placed[] =>
  listIn(components).flatMap((component, index) => withInner(component, item(path, index), depth));

function withInner(component: unknown, path: string, depth: number): Placed[] {
  if (!isObject(component) || depth > DEPTH) return [];
  return [
    { component, path },
    ...everyComponent(component.components, field(path, 'components'), depth + 1),
    // A section's button or thumbnail, and what a label stands before.
    ...withInner(component.accessory, field(path, 'accessory'), depth + 1),
    ...withInner(component.component, field(path, 'component'), depth + 1),
  ];
}
