import { customIds } from '../../discord/custom-ids.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, form, type Menu, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import { pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { isSpoiler, needsResult } from '../../services/tasks/follow-ups.ts';
import { chosenModel } from '../model-option.ts';
import { picturesOn } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { filmForm, filmWishes } from './film-form.ts';
import { filmOrder, objectionTo } from './request.ts';

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
    const { kind, request } = filmOrder(values, await chosenModel('video', model, services), services.films.fields);
    const covered = parent && isSpoiler(parent) ? { ...request, spoiler: true } : request;
    await services.tasks.submit({ ...origin, kind, request: covered, parent });
    return 'shown as it goes';
  },
});

function formFor(addresses: readonly string[], id: string, { services, say }: Ask<Services>): FormPlan {
  if (addresses.length === 0) throw new Refusal('refusals.noPictureHere');
  return filmForm({ id, addresses, model: services.defaultModels.video }, say);
}
