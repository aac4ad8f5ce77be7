import { customIds } from '../../discord/custom-ids.ts';
import type { ButtonPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView, MessageContext } from '../../messages/kind-view.ts';
import { meaningOfAction } from '../../services/tasks/actions.ts';
import { FILM_DOOR, filmOf, motions } from '../../services/tasks/animations.ts';
import type { Task } from '../../services/tasks/task.ts';

/** A film made of a result by our own asking, where the gateway has no button for it that works. */
export const animate: KindView = {
  facts({ request }, say) {
    const motion = motions.find((one) => one === request.motion);
    const facts = [
      ...(motion ? [say(`task.animate.${motion}`)] : []),
      ...(request.loop === true ? [say('task.animate.loop')] : []),
    ];
    return facts.length === 0 ? [] : [`-# ${facts.join(' · ')}`];
  },
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
