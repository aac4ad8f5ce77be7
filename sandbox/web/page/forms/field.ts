import type { Modal } from '../../protocol.ts';
import { type Component, ComponentKind, type SelectOption } from '../discord-api.ts';
import { bytesText } from '../markdown/time.ts';

export type Value = string | boolean | readonly string[] | readonly File[];

/** A form field; its label comes from a label component or from the field itself. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly component: Component;
  readonly isRequired: boolean;
}

/** The parts of the form in order; strings are the text between fields. */
export function partsOf({ components }: Modal): (Field | string)[] {
  return (components as unknown as readonly Component[]).flatMap((root): (Field | string)[] => {
    if (root.type === ComponentKind.textDisplay) return [String(root.content ?? '')];
    const fieldComponents = root.component
      ? [root.component as Component]
      : ((root.components ?? []) as readonly Component[]);
    return fieldComponents.map((component) => fieldOf(component, root));
  });
}

function fieldOf(component: Component, { label, description }: Component): Field {
  return {
    name: String(component.custom_id),
    label: String(label ?? component.label ?? component.custom_id),
    hint: typeof description === 'string' ? description : undefined,
    component,
    isRequired: component.required !== false && component.type !== ComponentKind.checkbox,
  };
}

export function initialValue({ component }: Field): Value {
  const defaults = ((component.options ?? []) as readonly SelectOption[]).filter((one) => one.default);
  switch (component.type) {
    case ComponentKind.textInput:
      return String(component.value ?? '');
    case ComponentKind.checkbox:
      return component.default === true;
    case ComponentKind.fileUpload:
      return [];
    case ComponentKind.radioGroup:
      return defaults[0]?.value ?? '';
    default: {
      const chosen = (component.default_values ?? []) as readonly { id: string }[];
      return [...defaults.map(({ value }) => value), ...chosen.map(({ id }) => id)];
    }
  }
}

/** Validates a field as Discord's own form does before it is submitted. */
export function validateField({ component, isRequired }: Field, value: Value, uploadBytes: number): string | undefined {
  const { min_length: minLength = 0, max_length: maxLength = 4_000 } = component as {
    min_length?: number;
    max_length?: number;
  };
  const { min_values: minValues = 1, max_values: maxValues = 1 } = component as {
    min_values?: number;
    max_values?: number;
  };
  if (typeof value === 'boolean') return undefined;
  if (value.length === 0) return isRequired ? 'This field is required.' : undefined;
  if (typeof value === 'string') {
    if (component.type !== ComponentKind.textInput) return undefined;
    if (value.length < minLength) return `Enter at least ${minLength} characters.`;
    return value.length > maxLength ? `Enter at most ${maxLength} characters (now ${value.length}).` : undefined;
  }
  const oversizedFile = value.find((one): one is File => one instanceof File && one.size > uploadBytes);
  if (oversizedFile) return `${oversizedFile.name} is larger than ${bytesText(uploadBytes)}.`;
  if (value.length < minValues) return `Choose at least ${minValues}.`;
  return value.length > maxValues ? `Choose at most ${maxValues}.` : undefined;
}
