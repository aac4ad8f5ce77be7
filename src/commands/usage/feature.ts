import { customIds } from '../../discord/custom-ids.ts';
import { mayManageServer } from '../../discord/interaction-facts.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { dayOf } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Allowance } from '../../services/money/allowance.ts';
import { requesterOf } from '../../services/money/limits.ts';
import { isServerHolder } from '../../services/money/spending.ts';
import { type DayRange, parseRange, quickRange } from '../../services/money/usage-days.ts';
import { type Grouping, groupings, type UsageOwner, usageOwners } from '../../services/money/usage-sheet.ts';
import { isAdminOfAdminGuild, mayChangePublicMessage, maySeeAccount } from '../account-access.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { chartAlt, chartOf } from './chart.ts';
import { type UsagePage, usagePage } from './page.ts';

/** Shows another range in the same message. Ids can be forged, so permissions are checked again, and whether the message is public is read from it. */
export const usageRangeButton = on(customIds.usage, {
  reply: 'here',
  async run({ range, by, of }, context) {
    const { route } = context.origin;
    if (!route.isPrivate && !(of === 'account' && (await mayChangePublicMessage(context))))
      throw new Refusal('refusals.usageNotYours');
    return pageOf({ range: quickRange(range, dayOf(context.facts.createdAt)), by, of }, context);
  },
});

/** Shows the same numbers with every digit to the member who asks for them. */
const exactAmountsButton = on(customIds.exactUsage, {
  reply: 'new-private',
  async run({ by, of, ...days }, context) {
    const range = parseRange(days, dayOf(context.facts.createdAt));
    if (range instanceof Refusal) throw range;
    return pageOf({ range, by, of }, context, { isExact: true });
  },
});

interface UsageRequest {
  range: DayRange;
  by: Grouping;
  of: UsageOwner;
}

async function pageOf(request: UsageRequest, context: Context, { isExact } = { isExact: false }): Promise<MessagePlan> {
  const { facts, origin, services, say } = context;
  const { sheet, allowances } = await readUsage(request, context);
  const places = placesIn(request, context);
  const chartData = isExact ? undefined : chartOf(sheet, services.money.usage.unit, say);
  const bytes = chartData && (await services.money.usage.drawChart(chartData));
  const chart = chartData && bytes && { bytes, alt: chartAlt(chartData, say) };
  const postedBy = origin.route.isPrivate ? undefined : facts.userId;
  const today = dayOf(facts.createdAt);
  const { of } = request;
  return usagePage(
    { sheet, of, chart, unit: services.money.usage.unit, today, allowances, places, isExact, postedBy },
    say,
  );
}

async function readUsage({ range, by, of }: UsageRequest, context: Context) {
  const { facts, services } = context;
  const { usage, spending } = services.money;
  switch (of) {
    case 'me': {
      // Only admins can see the limits of others.
      const isOwn = ({ holder }: Allowance): boolean => holder === 'member' || holder === 'direct';
      const allowances = spending.allowances(requesterOf(context.origin)).filter(isOwn);
      return { sheet: await usage.readMember(facts.userId, range, by), allowances };
    }
    case 'server': {
      const { guildId } = facts;
      if (guildId === undefined || !mayManageServer(facts)) throw new Refusal('refusals.usageServerNotYours');
      return { sheet: await usage.readServer(guildId, range, by), allowances: spending.serverAllowances(guildId) };
    }
    case 'account':
      if (!(await maySeeAccount(context))) throw new Refusal('refusals.usageAccountNotYours');
      return { sheet: await usage.readAccount(range, by), allowances: [] };
  }
}

/** How many more tasks may wait in the queue, by the limits on that. */
function placesIn({ of }: UsageRequest, { facts, origin, services }: Context): UsagePage['places'] {
  if (of === 'account') return [];
  const counts = services.tasks.orders.line.countsFor({ guildId: facts.guildId, requesterId: facts.userId });
  return services.money.spending.waitingLimits(requesterOf(origin)).flatMap(({ holder, max }) => {
    const isServers = isServerHolder(holder);
    if (holder === 'total' || isServers !== (of === 'server')) return [];
    return { holder, max, left: Math.max(0, max - counts[isServers ? 'server' : 'member']()) };
  });
}

/** A date has ten characters; longer input gets a refusal that shows the format. */
const MAX_DATE_LENGTH = 40;

const date = { type: 'text', max: MAX_DATE_LENGTH } as const;

export const usage: Feature = {
  command: command({
    name: 'usage',
    // Only the account's usage is posted in a channel, by admins of a server whose admins can see it.
    isPrivate: (values, context) => values.of !== 'account' || values.private === true || !isAdminOfAdminGuild(context),
    options: {
      start: date,
      end: date,
      by: { type: 'text', choices: groupings },
      of: { type: 'text', choices: usageOwners },
      private: { type: 'switch' },
    },
    parse({ by = 'day', of = 'me', ...days }, { createdAt }) {
      if (by === 'role' && of !== 'server') return new Refusal('refusals.usageByRole');
      const range = parseRange(days, dayOf(createdAt));
      return range instanceof Refusal ? range : { range, by, of };
    },
    run: (request, context) => pageOf(request, context),
  }),
  handlers: [usageRangeButton, exactAmountsButton],
};
