import type { Modal } from '../../protocol.ts';
import { bytesText } from '../markdown/time.ts';
import { type Component, Kind, type SelectOption } from '../wire.ts';

export type Value = string | boolean | readonly string[] | readonly File[];

/** A form field; its label comes from a label component or from the field itself. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly component: Component;
  readonly required: boolean;
}

/** The parts of the form in order; strings are the text between fields. */
export function partsOf({ components }: Modal): (Field | string)[] {
  return (components as unknown as readonly Component[]).flatMap((root): (Field | string)[] => {
    if (root.type === Kind.textDisplay) return [String(root.content ?? '')];
    const inner = root.component ? [root.component as Component] : ((root.components ?? []) as readonly Component[]);
    return inner.map((component) => fieldOf(component, root));
  });
}

function fieldOf(component: Component, { label, description }: Component): Field {
  return {
    name: String(component.custom_id),
    label: String(label ?? component.label ?? component.custom_id),
    hint: typeof description === 'string' ? description : undefined,
    component,
    required: component.required !== false && component.type !== Kind.checkbox,
  };
}

export function initialValue({ component }: Field): Value {
  const defaults = ((component.options ?? []) as readonly SelectOption[]).filter((one) => one.default);
  switch (component.type) {
    case Kind.textInput:
      return String(component.value ?? '');
    case Kind.checkbox:
      return component.default === true;
    case Kind.fileUpload:
      return [];
    case Kind.radioGroup:
      return defaults[0]?.value ?? '';
    default:
      return defaults.map(({ value }) => value);
  }
}

/** Validates a field as Discord's own form does before it is submitted. */
export function objectionTo({ component, required }: Field, value: Value, uploadBytes: number): string | undefined {
  const { min_length: least = 0, max_length: most = 4_000 } = component as { min_length?: number; max_length?: number };
  const { min_values: fewest = 1, max_values: greatest = 1 } = component as {
    min_values?: number;
    max_values?: number;
  };
  if (typeof value === 'boolean') return undefined;
  if (value.length === 0) return required ? 'This field is required.' : undefined;
  if (typeof value === 'string') {
    if (component.type !== Kind.textInput) return undefined;
    if (value.length < least) return `Enter at least ${least} characters.`;
    return value.length > most ? `Enter at most ${most} characters (now ${value.length}).` : undefined;
  }
  const large = value.find((one): one is File => one instanceof File && one.size > uploadBytes);
  if (large) return `${large.name} is larger than ${bytesText(uploadBytes)}.`;
  if (value.length < fewest) return `Choose at least ${fewest}.`;
  return value.length > greatest ? `Choose at most ${greatest}.` : undefined;
}
