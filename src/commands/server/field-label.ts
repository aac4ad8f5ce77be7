import type { Say } from '../../locales/index.ts';
import type { text } from './text.ts';

export const fieldLabel = (
  name: keyof (typeof text)['rules']['fields'],
  say: Say,
): { label: string; hint: string } => ({
  label: say(`rules.fields.${name}.label`),
  hint: say(`rules.fields.${name}.hint`),
});
