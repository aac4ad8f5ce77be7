import { choiceField, type FieldPlan, type FormPlan, type FormValues } from '../discord/plan.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Say } from '../locales/index.ts';
import { sides } from '../services/tasks/materials.ts';

interface PromptFormOptions {
  id: string;
  title: string;
  prompt: string;
  hasRegion: boolean;
  label?: string;
}

const MAX_FIELD_LENGTH = 4_000;

export function promptForm({ id, title, prompt, hasRegion, label }: PromptFormOptions, say: Say): FormPlan {
  const fields = promptFields(prompt, { label: label ?? say('promptForm.prompt'), required: true }, say);
  const shownTitle = title === '' ? say('promptForm.title') : title;
  if (!hasRegion) return { id, title: shownTitle, fields };
  const side = choiceField('side', say('promptForm.area'), sides, (one) => say(`promptForm.areas.${one}`));
  return {
    id,
    title: shownTitle,
    fields: [
      ...fields,
      { ...side, required: false },
      {
        type: 'file',
        name: 'mask',
        accept: ['image'],
        label: say('promptForm.mask'),
        hint: say('promptForm.maskHint'),
      },
    ],
  };
}

/** The field of a prompt, and a second one for the rest of a long prompt, so nothing is silently cut off. */
export function promptFields(prompt: string, field: { label: string; required?: boolean }, say: Say): FieldPlan[] {
  const [first, second] = splitPrompt(prompt);
  const text = { type: 'text', isLong: true } as const;
  return [
    { ...text, ...field, name: 'words', value: first },
    ...(second === ''
      ? []
      : [{ ...text, name: 'more', label: say('promptForm.continued', { label: field.label }), value: second }]),
  ];
}

export const promptIn = ({ words = '', more = '' }: FormValues['fields']): string => (words + more).trim();

/** Splits at a space near the end of the first field, if there is one. */
function splitPrompt(prompt: string): [string, string] {
  if (prompt.length <= MAX_FIELD_LENGTH) return [prompt, ''];
  const space = prompt.lastIndexOf(' ', MAX_FIELD_LENGTH);
  // Do not split inside a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(prompt.charAt(MAX_FIELD_LENGTH - 1)) ? MAX_FIELD_LENGTH - 1 : MAX_FIELD_LENGTH;
  const splitIndex = space > MAX_FIELD_LENGTH / 2 ? space : end;
  return [prompt.slice(0, splitIndex), prompt.slice(splitIndex)];
}

export type PromptFormValues = Exclude<ReturnType<typeof readPromptForm>, Refusal>;

export function readPromptForm({ fields, files }: FormValues) {
  const prompt = promptIn(fields);
  const { side = '' } = fields;
  return prompt === '' ? new Refusal('refusals.promptMissing') : { prompt, side, maskFile: files.mask?.[0] };
}
