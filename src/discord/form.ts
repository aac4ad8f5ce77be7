import {
  type APIComponentInLabel,
  type APIModalInteractionResponseCallbackData,
  type APIModalSubmission,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord-api-types/v10';
import { Refusal, type RefusalKey } from '../lib/refusal.ts';
import type { FieldPlan, FormPlan, FormValues, NotePlan } from './plan.ts';
import { truncate } from './truncate.ts';

// https://discord.com/developers/docs/components/reference
const MAX_TITLE_LENGTH = 45;
/** Of hints and options. */
const MAX_HINT_LENGTH = 100;
const MAX_FIELDS = 5;
const MAX_FIELD_LENGTH = 4_000;

export function formBody({ id, title, fields }: FormPlan): APIModalInteractionResponseCallbackData {
  return {
    custom_id: id,
    title: truncate(title, MAX_TITLE_LENGTH),
    components: fields.slice(0, MAX_FIELDS).map((field) =>
      field.type === 'note'
        ? { type: ComponentType.TextDisplay, content: field.label }
        : {
            type: ComponentType.Label,
            label: truncate(field.label, MAX_TITLE_LENGTH),
            ...(field.hint !== undefined && { description: truncate(field.hint, MAX_HINT_LENGTH) }),
            component: component(field),
          },
    ),
  };
}

function component(field: Exclude<FieldPlan, NotePlan>): APIComponentInLabel {
  const { name, required = false } = field;
  switch (field.type) {
    case 'text':
      return {
        type: ComponentType.TextInput,
        custom_id: name,
        style: field.isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
        max_length: field.max ?? MAX_FIELD_LENGTH,
        required,
        ...(field.value !== undefined && field.value !== '' && { value: field.value.slice(0, MAX_FIELD_LENGTH) }),
      };
    case 'choice': {
      const options = field.options.map(({ value, label, description, isDefault }) => ({
        value,
        label: truncate(label, MAX_HINT_LENGTH),
        ...(description !== undefined && { description: truncate(description, MAX_HINT_LENGTH) }),
        ...(isDefault && { default: true }),
      }));
      if (field.isRadio) return { type: ComponentType.RadioGroup, custom_id: name, required, options };
      const { max } = field;
      return {
        type: ComponentType.StringSelect,
        custom_id: name,
        required,
        ...(max !== undefined && { max_values: max }),
        options,
      };
    }
    case 'roles':
    case 'channels': {
      const { Role, Channel } = SelectMenuDefaultValueType;
      const list = { custom_id: name, required, min_values: 0, max_values: field.max };
      const chosen = <Type>(type: Type) => (field.values ?? []).map((id) => ({ id, type }));
      return field.type === 'roles'
        ? { type: ComponentType.RoleSelect, ...list, default_values: chosen<typeof Role>(Role) }
        : { type: ComponentType.ChannelSelect, ...list, default_values: chosen<typeof Channel>(Channel) };
    }
    case 'file': {
      const { accept, max = 1 } = field;
      const filter = accept && { file_types: [...accept] };
      return { type: ComponentType.FileUpload, custom_id: name, required, max_values: max, ...filter };
    }
  }
}

/** Refuses a form that, once corrected, has another id. */
export class FormRefusal<Key extends RefusalKey = RefusalKey> extends Refusal<Key> {
  readonly formId: string;

  constructor(formId: string, ...sentence: ConstructorParameters<typeof Refusal<Key>>) {
    super(...sentence);
    this.formId = formId;
  }
}

export function readForm({ components, resolved }: APIModalSubmission): FormValues {
  const fields: Record<string, string> = {};
  const lists: Record<string, readonly string[]> = {};
  const files: Record<string, FormValues['files'][string]> = {};
  for (const label of components) {
    if (label.type !== ComponentType.Label) continue;
    const field = label.component;
    const name = field.custom_id;
    if (field.type === ComponentType.TextInput) fields[name] = field.value;
    if (field.type === ComponentType.StringSelect) fields[name] = field.values[0] ?? '';
    if (field.type === ComponentType.RadioGroup) {
      fields[name] = field.value ?? '';
      lists[name] = field.value ? [field.value] : [];
    }
    if ('values' in field) lists[name] = field.values;
    if (field.type === ComponentType.FileUpload)
      files[name] = field.values
        .flatMap((id) => resolved?.attachments?.[id] ?? [])
        .map(({ url, filename }) => ({ address: url, name: filename }));
  }
  return { fields, lists, files };
}

/** The form with what a member entered in it before. Discord does not let a form show files, so those have to be chosen again. */
export const fillForm = (form: FormPlan, entered: Omit<FormValues, 'files'>): FormPlan => ({
  ...form,
  fields: form.fields.map((field) => fillField(field, entered)),
});

function fillField(field: FieldPlan, { fields, lists }: Omit<FormValues, 'files'>): FieldPlan {
  const values = lists[field.name] ?? [];
  switch (field.type) {
    case 'text':
      return { ...field, value: fields[field.name] ?? '' };
    case 'choice':
      return {
        ...field,
        options: field.options.map((option) => ({ ...option, isDefault: values.includes(option.value) })),
      };
    case 'roles':
    case 'channels':
      return { ...field, values };
    default:
      return field;
  }
}
