import { customIds } from '../../discord/custom-ids.ts';
import type { Filled } from '../../discord/form.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, form, type Menu, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal, throwRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { pressedTask, soon, submitOrder } from '../../messages/pressed-task.ts';
import { isSpoiler, needsResult } from '../../services/tasks/follow-ups.ts';
import { chosenModel, fitting, picturesOf, picturesOn } from '../options.ts';
import type { Services } from '../services.ts';
import { videoOrder, videoRequest } from './request.ts';

/** Opens the form for a video made from a result. The pressed message has its files' addresses, valid for a day. */
export const filmOpener = opener(customIds.film, async (taskId, ask: Ask<Services>, pressed) => {
  const task = await soon(pressedTask(taskId, ask), ask);
  needsResult(task);
  return formFor(picturesOf(task, pressed), customIds.filmFilled.id({ from: 'task', taskId }), ask);
});

/** The same form from the menu of any message. */
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
  async run(from, { fields: filled }, ask: Ask<Services>) {
    const parent = from.from === 'menu' ? undefined : await pressedTask(from.taskId, ask);
    const { model: typed, values } = valuesIn(filled);
    const draft = throwRefusal(videoRequest(values));
    const model = await chosenModel('video', typed, ask.services);
    const spoiler = parent && isSpoiler(parent);
    const order = videoOrder(draft, { model, fields: ask.services.videoFields, spoiler });
    return submitOrder({ ...order, parent }, ask);
  },
});

function formFor(pictures: FilmForm['pictures'], id: string, { services, say }: Ask<Services>): FormPlan {
  if (pictures.length === 0) throw new Refusal('refusals.noImageInMessage');
  return filmForm({ id, pictures, model: services.defaultModels.video }, say);
}

interface FilmForm {
  id: string;
  /** As known when the form opens; a member may change them. */
  pictures: readonly { address: string }[];
  model: string | undefined;
}

/** The most that any model is known to take (specification, part 8). */
const MOST_PICTURES = 7;

/** The addresses are in a field, so that nothing has to be stored until the form is submitted. */
export function filmForm({ id, pictures, model = '' }: FilmForm, say: Say): FormPlan {
  const addresses = fitting(pictures.slice(0, MOST_PICTURES)).map(({ address }) => address);
  return {
    id,
    title: say('video.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('video.form.words'), long: true, required: true },
      {
        ...{ type: 'text', name: 'pictures', label: say('video.form.pictures'), hint: say('video.form.picturesHint') },
        ...{ value: addresses.join('\n'), long: true },
      },
      { type: 'text', name: 'model', label: say('video.form.model'), hint: say('video.form.modelHint'), value: model },
      { type: 'text', name: 'duration', label: say('video.form.duration') },
      { type: 'text', name: 'size', label: say('video.form.size') },
    ],
  };
}

function valuesIn({ words = '', pictures = '', model = '', duration = '', size = '' }: Filled['fields']) {
  return {
    model: model.trim() === '' ? undefined : model.trim(),
    values: { prompt: words, links: pictures, duration, size },
  };
}
