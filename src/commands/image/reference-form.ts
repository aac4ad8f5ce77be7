import type { FieldPlan, FormPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';

interface ReferenceForm {
  id: string;
  /** As they are known when the form opens; a member may change them. */
  pictures: readonly { address: string; name: string }[];
  model: string | undefined;
}

/** What one field of a form holds. */
const FIELD = 4_000;
/** As much of a name as a choice has room for, its number besides. */
const LONGEST_NAME = 80;

/** Words, the pictures they are about, and the model: the pictures stand in a field, so nothing has to be kept meanwhile. */
export function referenceForm({ id, pictures, model = '' }: ReferenceForm, say: Say): FormPlan {
  const known = fitting(pictures);
  const which: FieldPlan = {
    type: 'choice',
    name: 'which',
    label: say('reference.which'),
    hint: say('reference.whichHint'),
    options: known.map(({ name }, index) => ({
      value: String(index + 1),
      label: say('reference.one', { number: String(index + 1), name: name.slice(0, LONGEST_NAME) }),
    })),
  };
  return {
    id,
    title: say('reference.title'),
    fields: [
      { type: 'text', name: 'words', label: say('reference.words'), long: true, required: true },
      {
        type: 'text',
        name: 'pictures',
        label: say('reference.pictures'),
        hint: say('reference.picturesHint'),
        value: known.map(({ address }) => address).join('\n'),
        long: true,
        required: true,
      },
      ...(known.length > 1 ? [which] : []),
      { type: 'text', name: 'model', label: say('reference.model'), hint: say('reference.modelHint'), value: model },
    ],
  };
}

/** Whole addresses only: half of one leads nowhere. */
function fitting(pictures: ReferenceForm['pictures']): ReferenceForm['pictures'] {
  let room = FIELD;
  return pictures.filter(({ address }) => {
    room -= address.length + 1;
    return room >= 0;
  });
}

interface Filled {
  fields: Readonly<Record<string, string>>;
}

/** What came back of such a form. */
export function referencesIn({ fields }: Filled) {
  const { words = '', pictures = '', which = '', model = '' } = fields;
  return {
    words: words.trim(),
    pictures,
    which: which === '' ? undefined : Number(which),
    model: model.trim() === '' ? undefined : model.trim(),
  };
}
