import { type APIModalInteractionResponseCallbackData, ComponentType, TextInputStyle } from 'discord.js';
import type { FieldPlan, FormPlan } from '../views/plan.ts';
import { shortened } from './text.ts';

// https://discord.com/developers/docs/components/reference
const LONGEST_TITLE = 45;
const LONGEST_VALUE = 4_000;
const MOST_FIELDS = 5;

/** A form as Discord spells it. */
export function formBody({ id, title, fields }: FormPlan): APIModalInteractionResponseCallbackData {
  return {
    custom_id: id,
    title: shortened(title, LONGEST_TITLE),
    components: fields.slice(0, MOST_FIELDS).map(fieldBody),
  };
}

function fieldBody({ name, label, value, required = false, long = false }: FieldPlan) {
  return {
    type: ComponentType.Label as const,
    label: shortened(label, LONGEST_TITLE),
    component: {
      type: ComponentType.TextInput as const,
      custom_id: name,
      style: long ? TextInputStyle.Paragraph : TextInputStyle.Short,
      max_length: LONGEST_VALUE,
      required,
      ...(value === undefined || value === '' ? {} : { value: value.slice(0, LONGEST_VALUE) }),
    },
  };
}
