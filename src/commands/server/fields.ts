import type { FieldPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { text } from './text.ts';

export type RuleField = keyof (typeof text)['rules']['fields'];
/** What can be chosen in these forms, apart from moderation. */
export type OwnChoice = keyof (typeof text)['rules']['choices'];

export const fieldLabel = (name: RuleField, say: Say): { label: string; hint: string } => ({
  label: say(`rules.fields.${name}.label`),
  hint: say(`rules.fields.${name}.hint`),
});

export const choiceField = (
  name: RuleField,
  options: readonly { value: string; label: string; description?: string }[],
  selected: string | undefined,
  say: Say,
): Extract<FieldPlan, { type: 'choice' }> => ({
  name,
  type: 'choice',
  required: true,
  ...fieldLabel(name, say),
  options: options.map((option) => ({ ...option, isDefault: option.value === selected })),
});
