import type { Services } from '../commands/services.ts';
import { usageAnswer } from '../commands/usage/answer.ts';
import { mayChangePublic } from '../commands/usage/audience.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { dayOf } from '../lib/day.ts';
import { Refusal } from '../lib/refusal.ts';
import { type QuickRange, quickRange, quickRanges } from '../services/usage/days.ts';
import { type Grouping, groupings } from '../services/usage/sheet.ts';

const USAGE = { verb: 'usage', version: 1 } as const;

export const usageRangeId = (range: QuickRange, by: Grouping): string => customId(USAGE.verb, USAGE.version, range, by);

/**
 * Shows another range in the same message. Who may see what is decided anew, for permissions change; and whether others see it is asked of the
 * message itself, for an id can be forged.
 */
export const usageRangeButton: Button<Services> = {
  ...USAGE,
  answers: 'here',
  async run({ args: [name, grouping] }, ask) {
    const range = quickRanges.find((one) => one === name);
    const by = groupings.find((one) => one === grouping);
    if (!range || !by) throw new Refusal('refusals.unknownButton');
    if (!ask.origin.route.isPrivate && !(await mayChangePublic(ask))) throw new Refusal('refusals.usageNotYours');
    return usageAnswer({ range: quickRange(range, dayOf(ask.place.askedAt)), by }, usageRangeId, ask);
  },
};
