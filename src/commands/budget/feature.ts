import { customIds } from '../../discord/custom-ids.ts';
import type { ChosenUser } from '../../discord/options.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Holder } from '../../services/spending/allowance.ts';
import {
  grantText,
  withAlerts,
  withBlock,
  withGrant,
  withoutBlock,
  withPause,
  withResets,
} from '../../services/spending/budget-changes.ts';
import { WHOLE_BOT } from '../../services/spending/budgets.ts';
import type { Cap } from '../../services/spending/limits.ts';
import { limitsText, parseGrant } from '../../services/spending/limits-text.ts';
import { operatorResetKey } from '../../services/spending/spending.ts';
import type { Feature } from '../feature.ts';
import { type Context, command, on } from '../services.ts';
import { ALL_SERVERS, type BudgetTarget, budgetTarget, pauseTarget } from './access.ts';
import { budgetReply, change, MAX_LIMITS_LENGTH, member, memberIdsOf, server } from './change.ts';
import { budgetHistory } from './history.ts';
import { budgetPage, memberPage, resumeButtonPlan } from './page.ts';
import { setCommand } from './set.ts';
import { text } from './text.ts';

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
    if (member)
      return budgetReply(
        target,
        [say('budget.done.granted.member', { member: member.id, more: grantText(more) })],
        context,
      );
    const limits = operatorText(target, context);
    const lines = [
      say('budget.done.granted.server', { more: grantText(more) }),
      ...(limits === undefined ? [] : [say('budget.done.operatorStands', { limits })]),
    ];
    return budgetReply(target, lines, context);
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
    if (member) return budgetReply(target, [say('budget.done.reset.member', { member: member.id })], context);
    const limits = operatorText(target, context);
    const lines = [
      say('budget.done.reset.server'),
      ...(limits === undefined ? [] : [say('budget.done.reset.operatorStands', { limits })]),
    ];
    return budgetReply(target, lines, context);
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
    const line =
      blockedUntil === undefined
        ? say('budget.done.blocked', { member: id })
        : say('budget.done.blockedUntil', { member: id, until: Math.ceil(blockedUntil / 1000) });
    return budgetReply(target, [line], context);
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
    return budgetReply(target, lines, context);
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
    if (!paused) return budgetReply(target, [resumedText(target, context)], context);
    const line = say(target.guildId === WHOLE_BOT ? 'budget.done.pausedEverywhere' : 'budget.done.paused');
    return {
      ...budgetReply(target, [line], context),
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
    return { ...budgetReply(target, [resumedText(target, context)], context), controls: [] };
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
    // Reports and held results are posted there, too, if the server has no log channel.
    if (channel !== undefined && (await services.isForeignChannel(channel, target.guildId)))
      throw new Refusal('refusals.rules.foreignChannel');
    // This post shows immediately whether the bot is allowed to post in the channel.
    if (channel !== undefined && !(await services.outbox.sendInChannel(channel, { content: say('budget.alert.here') })))
      throw new Refusal('refusals.budgetAlertsFailed');
    await change(target, context, (budget, author) => withAlerts(budget, channel, author));
    const line = channel === undefined ? say('budget.done.alertsOff') : say('budget.done.alerts', { channel });
    return budgetReply(target, [line], context);
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
