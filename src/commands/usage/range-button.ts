import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { dayOf } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { quickRange } from '../../services/usage/days.ts';
import { mayChangePublic } from '../audience.ts';
import type { Services } from '../services.ts';
import { usageAnswer } from './answer.ts';

/**
 * Shows another range in the same message. Who may see what is decided anew, for permissions change; and whether others see it is asked of the
 * message itself, for an id can be forged.
 */
export const usageRangeButton = button(customIds.usage, {
  answers: 'here',
  async run({ range, by }, ask: Ask<Services>) {
    if (!ask.origin.route.isPrivate && !(await mayChangePublic(ask))) throw new Refusal('refusals.usageNotYours');
    return usageAnswer({ range: quickRange(range, dayOf(ask.place.askedAt)), by }, ask);
  },
});
