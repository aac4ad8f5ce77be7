import { customIds } from '../../discord/custom-ids.ts';
import type { ChosenUser } from '../../discord/options.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Holder } from '../../services/spending/allowance.ts';
import {
  type Author,
  grantText,
  type LimitsFor,
  type MemberIds,
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
import type { Cap, Limits } from '../../services/spending/limits.ts';
import { limitsText, parseGrant, parseLimits } from '../../services/spending/limits-text.ts';
import { type ServerBudget, withoutExpired } from '../../services/spending/server-budget.ts';
import { operatorResetKey } from '../../services/spending/spending.ts';
import type { Feature } from '../feature.ts';
import { type Context, command, on } from '../services.ts';
import { ALL_SERVERS, type BudgetTarget, budgetTarget, pauseTarget } from './access.ts';
import { budgetHistory } from './history.ts';
import { budgetPage, confirmationLine, memberPage, resumeButtonPlan } from './page.ts';
import { text } from './text.ts';

const server = { type: 'text', max: 30 } as const;
const member = { type: 'user' } as const;
const DEFAULT_KEYWORD = 'default';
const OFF_KEYWORD = 'off';
const MAX_LIMITS_LENGTH = 300;
const MAX_DAYS = 3_650;

const show = command({
  name: 'show',
  isPrivate: true,
  options: { member, server },
  async run({ member, server }, context) {
    const target = await budgetTarget(server, context);
    return member ? memberReply(target, member, context) : serverReply(target, context);
  },
});

function serverReply({ guildId, isOperator }: BudgetTarget, { services, place, say }: Context): MessagePlan {
  const { spending, budgets, clock } = services;
  const { fallback, overriding } = spending.operatorLimits(guildId);
  const facts = {
    otherServer: guildId === place.guildId ? undefined : guildId,
    guildId,
    budget: budgets.get(guildId),
    defaults: { server: fallback, member: spending.memberDefault },
    overriding,
    allowances: spending.serverAllowances(guildId),
    isAllPaused: budgets.isWholeBotPaused,
    isOperator,
    now: clock.now(),
  };
  return budgetPage(facts, say);
}

function memberReply({ guildId }: BudgetTarget, { id: memberId, roleIds }: ChosenUser, { services, say }: Context) {
  const { spending, budgets } = services;
  const memberLimits = spending.memberLimits(guildId, memberId, roleIds);
  const allAllowances = spending.allowances({ memberId, guildId, isDirect: undefined, roleIds });
  const allowances = allAllowances.filter(({ holder }) => holder === 'member');
  const block = budgets.get(guildId).blocks[budgets.memberHash(guildId, memberId)];
  return memberPage({ memberId, ...memberLimits, allowances, block }, say);
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
    return transition(withoutExpired(budget, spending.countingStart, at), { by: place.userId, at });
  });
}

const memberIdsOf = ({ guildId }: BudgetTarget, memberId: string, { services }: Context): MemberIds => ({
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
    parse({ limits: limitsInput, confirm_above: thresholdInput, show_cost: showsCost, ...rest }) {
      const confirmAbove = thresholdInput === undefined ? undefined : parsePrice(thresholdInput);
      if (confirmAbove instanceof Refusal) return confirmAbove;
      const otherValues = { ...rest, confirmAbove, showsCost };
      if ([rest.for, rest.role, rest.member].filter((one) => one !== undefined).length > 1)
        return new Refusal('refusals.budgetOneTarget');
      if (limitsInput === undefined)
        return confirmAbove === undefined && showsCost === undefined
          ? new Refusal('refusals.budgetNothingToSet')
          : otherValues;
      if (limitsInput.trim().toLowerCase() === DEFAULT_KEYWORD) return { ...otherValues, limits: 'default' as const };
      const limits = parseLimits(limitsInput, kinds);
      return limits ? { ...otherValues, limits } : new Refusal('refusals.budgetLimitsInvalid', { limits: limitsInput });
    },
    async run({ limits, server, confirmAbove, showsCost, ...rest }: SetValues, context) {
      const target = await budgetTarget(server, context);
      const lines: string[] = [];
      if (limits !== undefined)
        lines.push(await setLimits(limits === DEFAULT_KEYWORD ? undefined : limits, rest, target, context));
      if (confirmAbove !== undefined) {
        const price = confirmAbove === OFF_KEYWORD ? undefined : confirmAbove;
        await change(target, context, (budget, author) => withConfirmAbove(budget, price, author));
        lines.push(
          price === undefined ? context.say('budget.done.confirmNever') : confirmationLine(price, context.say),
        );
      }
      if (showsCost !== undefined) {
        await change(target, context, (budget, author) => withShownCost(budget, showsCost, author));
        lines.push(context.say(showsCost ? 'budget.done.costShown' : 'budget.done.costHidden'));
      }
      return { content: lines.join('\n') };
    },
  });

interface SetValues extends Partial<LimitsTarget> {
  limits?: Limits | 'default';
  server?: string | undefined;
  confirmAbove: string | undefined;
  showsCost: boolean | undefined;
}

async function setLimits(
  limits: Limits | undefined,
  rest: Partial<LimitsTarget>,
  target: BudgetTarget,
  context: Context,
) {
  const { for: targetType, role, member } = rest;
  if (limits?.weight !== undefined && targetType !== 'members' && role === undefined && member === undefined)
    throw new Refusal('refusals.budgetWeightOfServer');
  if (targetType === 'operator' && !target.isOperator) throw new Refusal('refusals.budgetOperatorOnly');
  const holder = holderOf({ for: targetType, role, member }, target, context);
  await change(target, context, (budget, author) => withLimits(budget, holder, limits, author));
  return setReply(holder, limits, target, context);
}

/** Accepts `$1` or `1.50`, and `off` or `none`. */
function parsePrice(text: string): string | Refusal {
  const normalized = text.trim().toLowerCase();
  if ([OFF_KEYWORD, 'none'].includes(normalized)) return OFF_KEYWORD;
  const price = /^\$?(\d{1,6}(?:\.\d{1,6})?)$/.exec(normalized)?.[1];
  return price ?? new Refusal('refusals.budgetPriceInvalid', { price: text });
}

interface LimitsTarget {
  for: 'server' | 'members' | 'operator' | undefined;
  role: string | undefined;
  member: ChosenUser | undefined;
}

function holderOf(
  { for: targetType = 'server', role, member }: LimitsTarget,
  target: BudgetTarget,
  context: Context,
): LimitsFor {
  // Everyone has the role with the server's own id, and Discord does not list it.
  if (role === target.guildId) return { type: 'members' };
  if (role !== undefined) return { type: 'role', roleId: role };
  if (member !== undefined) return { type: 'member', ...memberIdsOf(target, member.id, context) };
  return { type: targetType };
}

function setReply(
  holder: LimitsFor,
  limits: Limits | undefined,
  { guildId }: BudgetTarget,
  { services, say }: Context,
): string {
  const { spending, budgets } = services;
  const { fallback: defaultLimits, overriding } = spending.operatorLimits(guildId);
  const memberLimits = limitsText(budgets.get(guildId).memberLimits ?? spending.memberDefault);
  const isException = holder.type === 'role' || holder.type === 'member';
  const facts = {
    role: holder.type === 'role' ? holder.roleId : '',
    member: holder.type === 'member' ? holder.memberId : '',
  };
  if (limits === undefined && isException)
    return say(`budget.done.default.${holder.type}`, { ...facts, limits: memberLimits });
  const isOverridden = holder.type === 'server' && budgets.get(guildId).operatorLimits !== undefined;
  const fallback = holder.type === 'members' ? memberLimits : limitsText(defaultLimits);
  const byDefault = isOverridden ? say('budget.done.noneOfItsOwn') : say('budget.done.byDefault', { limits: fallback });
  const text = limits === undefined ? byDefault : limitsText(limits);
  const operatorStands = holder.type === 'server' && (limits !== undefined || isOverridden) && overriding !== undefined;
  return [
    say(`budget.done.${holder.type}`, { ...facts, limits: text }),
    ...(isException && memberLimits !== limitsText({}) ? [say('budget.done.replaced', { limits: memberLimits })] : []),
    ...(limits?.waiting === undefined ? [] : [say('budget.done.waiting')]),
    ...(operatorStands ? [say('budget.done.operatorStands', { limits: limitsText(overriding) })] : []),
  ].join('\n');
}

const grant = command({
  name: 'grant',
  isPrivate: true,
  options: { more: { type: 'text', required: true, max: MAX_LIMITS_LENGTH }, member, server },
  parse({ more: moreInput, ...rest }) {
    const more = parseGrant(moreInput);
    return more ? { ...rest, more } : new Refusal('refusals.budgetMoreInvalid', { more: moreInput });
  },
  async run({ more, member, server }, context) {
    const target = await budgetTarget(server, context);
    const recipient = member && memberIdsOf(target, member.id, context);
    if (!recipient) assertHasOwnLimits(target, context);
    assertRaises(more, member, target, context);
    await change(target, context, (budget, author) =>
      withGrant(budget, recipient, more, { ...author, isOperator: target.isOperator }),
    );
    const { say } = context;
    if (member) return { content: say('budget.done.granted.member', { member: member.id, more: grantText(more) }) };
    const limits = operatorText(target, context);
    const lines = [
      say('budget.done.granted.server', { more: grantText(more) }),
      ...(limits === undefined ? [] : [say('budget.done.operatorStands', { limits })]),
    ];
    return { content: lines.join('\n') };
  },
});

/** The limits that an admin of the server cannot change; undefined if there are none. */
function operatorText({ guildId, isOperator }: BudgetTarget, { services }: Context): string | undefined {
  const { overriding } = services.spending.operatorLimits(guildId);
  return isOperator || overriding === undefined ? undefined : limitsText(overriding);
}

/** Admins cannot raise what the operator has limited. */
function assertHasOwnLimits({ guildId, isOperator }: BudgetTarget, { services }: Context): void {
  const { overriding } = services.spending.operatorLimits(guildId);
  if (!isOperator && overriding !== undefined && services.budgets.get(guildId).serverLimits === undefined)
    throw new Refusal('refusals.budgetNothingToRaise');
}

/** A grant raises limits that reset. Without such a limit it would change nothing. */
function assertRaises(
  more: Cap,
  member: ChosenUser | undefined,
  { guildId, isOperator }: BudgetTarget,
  { services: { spending } }: Context,
): void {
  const allowances = member
    ? spending.allowances({ memberId: member.id, guildId, isDirect: undefined, roleIds: member.roleIds })
    : spending.serverAllowances(guildId);
  const holders: Holder[] = member ? ['member'] : isOperator ? ['server', 'operator'] : ['server'];
  const raised = allowances.filter(({ holder, period }) => holders.includes(holder) && period !== undefined);
  for (const unit of ['amount', 'tasks'] as const)
    if (more[unit] !== undefined && !raised.some((one) => one.unit === unit))
      throw new Refusal(`refusals.budgetNothingRaised.${unit}`);
}

const reset = command({
  name: 'reset',
  isPrivate: true,
  options: { member, server },
  async run({ member, server }, context) {
    const target = await budgetTarget(server, context);
    const { spending } = context.services;
    const recipient = member && memberIdsOf(target, member.id, context);
    if (!recipient) assertHasOwnLimits(target, context);
    // Count usage in every period: a limit that is set later may cover a period that no limit covers today.
    await context.services.countEverything();
    const scope = recipient?.hash ?? spending.serverScope(target.guildId);
    await change(target, context, (budget, author) => {
      const usage = spending.createReset(scope);
      const operatorReset = !recipient && target.isOperator ? { [operatorResetKey(scope)]: usage } : {};
      return withResets(budget, recipient, { [scope]: usage, ...operatorReset }, author);
    });
    const { say } = context;
    if (member) return { content: say('budget.done.reset.member', { member: member.id }) };
    const limits = operatorText(target, context);
    const lines = [
      say('budget.done.reset.server'),
      ...(limits === undefined ? [] : [say('budget.done.reset.operatorStands', { limits })]),
    ];
    return { content: lines.join('\n') };
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
  async run({ member: { id }, days, server }, context) {
    const target = await budgetTarget(server, context);
    const { say } = context;
    const blockedUntil = days === undefined ? undefined : context.services.clock.now() + days * DAY_MS;
    await change(target, context, (budget, author) =>
      withBlock(budget, memberIdsOf(target, id, context), blockedUntil, author),
    );
    if (blockedUntil === undefined) return { content: say('budget.done.blocked', { member: id }) };
    return { content: say('budget.done.blockedUntil', { member: id, until: Math.ceil(blockedUntil / 1000) }) };
  },
});

const unblock = command({
  name: 'unblock',
  isPrivate: true,
  options: { member: { type: 'user', required: true }, server },
  async run({ member: { id }, server }, context) {
    const target = await budgetTarget(server, context);
    await change(target, context, (budget, author) => withoutBlock(budget, memberIdsOf(target, id, context), author));
    const { services, say } = context;
    const lines = [
      say('budget.done.unblocked', { member: id }),
      ...(services.budgets.isWholeBotPaused ? [say('budget.pausedEverywhere')] : []),
      ...(services.budgets.get(target.guildId).isPaused ? [say('budget.paused')] : []),
    ];
    return { content: lines.join('\n') };
  },
});

const pause = command({
  name: 'pause',
  isPrivate: true,
  options: { paused: { type: 'switch' }, server },
  async run({ paused = true, server }, context) {
    const target = await pauseTarget(server, context);
    const { say } = context;
    await change(target, context, (budget, author) => withPause(budget, paused, author));
    if (!paused) return { content: resumedText(target, context) };
    return {
      content: say(target.guildId === WHOLE_BOT ? 'budget.done.pausedEverywhere' : 'budget.done.paused'),
      controls: [resumeButtonPlan(target.guildId === WHOLE_BOT ? ALL_SERVERS : target.guildId, say)],
    };
  },
});

function resumedText({ guildId }: BudgetTarget, { services, say }: Context): string {
  if (guildId === WHOLE_BOT) return say('budget.done.resumedEverywhere');
  return say(services.budgets.isWholeBotPaused ? 'budget.done.resumedHere' : 'budget.done.resumed');
}

const resume = on(customIds.resume, {
  reply: 'here',
  async run(server, context): Promise<MessagePlan> {
    const target = await pauseTarget(server, context);
    await change(target, context, (budget, author) => withPause(budget, false, author));
    return { content: resumedText(target, context), controls: [] };
  },
});

const history = command({
  name: 'history',
  isPrivate: true,
  options: { server },
  async run({ server }, context) {
    const { guildId } = await budgetTarget(server, context);
    return budgetHistory(context.services.budgets.historyOf(guildId), context.say);
  },
});

const alerts = command({
  name: 'alerts',
  isPrivate: true,
  options: { channel: { type: 'channel' }, server },
  async run({ channel, server }, context) {
    const target = await budgetTarget(server, context);
    const { services, say } = context;
    // This post shows immediately whether the bot is allowed to post in the channel.
    if (channel !== undefined && !(await services.postInChannel(channel, { content: say('budget.alert.here') })))
      throw new Refusal('refusals.budgetAlertsFailed');
    await change(target, context, (budget, author) => withAlerts(budget, channel, author));
    return { content: channel === undefined ? say('budget.done.alertsOff') : say('budget.done.alerts', { channel }) };
  },
});

/** Lets a server's admins and the operator limit what the server and its members can spend. */
export const budget = (kinds: readonly string[]): Feature<typeof text> => ({
  command: {
    name: 'budget',
    isForServers: true,
    isForAdmins: true,
    subcommands: [show, setCommand(kinds), grant, reset, block, unblock, pause, history, alerts],
  },
  handlers: [resume],
  text,
});
