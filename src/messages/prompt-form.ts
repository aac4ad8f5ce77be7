import type { FormValues } from '../discord/form.ts';
import type { FieldPlan, FormPlan } from '../discord/plan.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Say } from '../locales/index.ts';
import { sides } from '../services/tasks/materials.ts';

interface WordsForm {
  id: string;
  title: string;
  words: string;
  withRegion: boolean;
}

/** The capacity of a field; a longer text continues in a second one, so that nothing is cut silently. */
const FIELD = 4_000;

export function wordsForm({ id, title, words, withRegion }: WordsForm, say: Say): FormPlan {
  const [first, second] = halves(words);
  const text = { type: 'text', isLong: true } as const;
  const fields: FieldPlan[] = [
    { ...text, name: 'words', label: say('words.words'), value: first, required: true },
    ...(second === '' ? [] : [{ ...text, name: 'more', label: say('words.more'), value: second }]),
  ];
  const named = title === '' ? say('words.title') : title;
  if (!withRegion) return { id, title: named, fields };
  const options = sides.map((side) => ({ value: side, label: say(`words.sides.${side}`) }));
  return {
    id,
    title: named,
    fields: [
      ...fields,
      { type: 'choice', name: 'side', label: say('words.side'), options },
      { type: 'file', name: 'mask', label: say('words.mask'), hint: say('words.maskHint') },
    ],
  };
}

/** Splits at a space near the end of the first field, if there is one. */
function halves(words: string): [string, string] {
  if (words.length <= FIELD) return [words, ''];
  const space = words.lastIndexOf(' ', FIELD);
  // Never inside a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(words.charAt(FIELD - 1)) ? FIELD - 1 : FIELD;
  const at = space > FIELD / 2 ? space : end;
  return [words.slice(0, at), words.slice(at)];
}

export interface FilledWords {
  words: string;
  side: string;
  drawn: FormValues['files'][string] | undefined;
}

export function readWordsForm({ fields, files }: FormValues): FilledWords | Refusal {
  const { words = '', more = '', side = '' } = fields;
  const text = (words + more).trim();
  return text === '' ? new Refusal('refusals.promptMissing') : { words: text, side, drawn: files.mask };
}
