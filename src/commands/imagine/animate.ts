import { customIds } from '../../discord/custom-ids.ts';
import type { Filled } from '../../discord/form.ts';
import { type Ask, form, opener } from '../../discord/handlers.ts';
import type { ButtonPlan, FieldPlan, FormPlan } from '../../discord/plan.ts';
import { nameIn } from '../../discord/target.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import type { KindView, MessageContext } from '../../messages/kind-view.ts';
import { meaningOfAction } from '../../services/tasks/actions.ts';
import { promptOf } from '../../services/tasks/follow-ups.ts';
import type { Task } from '../../services/tasks/task.ts';
import { linksIn, picturesOn, unfitReference } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { animationOf, extensionOf, FILM_DOOR, filmOf } from './animations.ts';
import { motions } from './request.ts';

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
    await ask.services.tasks.orders.submit({ ...ask.origin, ...orderOf(parent, filled) });
    return 'shown as it goes';
  },
});

function orderOf(parent: Task, filled: Filled) {
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

/** With the picture in a field, nothing has to be kept between the press and the form. */
function animateForm({ id, picture }: { id: string; picture: string }, say: Say): FormPlan {
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
function extendForm({ id, words, films }: { id: string; words: string; films: number }, say: Say): FormPlan {
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

/** What came back of such a form. */
function filmWishesIn({ fields, files }: Filled) {
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

/** A film made of a result by our own asking, where the gateway has no button for it that works. */
export const animate: KindView<'animate'> = {
  facts: ({ request: { motion, loop } }, say) => [
    `-# ${[say(`task.animate.${motion}`), ...(loop ? [say('task.animate.loop')] : [])].join(' · ')}`,
  ],
  more: filmButtons,
};

export function filmButtons(task: Task, offering: MessageContext, say: Say): ButtonPlan[] {
  const what = filmOf(task);
  if (what === undefined || !offering.isOffered(FILM_DOOR)) return [];
  const isThere = task.actions.some(
    ({ customId }) => meaningOfAction(customId).family === what && offering.isOffered(customId),
  );
  if (isThere) return [];
  const label = say(`task.buttons.${what}`);
  return [{ type: 'button', id: customIds.animate.id(task.id), label, emoji: '🎞️', startsRow: true }];
}
