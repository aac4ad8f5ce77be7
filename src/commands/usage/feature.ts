import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button, command, type Seen } from '../../discord/handlers.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { dayOf } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { askedRange, type DayRange, quickRange } from '../../services/usage/days.ts';
import { type Grouping, groupings } from '../../services/usage/sheet.ts';
import { isManagerAtHome, mayChangePublic, maySeeAccount } from '../audience.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { usagePage } from './page.ts';
import { altOf, pictureOf } from './picture.ts';
import { text } from './text.ts';

/**
 * Shows another range in the same message. Permissions are checked again, because they change; whether the message is public is read from the
 * message itself, because an id can be forged.
 */
export const usageRangeButton = button(customIds.usage, {
  answers: 'here',
  async run({ range, by }, ask: Ask<Services>) {
    if (!ask.origin.route.isPrivate && !(await mayChangePublic(ask))) throw new Refusal('refusals.usageNotYours');
    return usageAnswer(quickRange(range, dayOf(ask.place.askedAt)), by, ask);
  },
});

/** The usage in a range: the whole account's or the member's own. */
async function usageAnswer(range: DayRange, by: Grouping, ask: Ask<Services>): Promise<MessagePlan> {
  const { place, say } = ask;
  const { usage } = ask.services;
  const sheet = (await maySeeAccount(ask)) ? await usage.account(range, by) : await usage.own(place.userId, range, by);
  const picture = pictureOf(sheet, say);
  const bytes = picture && (await usage.draw(picture));
  const chart = picture && bytes && { bytes, alt: altOf(picture, say) };
  const today = dayOf(place.askedAt);
  return usagePage({ sheet, chart, unit: usage.unit, today }, say);
}

/** A date has ten characters; longer input gets a refusal that shows the format. */
const LONGEST_DATE = 40;

const date = { type: 'text', most: LONGEST_DATE } as const;

export const usage: Feature<typeof text> = {
  command: command({
    name: 'usage',
    isPrivate: (values, seen: Seen<Services>) => (values.private ?? false) || !isManagerAtHome(seen),
    options: {
      start: date,
      end: date,
      by: { type: 'text', choices: groupings },
      private: { type: 'switch' },
    },
    parse({ by = 'day', ...days }, { askedAt }) {
      const range = askedRange(days, dayOf(askedAt));
      return range instanceof Refusal ? range : { range, by };
    },
    run: ({ range, by }, ask: Ask<Services>) => usageAnswer(range, by, ask),
  }),
  text,
  buttons: [usageRangeButton],
};
