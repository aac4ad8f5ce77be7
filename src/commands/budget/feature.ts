import { command, type HandlerContext } from '../../discord/handlers.ts';
import type { ChosenUser } from '../../discord/options.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { exactDollars } from '../../messages/money.ts';
import {
  type Author,
  grantText,
  type LimitsOf,
  type MemberName,
  withAlerts,
  withBlock,
  withConfirmAbove,
  withGrant,
  withLimits,
  withoutBlock,
  withPause,
  withResets,
  withShownCost,
} from '../../services/spending/budget-changes.ts';
import { WHOLE_BOT } from '../../services/spending/budgets.ts';
import type { Limits } from '../../services/spending/limits.ts';
import { limitsText, parseGrant, parseLimits } from '../../services/spending/limits-text.ts';
import { type ServerBudget, withoutPast } from '../../services/spending/server-budget.ts';
import { operatorResets } from '../../services/spending/spending.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { type BudgetTarget, budgetTarget, pauseTarget } from './access.ts';
import { historyPage } from './history.ts';
import { budgetPage, memberPage } from './page.ts';
import { text } from './text.ts';

type Context = HandlerContext<Services>;

const server = { type: 'text', max: 30 } as const;
const member = { type: 'user' } as const;
const DEFAULT = 'default';
const NONE = 'none';
const MAX_LIMITS_LENGTH = 300;
const MAX_DAYS = 3_650;

const show = command({
  name: 'show',
  isPrivate: true,
  options: { member, server },
  async run({ member, server }, context: Context) {
    const target = await budgetTarget(server, context);
    return member ? memberAnswer(target, member, context) : serverAnswer(target, context);
  },
});

function serverAnswer({ guildId }: BudgetTarget, { services, place, say }: Context): MessagePlan {
  const { spending, budgets, clock } = services;
  const { byDefault, above } = spending.operatorLimits(guildId);
  const facts = {
    otherServer: guildId === place.guildId ? undefined : guildId,
    budget: budgets.of(guildId),
    byDefault: { server: byDefault, member: spending.memberDefault },
    above,
    allowances: spending.serverAllowances(guildId),
    isAllPaused: budgets.isAllPaused,
    now: clock.now(),
  };
  return budgetPage(facts, say);
}

function memberAnswer({ guildId }: BudgetTarget, { id: memberId, roleIds }: ChosenUser, { services, say }: Context) {
  const { spending, budgets } = services;
  const known = spending.memberLimits(guildId, memberId, roleIds);
  const all = spending.allowances({ memberId, guildId, isDirect: undefined, roleIds });
  const allowances = all.filter(({ holder }) => holder === 'member');
  const block = budgets.of(guildId).blocks[budgets.memberHash(guildId, memberId)];
  return memberPage({ memberId, ...known, allowances, block }, say);
}

/** Changes a budget on behalf of the member who uses the command. */
function change(
  { guildId }: BudgetTarget,
  { services, place }: Context,
  transition: (budget: ServerBudget, author: Author) => ServerBudget,
): Promise<ServerBudget> {
  const { budgets, spending, clock } = services;
  return budgets.change(guildId, (budget) => {
    const at = clock.now();
    return transition(withoutPast(budget, spending.countsFrom, at), { by: place.userId, at });
  });
}

const nameOf = ({ guildId }: BudgetTarget, memberId: string, { services }: Context): MemberName => ({
  hash: services.budgets.memberHash(guildId, memberId),
  memberId,
});

/** `kinds`: the kinds of tasks that can have limits of their own. */
const setCommand = (kinds: readonly string[]) =>
  command({
    name: 'set',
    isPrivate: true,
    options: {
      limits: { type: 'text', max: MAX_LIMITS_LENGTH },
      for: { type: 'text', choices: ['server', 'members', 'operator'] },
      role: { type: 'role' },
      member,
      confirm_above: { type: 'text', max: 20 },
      show_cost: { type: 'switch' },
      server,
    },
    parse({ limits: typed, confirm_above: above, show_cost: showsCost, ...rest }) {
      const confirmAbove = above === undefined ? undefined : parsePrice(above);
      if (confirmAbove instanceof Refusal) return confirmAbove;
      const more = { ...rest, confirmAbove, showsCost };
      if ([rest.for, rest.role, rest.member].filter((one) => one !== undefined).length > 1)
        return new Refusal('refusals.budgetOneTarget');
      if (typed === undefined)
        return confirmAbove === undefined && showsCost === undefined
          ? new Refusal('refusals.budgetNothingToSet')
          : more;
      if (typed.trim().toLowerCase() === DEFAULT) return { ...more, limits: 'default' as const };
      const limits = parseLimits(typed, kinds);
      return limits ? { ...more, limits } : new Refusal('refusals.budgetLimitsInvalid', { limits: typed });
    },
    async run({ limits, server, confirmAbove, showsCost, ...rest }: SetValues, context: Context) {
      const target = await budgetTarget(server, context);
      const lines: string[] = [];
      if (limits !== undefined)
        lines.push(await setLimits(limits === DEFAULT ? undefined : limits, rest, target, context));
      if (confirmAbove !== undefined) {
        const price = confirmAbove === NONE ? undefined : confirmAbove;
        await change(target, context, (budget, author) => withConfirmAbove(budget, price, author));
        lines.push(
          price === undefined
            ? context.say('budget.done.confirmNever')
            : context.say('budget.done.confirmAbove', { price: exactDollars(price) }),
        );
      }
      if (showsCost !== undefined) {
        await change(target, context, (budget, author) => withShownCost(budget, showsCost, author));
        lines.push(context.say(showsCost ? 'budget.done.costShown' : 'budget.done.costHidden'));
      }
      return { content: lines.join('\n') };
    },
  });

interface SetValues extends Partial<Whose> {
  limits?: Limits | 'default';
  server?: string | undefined;
  confirmAbove: string | undefined;
  showsCost: boolean | undefined;
}

async function setLimits(limits: Limits | undefined, rest: Partial<Whose>, target: BudgetTarget, context: Context) {
  const { for: whose, role, member } = rest;
  if (limits?.weight !== undefined && whose !== 'members' && role === undefined && member === undefined)
    throw new Refusal('refusals.budgetWeightOfServer');
  if (whose === 'operator' && !target.isOperator) throw new Refusal('refusals.budgetOperatorOnly');
  const holder = whoseLimits({ for: whose, role, member }, target, context);
  await change(target, context, (budget, author) => withLimits(budget, holder, limits, author));
  return setAnswer(holder, limits, target, context);
}

/** Accepts `$1`, `1.50` or `none`. */
function parsePrice(text: string): string | Refusal {
  const plain = text.trim().toLowerCase();
  if (plain === NONE) return NONE;
  const price = /^\$?(\d{1,6}(?:\.\d{1,6})?)$/.exec(plain)?.[1];
  return price ?? new Refusal('refusals.budgetPriceInvalid', { price: text });
}

interface Whose {
  for: 'server' | 'members' | 'operator' | undefined;
  role: string | undefined;
  member: ChosenUser | undefined;
}

function whoseLimits({ for: whose = 'server', role, member }: Whose, target: BudgetTarget, context: Context): LimitsOf {
  // Everyone has the role with the server's own id, and Discord does not list it.
  if (role === target.guildId) return { of: 'members' };
  if (role !== undefined) return { of: 'role', roleId: role };
  if (member !== undefined) return { of: 'member', ...nameOf(target, member.id, context) };
  return { of: whose };
}

function setAnswer(whose: LimitsOf, limits: Limits | undefined, { guildId }: BudgetTarget, context: Context): string {
  const { services, say } = context;
  const { spending } = services;
  const { byDefault, above } = spending.operatorLimits(guildId);
  const isOfServer = whose.of === 'server' || whose.of === 'operator';
  const fallback = isOfServer
    ? (above ?? byDefault)
    : (services.budgets.of(guildId).memberLimits ?? spending.memberDefault);
  const text =
    limits === undefined ? say('budget.done.byDefault', { limits: limitsText(fallback) }) : limitsText(limits);
  const done = doneText(whose, text, say);
  if (whose.of !== 'server' || limits === undefined || above === undefined) return done;
  return `${done}\n${say('budget.done.operatorStands', { limits: limitsText(above) })}`;
}

function doneText(whose: LimitsOf, limits: string, say: Context['say']): string {
  switch (whose.of) {
    case 'role':
      return say('budget.done.role', { role: whose.roleId, limits });
    case 'member':
      return say('budget.done.member', { member: whose.memberId, limits });
    case 'server':
      return say('budget.done.server', { limits });
    case 'operator':
      return say('budget.done.operator', { limits });
    case 'members':
      return say('budget.done.members', { limits });
  }
}

const grant = command({
  name: 'grant',
  isPrivate: true,
  options: { more: { type: 'text', required: true, max: MAX_LIMITS_LENGTH }, member, server },
  parse({ more: typed, ...rest }) {
    const more = parseGrant(typed);
    return more ? { ...rest, more } : new Refusal('refusals.budgetMoreInvalid', { more: typed });
  },
  async run({ more, member, server }, context: Context) {
    const target = await budgetTarget(server, context);
    const to = member && nameOf(target, member.id, context);
    if (!to) mustHaveOwnLimits(target, context);
    await change(target, context, (budget, author) =>
      withGrant(budget, to, more, { ...author, isOperator: target.isOperator }),
    );
    return { content: context.say('budget.done.granted', { more: grantText(more) }) };
  },
});

/** Admins cannot raise what the operator has limited. */
function mustHaveOwnLimits({ guildId, isOperator }: BudgetTarget, { services }: Context): void {
  const { above } = services.spending.operatorLimits(guildId);
  if (!isOperator && above !== undefined && services.budgets.of(guildId).serverLimits === undefined)
    throw new Refusal('refusals.budgetNothingToRaise');
}

const reset = command({
  name: 'reset',
  isPrivate: true,
  options: { member, server },
  async run({ member, server }, context: Context) {
    const target = await budgetTarget(server, context);
    const { spending } = context.services;
    const to = member && nameOf(target, member.id, context);
    if (!to) mustHaveOwnLimits(target, context);
    // A limit that is set later may cover a period that no limit covers today.
    await context.services.countEverything();
    const scope = to?.hash ?? spending.serverScope(target.guildId);
    await change(target, context, (budget, author) => {
      const used = spending.resetOf(scope);
      const ofOperator = !to && target.isOperator ? { [operatorResets(scope)]: used } : {};
      return withResets(budget, to, { [scope]: used, ...ofOperator }, author);
    });
    return { content: context.say('budget.done.reset') };
  },
});

const block = command({
  name: 'block',
  isPrivate: true,
  options: {
    member: { type: 'user', required: true },
    days: { type: 'number', isInteger: true, min: 1, max: MAX_DAYS },
    server,
  },
  async run({ member: { id }, days, server }, context: Context) {
    const target = await budgetTarget(server, context);
    const { say } = context;
    const until = days === undefined ? undefined : context.services.clock.now() + days * DAY_MS;
    await change(target, context, (budget, author) => withBlock(budget, nameOf(target, id, context), until, author));
    if (until === undefined) return { content: say('budget.done.blocked', { member: id }) };
    return { content: say('budget.done.blockedUntil', { member: id, until: Math.ceil(until / 1000) }) };
  },
});

const unblock = command({
  name: 'unblock',
  isPrivate: true,
  options: { member: { type: 'user', required: true }, server },
  async run({ member: { id }, server }, context: Context) {
    const target = await budgetTarget(server, context);
    await change(target, context, (budget, author) => withoutBlock(budget, nameOf(target, id, context), author));
    return { content: context.say('budget.done.unblocked', { member: id }) };
  },
});

const pause = command({
  name: 'pause',
  isPrivate: true,
  options: { paused: { type: 'switch' }, server },
  async run({ paused = true, server }, context: Context) {
    const target = await pauseTarget(server, context);
    await change(target, context, (budget, author) => withPause(budget, paused, author));
    if (!paused) return { content: context.say('budget.done.resumed') };
    return {
      content: context.say(target.guildId === WHOLE_BOT ? 'budget.done.pausedEverywhere' : 'budget.done.paused'),
    };
  },
});

const history = command({
  name: 'history',
  isPrivate: true,
  options: { server },
  async run({ server }, context: Context) {
    const { guildId } = await budgetTarget(server, context);
    return historyPage(context.services.budgets.of(guildId).history, context.say);
  },
});

const alerts = command({
  name: 'alerts',
  isPrivate: true,
  options: { channel: { type: 'channel' }, server },
  async run({ channel, server }, context: Context) {
    const target = await budgetTarget(server, context);
    const { services, say } = context;
    // Posting there shows immediately whether the bot is allowed to.
    if (channel !== undefined && !(await services.postInChannel(channel, { content: say('budget.alert.here') })))
      throw new Refusal('refusals.budgetAlertsFailed');
    await change(target, context, (budget, author) => withAlerts(budget, channel, author));
    return { content: channel === undefined ? say('budget.done.alertsOff') : say('budget.done.alerts', { channel }) };
  },
});

/** What a server and its members can spend, for its admins and the operator. */
export const budget = (kinds: readonly string[]): Feature<typeof text> => ({
  command: {
    name: 'budget',
    isForServers: true,
    isForAdmins: true,
    subcommands: [show, setCommand(kinds), grant, reset, block, unblock, pause, history, alerts],
  },
  text,
});
