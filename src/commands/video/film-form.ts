import type { FormPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';

interface FilmForm {
  id: string;
  /** Where the pictures are, as it is known when the form opens; a member may change it. */
  addresses: readonly string[];
  model: string | undefined;
}

/** What one field of a form holds. */
const FIELD = 4_000;
/** As many as any model is known to take (specification, part 8). */
const MOST_PICTURES = 7;

/** The pictures stand in a field, so nothing has to be kept until the form is filled in. */
export function filmForm({ id, addresses, model = '' }: FilmForm, say: Say): FormPlan {
  return {
    id,
    title: say('film.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('film.form.words'), long: true, required: true },
      {
        type: 'text',
        name: 'pictures',
        label: say('film.form.pictures'),
        hint: say('film.form.picturesHint'),
        value: fitting(addresses).join('\n'),
        long: true,
      },
      { type: 'text', name: 'model', label: say('film.form.model'), hint: say('film.form.modelHint'), value: model },
      { type: 'text', name: 'duration', label: say('film.form.duration') },
      { type: 'text', name: 'size', label: say('film.form.size') },
    ],
  };
}

/** Whole addresses only: half of one leads nowhere. */
function fitting(addresses: readonly string[]): string[] {
  let room = FIELD;
  return addresses.slice(0, MOST_PICTURES).filter((address) => {
    room -= address.length + 1;
    return room >= 0;
  });
}

/** What came back of such a form, under the names of the options that ask for the same. */
export function filmWishes({ fields }: { fields: Readonly<Record<string, string>> }) {
  const { words = '', pictures = '', model = '', duration = '', size = '' } = fields;
  return {
    model: model.trim() === '' ? undefined : model.trim(),
    values: { prompt: words, links: pictures, duration, size },
  };
}
