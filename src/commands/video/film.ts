import { customIds } from '../../discord/custom-ids.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, form, type Menu, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { isSpoiler, needsResult } from '../../services/tasks/follow-ups.ts';
import { chosenModel } from '../model-option.ts';
import { picturesOn } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { filmOrder, objectionTo, withSpoiler } from './request.ts';

/** A film to be made of a result. What was pressed tells its files with addresses that are good for a day. */
export const filmOpener = opener(customIds.film, async (taskId, ask: Ask<Services>, pressed) => {
  const task = await soon(pressedTask(taskId, ask), ask);
  needsResult(task);
  const shown = picturesOn(pressed).map(({ address }) => address);
  const atGateway = task.media.flatMap(({ kind, address = '' }) => (kind === 'image' && address ? [address] : []));
  return formFor(shown.length > 0 ? shown : atGateway, customIds.filmFilled.id({ from: 'task', taskId }), ask);
});

/** The same from the menu on any message. */
export const filmMenu: Menu<Services> = {
  name: 'film',
  guards: [(place) => mayPostFiles(place, {})],
  async open(target, ask) {
    const addresses = picturesOn(target).map(({ address }) => address);
    return formFor(addresses, customIds.filmFilled.id({ from: 'menu', isPrivate: target.isPrivate }), ask);
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

function formFor(addresses: readonly string[], id: string, { services, say }: Ask<Services>): FormPlan {
  if (addresses.length === 0) throw new Refusal('refusals.noPictureHere');
  return filmForm({ id, addresses, model: services.defaultModels.video }, say);
}

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
function filmWishes({ fields }: { fields: Readonly<Record<string, string>> }) {
  const { words = '', pictures = '', model = '', duration = '', size = '' } = fields;
  return {
    model: model.trim() === '' ? undefined : model.trim(),
    values: { prompt: words, links: pictures, duration, size },
  };
}
