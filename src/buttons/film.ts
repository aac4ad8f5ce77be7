import { chosenModel } from '../commands/model-option.ts';
import { picturesOn } from '../commands/references.ts';
import type { Services } from '../commands/services.ts';
import { filmOrder, objectionTo } from '../commands/video/order.ts';
import { customId } from '../discord/custom-id.ts';
import { mayPostFiles } from '../discord/guards.ts';
import type { Ask, Form, Menu, Opener } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { isSpoiler, needsResult } from '../services/tasks/follow-ups.ts';
import { filmForm, filmWishes } from '../views/film-form.ts';
import type { FormPlan } from '../views/plan.ts';
import { fromMenu, isFromMenu, isFromPrivate } from './from-menu.ts';
import { pressedTask, soon } from './pressed-task.ts';

const FILM = { verb: 'film', version: 1 } as const;
const FILMED = { verb: 'filmf', version: 1 } as const;

export const filmId = (taskId: string): string => customId(FILM.verb, FILM.version, taskId);

/** A film to be made of a result. What was pressed tells its files with addresses that are good for a day. */
export const filmOpener: Opener<Services> = {
  ...FILM,
  async open(args, ask, pressed) {
    const task = await soon(pressedTask(args, ask), ask);
    needsResult(task);
    const shown = picturesOn(pressed).map(({ address }) => address);
    const atGateway = task.media.flatMap(({ kind, address = '' }) => (kind === 'image' && address ? [address] : []));
    return formFor(shown.length > 0 ? shown : atGateway, customId(FILMED.verb, FILMED.version, task.id), ask);
  },
};

/** The same from the menu on any message. */
export const filmMenu: Menu<Services> = {
  name: 'film',
  guards: [(place) => mayPostFiles(place, {})],
  async open(target, ask) {
    const addresses = picturesOn(target).map(({ address }) => address);
    return formFor(addresses, customId(FILMED.verb, FILMED.version, ...fromMenu(target)), ask);
  },
};

export const filmedForm: Form<Services> = {
  ...FILMED,
  answers: 'beside',
  isPrivate: isFromPrivate,
  async run({ args, fields }, ask) {
    const { services, origin } = ask;
    const parent = isFromMenu(args) ? undefined : await pressedTask(args, ask);
    const { model, values } = filmWishes({ fields });
    const objection = objectionTo(values);
    if (objection) throw objection;
    const { kind, request } = filmOrder(values, await chosenModel('video', model, services), services.films.fields);
    const covered = parent && isSpoiler(parent) ? { ...request, spoiler: true } : request;
    await services.tasks.submit({ ...origin, kind, request: covered, parent });
    return 'shown as it goes';
  },
};

function formFor(addresses: readonly string[], id: string, { services, say }: Ask<Services>): FormPlan {
  if (addresses.length === 0) throw new Refusal('refusals.noPictureHere');
  return filmForm({ id, addresses, model: services.defaultModels.video }, say);
}
