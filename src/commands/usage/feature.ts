import { customIds } from '../../discord/custom-ids.ts';
import { button, command, type EarlyContext, type HandlerContext } from '../../discord/handlers.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { dayOf } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Allowance } from '../../services/spending/allowance.ts';
import { ordererOf } from '../../services/spending/spending.ts';
import { type DayRange, parseRange, quickRange } from '../../services/usage/days.ts';
import { type Grouping, groupings } from '../../services/usage/sheet.ts';
import { isAdminOfAdminGuild, mayChangePublicMessage, maySeeAccount } from '../account-access.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { chartAlt, chartOf } from './chart.ts';
import { usagePage } from './page.ts';
import { text } from './text.ts';

/**
 * Shows another range in the same message. Permissions are checked again, because they change; whether the message is public is read from the
 * message itself, because an id can be forged.
 */
export const usageRangeButton = button(customIds.usage, {
  reply: 'here',
  async run({ range, by }, context: HandlerContext<Services>) {
    if (!context.origin.route.isPrivate && !(await mayChangePublicMessage(context)))
      throw new Refusal('refusals.usageNotYours');
    return usageAnswer(quickRange(range, dayOf(context.place.createdAt)), by, context);
  },
});

/** The usage in a range: the whole account's or the member's own. */
async function usageAnswer(range: DayRange, by: Grouping, context: HandlerContext<Services>): Promise<MessagePlan> {
  const { place, say } = context;
  const { usage } = context.services;
  const isAccount = await maySeeAccount(context);
  const sheet = isAccount ? await usage.readAccount(range, by) : await usage.readMember(place.userId, range, by);
  const own = ordererOf(context.origin);
  const allowances = isAccount ? [] : context.services.spending.allowances(own).filter(isOwn);
  const content = chartOf(sheet, say);
  const bytes = content && (await usage.drawChart(content));
  const chart = content && bytes && { bytes, alt: chartAlt(content, say) };
  const today = dayOf(place.createdAt);
  return usagePage({ sheet, chart, unit: usage.unit, today, allowances }, say);
}

/** Others' limits are the admins' business. */
const isOwn = ({ holder }: Allowance): boolean => holder === 'member' || holder === 'direct';

/** A date has ten characters; longer input gets a refusal that shows the format. */
const LONGEST_DATE = 40;

const date = { type: 'text', max: LONGEST_DATE } as const;

export const usage: Feature<typeof text> = {
  command: command({
    name: 'usage',
    isPrivate: (values, seen: EarlyContext<Services>) => (values.private ?? false) || !isAdminOfAdminGuild(seen),
    options: {
      start: date,
      end: date,
      by: { type: 'text', choices: groupings },
      private: { type: 'switch' },
    },
    parse({ by = 'day', ...days }, { createdAt }) {
      const range = parseRange(days, dayOf(createdAt));
      return range instanceof Refusal ? range : { range, by };
    },
    run: ({ range, by }, context: HandlerContext<Services>) => usageAnswer(range, by, context),
  }),
  text,
  buttons: [usageRangeButton],
};
