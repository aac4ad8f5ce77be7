import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, form, opener } from '../../discord/handlers.ts';
import { nameIn } from '../../discord/target.ts';
import { Refusal } from '../../lib/refusal.ts';
import { pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { animationOf, extensionOf, FILM_DOOR, filmOf } from '../../services/tasks/animations.ts';
import { promptOf } from '../../services/tasks/follow-ups.ts';
import type { Task } from '../../services/tasks/task.ts';
import { linksIn, picturesOn, unfitReference } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { animateForm, extendForm, filmWishesIn } from './animate-form.ts';

/** A film of a single picture, or a longer one of a film, where the gateway has no button for it that works. */
export const animateOpener = opener(customIds.animate, async (taskId, ask: Ask<Services>, pressed) => {
  // What was refused a moment ago is not worth a form.
  if (!ask.services.offers.isOffered(FILM_DOOR)) throw new Refusal('gateway.not-offered');
  const task = await soon(pressedTask(taskId, ask), ask);
  const id = customIds.animateFilled.id(task.id);
  if (filmOf(task) === 'extend') return extendForm({ id, words: promptOf(task), films: task.media.length }, ask.say);
  // The message's own file is there for as long as the message is; the gateway's may be gone.
  const picture = picturesOn(pressed)[0]?.address ?? task.media[0]?.address;
  if (filmOf(task) !== 'animate' || picture === undefined) throw new Refusal('refusals.noResult');
  return animateForm({ id, picture }, ask.say);
});

export const animateFilled = form(customIds.animateFilled, {
  answers: 'beside',
  async run(taskId, filled, ask: Ask<Services>) {
    const parent = await pressedTask(taskId, ask);
    await ask.services.tasks.submit({ ...ask.origin, ...orderOf(parent, filled) });
    return 'shown as it goes';
  },
});

function orderOf(parent: Task, filled: Parameters<typeof filmWishesIn>[0]) {
  const { wishes, picture, end, which } = filmWishesIn(filled);
  if (filmOf(parent) === 'extend') {
    if (parent.media[which - 1] === undefined) throw new Refusal('refusals.unknownButton');
    return extensionOf(parent, wishes, which);
  }
  if (filmOf(parent) !== 'animate') throw new Refusal('refusals.noResult');
  const objection = unfitReference({ links: picture }, 1);
  if (objection) throw objection;
  const [address] = linksIn({ links: picture });
  if (address === undefined) throw new Refusal('refusals.noPictureHere');
  return animationOf(parent, wishes, [{ address, name: nameIn(address) }, ...(end ? [end] : [])]);
}
