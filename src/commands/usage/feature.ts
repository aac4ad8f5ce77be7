import { customIds } from '../../discord/custom-ids.ts';
import { button, command, type EarlyContext, type HandlerContext } from '../../discord/handlers.ts';
import { mayManageServer } from '../../discord/place.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { dayOf } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Allowance } from '../../services/spending/allowance.ts';
import { requesterOf } from '../../services/spending/requester.ts';
import { type DayRange, parseRange, quickRange } from '../../services/usage/days.ts';
import { type Grouping, groupings, type Sheet } from '../../services/usage/sheet.ts';
import { isAdminOfAdminGuild, mayChangePublicMessage, maySeeAccount } from '../account-access.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { chartAlt, chartOf } from './chart.ts';
import { usagePage } from './page.ts';
import { text } from './text.ts';

/**
 * Shows another range in the same message. Permissions are checked again, because they may have changed. Whether the message is
 * public is read from the message itself, because an id can be forged.
 */
export const usageRangeButton = button(customIds.usage, {
  reply: 'here',
  async run({ range, by, ofServer = false }, context: HandlerContext<Services>) {
    const days = quickRange(range, dayOf(context.place.createdAt));
    if (ofServer) {
      if (!context.origin.route.isPrivate) throw new Refusal('refusals.usageNotYours');
      return serverReply(days, by, context);
    }
    if (!context.origin.route.isPrivate && !(await mayChangePublicMessage(context)))
      throw new Refusal('refusals.usageNotYours');
    return usageReply(days, by, context);
  },
});

/** Shows the usage in a range: the whole account's or the member's own. */
async function usageReply(range: DayRange, by: Grouping, context: HandlerContext<Services>): Promise<MessagePlan> {
  const { place, services } = context;
  const { usage } = services;
  const isAccount = await maySeeAccount(context);
  const sheet = isAccount ? await usage.readAccount(range, by) : await usage.readMember(place.userId, range, by);
  const requester = requesterOf(context.origin);
  const allowances = isAccount ? [] : services.spending.allowances(requester).filter(isMemberAllowance);
  return pageOf(sheet, allowances, context);
}

/** Shows the usage of a server and its limits to those who manage it. */
async function serverReply(range: DayRange, by: Grouping, context: HandlerContext<Services>): Promise<MessagePlan> {
  const { place, services } = context;
  const { guildId } = place;
  if (guildId === undefined || !mayManageServer(place)) throw new Refusal('refusals.usageServerNotYours');
  return pageOf(
    await services.usage.readServer(guildId, range, by),
    services.spending.serverAllowances(guildId),
    context,
  );
}

async function pageOf(
  sheet: Sheet,
  allowances: readonly Allowance[],
  { place, services: { usage }, say }: HandlerContext<Services>,
): Promise<MessagePlan> {
  const chartData = chartOf(sheet, say);
  const bytes = chartData && (await usage.drawChart(chartData));
  const chart = chartData && bytes && { bytes, alt: chartAlt(chartData, say) };
  const today = dayOf(place.createdAt);
  return usagePage({ sheet, chart, unit: usage.unit, today, allowances }, say);
}

/** Only admins can see the limits of other members. */
const isMemberAllowance = ({ holder }: Allowance): boolean => holder === 'member' || holder === 'direct';

/** A date has ten characters; longer input gets a refusal that shows the format. */
const MAX_DATE_LENGTH = 40;

const date = { type: 'text', max: MAX_DATE_LENGTH } as const;

export const usage: Feature<typeof text> = {
  command: command({
    name: 'usage',
    isPrivate: (values, context: EarlyContext) =>
      (values.private ?? false) || values.of === 'server' || !isAdminOfAdminGuild(context),
    options: {
      start: date,
      end: date,
      by: { type: 'text', choices: groupings },
      of: { type: 'text', choices: ['me', 'server'] },
      private: { type: 'switch' },
    },
    parse({ by = 'day', of, ...days }, { createdAt }) {
      if (by === 'role' && of !== 'server') return new Refusal('refusals.usageByRole');
      const range = parseRange(days, dayOf(createdAt));
      return range instanceof Refusal ? range : { range, by, ofServer: of === 'server' };
    },
    run: ({ range, by, ofServer }, context: HandlerContext<Services>) =>
      ofServer ? serverReply(range, by, context) : usageReply(range, by, context),
  }),
  text,
  buttons: [usageRangeButton],
};
