import { ComponentType, InteractionType } from 'discord-api-types/v10';
import type { AnyComponent } from '../message-content.ts';
import type { Parts } from '../parts.ts';
import type { FileInput } from '../uploads.ts';
import { ImpossibleActionError, isFile } from './impossible-action.ts';
import type { Interaction, Modal } from './interaction.ts';
import { ResolvedData } from './resolved-data.ts';
import { metadataOf } from './respond.ts';
import { type ActorContext, sendInteraction } from './send.ts';
import { resolveSelectValues } from './use-component.ts';

export type ModalInput = string | boolean | readonly string[] | readonly FileInput[];

interface Field {
  readonly label: string | undefined;
  readonly component: AnyComponent;
}

/** Submits a form. The keys of `values` are custom ids or labels. Rejects what Discord's own form would reject. */
export function submitModal(
  context: ActorContext,
  modal: Modal,
  values: Readonly<Record<string, ModalInput>>,
  parts: Parts,
): Interaction {
  const openingInteraction = parts.interactions.find(modal.interactionId);
  if (!openingInteraction || openingInteraction.user !== context.user)
    throw new ImpossibleActionError(`${context.user.name} does not have this form open.`);
  const resolved = new ResolvedData(parts, context.guild);
  const roots = modal.components as unknown as AnyComponent[];
  const fields = roots.flatMap(fieldsOf);
  for (const name of Object.keys(values))
    if (!fields.some((field) => isNamed(field, name)))
      throw new ImpossibleActionError(
        `The form has no field ${name}. Its fields: ${fields.map((one) => one.label ?? one.component.custom_id).join(', ')}.`,
      );
  const serializeField = (field: Field) => {
    const name = Object.keys(values).find((one) => isNamed(field, one));
    return serializeInput(field, name === undefined ? undefined : values[name], resolved);
  };
  const components = roots.map((root) => {
    const id = root.id ?? roots.indexOf(root) + 1;
    if (root.type === ComponentType.TextDisplay) return { type: root.type, id };
    const [first] = fieldsOf(root);
    if (root.type === ComponentType.Label) return { type: root.type, id, component: first && serializeField(first) };
    return { type: root.type, id, components: fieldsOf(root).map(serializeField) };
  });
  const data = { custom_id: modal.customId, components, ...resolved.payload };
  const metadata = { triggering_interaction_metadata: metadataOf(openingInteraction) };
  return sendInteraction(
    context,
    { type: InteractionType.ModalSubmit, data, source: openingInteraction.source, metadata },
    parts,
  );
}

function fieldsOf(root: AnyComponent): Field[] {
  const innerComponents = [
    ...((root.components ?? []) as AnyComponent[]),
    ...(root.component ? [root.component as AnyComponent] : []),
  ];
  return innerComponents.map((component) => ({
    label: (root.label ?? component.label) as string | undefined,
    component,
  }));
}

const isNamed = ({ label, component }: Field, name: string) => component.custom_id === name || label === name;

function serializeInput({ component, label }: Field, value: ModalInput | undefined, resolved: ResolvedData): unknown {
  const { type, custom_id, id = 1, required = true } = component;
  const payloadWith = (extraFields: object) => ({ type, id, custom_id, ...extraFields });
  const name = label ?? String(custom_id);
  switch (type) {
    case ComponentType.TextInput: {
      const text = value ?? component.value ?? '';
      const { min_length: min = 0, max_length: max = 4_000 } = component as {
        min_length?: number;
        max_length?: number;
      };
      if (typeof text !== 'string') throw new ImpossibleActionError(`${name} must be text.`);
      if (required && text === '') throw new ImpossibleActionError(`${name} is required.`);
      if (text !== '' && (text.length < min || text.length > max))
        throw new ImpossibleActionError(`${name} must have ${min} to ${max} characters, not ${text.length}.`);
      return payloadWith({ value: text });
    }
    case ComponentType.FileUpload: {
      const files = Array.isArray(value) ? value.filter(isFile) : [];
      const { min_values: min = 1, max_values: max = 1 } = component as { min_values?: number; max_values?: number };
      if ((files.length < min && (required || files.length > 0)) || files.length > max)
        throw new ImpossibleActionError(`${name} must have ${min} to ${max} files, not ${files.length}.`);
      return payloadWith({ values: files.map((file) => resolved.attachment(file)) });
    }
    case ComponentType.Checkbox:
      return payloadWith({ value: value ?? component.default ?? false });
    case ComponentType.RadioGroup: {
      const [chosen] = resolveOptionValues(
        component,
        value,
        required === false || value !== undefined ? 0 : 1,
        1,
        name,
      );
      return payloadWith({ value: chosen ?? null });
    }
    case ComponentType.CheckboxGroup: {
      const { min_values: min = required ? 1 : 0, max_values: max = 10 } = component as {
        min_values?: number;
        max_values?: number;
      };
      return payloadWith({ values: resolveOptionValues(component, value, min, max, name) });
    }
    default:
      return payloadWith({
        values: resolveSelectValues(component, stringsIn(value ?? defaultsOf(component)), resolved),
      });
  }
}

function resolveOptionValues(
  component: AnyComponent,
  value: ModalInput | undefined,
  min: number,
  max: number,
  name: string,
): string[] {
  const options = (component.options ?? []) as readonly { label: string; value: string }[];
  const values = stringsIn(value ?? defaultsOf(component)).map((labelOrValue) => {
    const option = options.find((one) => one.value === labelOrValue || one.label === labelOrValue);
    if (!option)
      throw new ImpossibleActionError(
        `${name} has no option ${labelOrValue}. Its options: ${options.map((one) => one.label).join(', ')}.`,
      );
    return option.value;
  });
  if (values.length < min || values.length > max)
    throw new ImpossibleActionError(`${name} must have ${min} to ${max} values, not ${values.length}.`);
  return values;
}

const defaultsOf = ({ options, default_values: values }: AnyComponent) => [
  ...((options ?? []) as readonly { value: string; default?: boolean }[])
    .filter((one) => one.default)
    .map((one) => one.value),
  ...((values ?? []) as readonly { id: string }[]).map(({ id }) => id),
];

const stringsIn = (value: ModalInput): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : typeof value === 'string' ? [value] : [];
