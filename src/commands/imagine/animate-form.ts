import type { FieldPlan, FormPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { motions } from '../../services/tasks/animations.ts';

/** With the picture in a field, nothing has to be kept between the press and the form. */
export function animateForm({ id, picture }: { id: string; picture: string }, say: Say): FormPlan {
  const loops = (['yes', 'no'] as const).map((value) => ({ value, label: say(`animate.loops.${value}`) }));
  return {
    id,
    title: say('animate.title'),
    fields: [
      { type: 'text', name: 'words', label: say('animate.words'), hint: say('animate.wordsHint'), long: true },
      motionField(say),
      { type: 'choice', name: 'loop', label: say('animate.loop'), options: loops },
      {
        ...{ type: 'text', name: 'picture', label: say('animate.picture'), hint: say('animate.pictureHint') },
        ...{ value: picture, required: true },
      },
      { type: 'file', name: 'end', label: say('animate.end') },
    ],
  };
}

/** For a longer film of one of so many. */
export function extendForm({ id, words, films }: { id: string; words: string; films: number }, say: Say): FormPlan {
  const options = Array.from({ length: films }, (_, index) => {
    const number = String(index + 1);
    return { value: number, label: say('animate.film', { number }), isDefault: index === 0 };
  });
  const which: FieldPlan = { type: 'choice', name: 'which', label: say('animate.which'), options, required: true };
  return {
    id,
    title: say('animate.longerTitle'),
    fields: [
      { type: 'text', name: 'words', label: say('animate.words'), value: words, long: true },
      motionField(say),
      ...(films > 1 ? [which] : []),
    ],
  };
}

function motionField(say: Say): FieldPlan {
  const options = motions.map((value) => ({
    value,
    label: say(`animate.motions.${value}`),
    isDefault: value === 'low',
  }));
  return { type: 'choice', name: 'motion', label: say('animate.motion'), options, required: true };
}

interface Filled {
  fields: Readonly<Record<string, string>>;
  files: Readonly<Record<string, { address: string; name: string }>>;
}

/** What came back of such a form. */
export function filmWishesIn({ fields, files }: Filled) {
  const { words = '', motion, loop = '', picture = '', which = '1' } = fields;
  return {
    wishes: {
      words: words.trim(),
      motion: motions.find((one) => one === motion) ?? 'low',
      ...(loop !== '' && { loop: loop === 'yes' }),
    },
    picture: picture.trim(),
    end: files.end,
    which: Number(which),
  };
}
