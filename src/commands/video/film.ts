import { customIds } from '../../discord/custom-ids.ts';
import type { Filled } from '../../discord/form.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, form, type Menu, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { isSpoiler, needsResult } from '../../services/tasks/follow-ups.ts';
import { chosenModel } from '../model-option.ts';
import { fitting, picturesOf, picturesOn } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { filmOrder, objectionTo, withSpoiler } from './request.ts';

/** A film to be made of a result. What was pressed tells its files with addresses that are good for a day. */
export const filmOpener = opener(customIds.film, async (taskId, ask: Ask<Services>, pressed) => {
  const task = await soon(pressedTask(taskId, ask), ask);
  needsResult(task);
  return formFor(picturesOf(task, pressed), customIds.filmFilled.id({ from: 'task', taskId }), ask);
});

/** The same from the menu on any message. */
export const filmMenu: Menu<Services> = {
  name: 'film',
  formerNames: ['Make a video of it'],
  guards: [(place) => mayPostFiles(place, {})],
  async open(target, ask) {
    return formFor(picturesOn(target), customIds.filmFilled.id({ from: 'menu', isPrivate: target.isPrivate }), ask);
  },
};

export const filmedForm = form(customIds.filmFilled, {
  answers: 'beside',
  isPrivate: (origin) => origin.from === 'menu' && origin.isPrivate,
  async run(from, { fields }, ask: Ask<Services>) {
    const { services, origin } = ask;
    const parent = from.from === 'menu' ? undefined : await pressedTask(from.taskId, ask);
    const { model, values } = filmWishes({ fields });
    const objection = objectionTo(values);
    if (objection) throw objection;
    const order = filmOrder(values, await chosenModel('video', model, services), services.films.fields);
    const covered = parent && isSpoiler(parent) ? withSpoiler(order) : order;
    await services.tasks.submit({ ...origin, ...covered, parent });
    return 'shown as it goes';
  },
});

function formFor(pictures: FilmForm['pictures'], id: string, { services, say }: Ask<Services>): FormPlan {
  if (pictures.length === 0) throw new Refusal('refusals.noPictureHere');
  return filmForm({ id, pictures, model: services.defaultModels.video }, say);
}

interface FilmForm {
  id: string;
  /** As they are known when the form opens; a member may change them. */
  pictures: readonly { address: string }[];
  model: string | undefined;
}

/** As many as any model is known to take (specification, part 8). */
const MOST_PICTURES = 7;

/** The pictures stand in a field, so nothing has to be kept until the form is filled in. */
export function filmForm({ id, pictures, model = '' }: FilmForm, say: Say): FormPlan {
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
        value: fitting(pictures.slice(0, MOST_PICTURES))
          .map(({ address }) => address)
          .join('\n'),
        long: true,
      },
      { type: 'text', name: 'model', label: say('film.form.model'), hint: say('film.form.modelHint'), value: model },
      { type: 'text', name: 'duration', label: say('film.form.duration') },
      { type: 'text', name: 'size', label: say('film.form.size') },
    ],
  };
}

/** What came back of such a form, under the names of the options that ask for the same. */
function filmWishes({ fields }: Pick<Filled, 'fields'>) {
  const { words = '', pictures = '', model = '', duration = '', size = '' } = fields;
  return {
    model: model.trim() === '' ? undefined : model.trim(),
    values: { prompt: words, links: pictures, duration, size },
  };
}
