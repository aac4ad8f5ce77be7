import { customIds } from '../../discord/custom-ids.ts';
import { grantWords } from '../../discord/limit-words.ts';
import type { ChosenUser } from '../../discord/options.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { sentencesText } from '../../lib/formats.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Holder } from '../../services/money/allowance.ts';
import {
  withBlock,
  withBudgetSetting,
  withGrant,
  withLimits,
  withoutBlock,
  withoutGrants,
  withPause,
  withResets,
} from '../../services/money/budget-changes.ts';
import { WHOLE_BOT } from '../../services/money/budgets.ts';
import { type Cap, EVERY_PERIOD } from '../../services/money/limits.ts';
import { parseGrant } from '../../services/money/limits-text.ts';
import { operatorResetKey } from '../../services/money/server-budget.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { alertsLines, logChannelWarnings, ruleFacts, ruleLines } from '../rule-lines.ts';
import { budgetHistory } from './history.ts';
import {
  ALL_SERVERS,
  MAX_LIMITS_LENGTH,
  type ManagedBudget,
  managedBudget,
  memberOption,
  pausableBudget,
  serverOption,
} from './managed-budget.ts';
import { budgetPage, deletedRoleIds, memberPage, resumeButtonPlan } from './page.ts';
import { setCommand } from './set.ts';

const MAX_DAYS = 3_650;
/** Takes back what was granted. */
const NONE = 'none' as const;

const show = command({
  name: 'show',
  options: { member: memberOption, server: serverOption },
  async run({ member, server }, context) {
    const budget = await managedBudget(server, context);
    return member ? memberPage(budget, member, context) : budgetPage(budget, context);
  },
});

/** For a button on another page, which stays. */
const showButton = on(customIds.budget, {
  reply: 'new-private',
  run: async (_nothing, context) => budgetPage(await managedBudget(undefined, context), context),
});

const removeDeletedRoles = on(customIds.deletedRoles, {
  reply: 'here',
  async run(server, context) {
    const budget = await managedBudget(server, context);
    const roleIds = await deletedRoleIds(budget.guildId, budget.current, context);
    await budget.change((current, author) =>
      roleIds.reduce((changed, roleId) => withLimits(changed, { type: 'role', roleId }, undefined, author), current),
    );
    return budgetPage(budget, context);
  },
});

const grant = command({
  name: 'grant',
  options: {
    more: { type: 'text', required: true, max: MAX_LIMITS_LENGTH },
    member: memberOption,
    server: serverOption,
  },
  parse({ more: moreInput, ...rest }) {
    const more = moreInput.trim().toLowerCase() === NONE ? NONE : parseGrant(moreInput);
    return more ? { ...rest, more } : new Refusal('refusals.budgetMoreInvalid', { more: moreInput });
  },
  async run({ more, member, server }, context) {
    const budget = await managedBudget(server, context);
    const recipient = member && budget.memberIds(member.id);
    const { say } = context;
    const { isOperator } = budget;
    if (!recipient) assertHasOwnLimits(budget);
    if (more === NONE) {
      await budget.change((current, author) => withoutGrants(current, recipient, { ...author, isOperator }));
      return budget.reply(
        member ? say('budget.done.takenBack.member', { member: member.id }) : say('budget.done.takenBack.server'),
      );
    }
    assertRaises(more, member, budget, context);
    await budget.change((current, author) => withGrant(current, recipient, more, { ...author, isOperator }));
    const unit = more.amount === undefined ? 'tasks' : more.tasks === undefined ? 'amount' : 'both';
    const facts = { more: grantWords(more, say) };
    if (member) return budget.reply(say(`budget.done.granted.member.${unit}`, { ...facts, member: member.id }));
    const limits = budget.fixedLimits;
    const allowances = context.services.money.spending.serverAllowances(budget.guildId);
    const raisesOperators =
      budget.isOperator &&
      budget.current.serverLimits !== undefined &&
      allowances.some(({ holder, granted }) => holder === 'operator' && granted !== undefined);
    return budget.reply(
      say(`budget.done.granted.server.${unit}`, facts),
      ...(raisesOperators ? [say('budget.done.operatorRaised', { limits: budget.operatorLimitsNow() })] : []),
      ...(limits === undefined ? [] : [say('budget.done.operatorStands', { limits })]),
    );
  },
});

/** Admins cannot raise what the operator has limited. */
function assertHasOwnLimits({ fixedLimits, current }: ManagedBudget): void {
  if (fixedLimits !== undefined && current.serverLimits === undefined)
    throw new Refusal('refusals.budgetNothingToRaise');
}

/** A grant raises limits that reset. Without such a limit it would change nothing. */
function assertRaises(
  more: Cap,
  member: ChosenUser | undefined,
  { guildId, fixedLimits }: ManagedBudget,
  { services }: Context,
): void {
  const { spending } = services.money;
  const allowances = member
    ? spending.allowances({ memberId: member.id, guildId, isDirect: undefined, roleIds: member.roleIds })
    : spending.serverAllowances(guildId);
  const holders: Holder[] = member ? ['member'] : fixedLimits === undefined ? ['server', 'operator'] : ['server'];
  const raised = allowances.filter(({ holder, period }) => holders.includes(holder) && period !== undefined);
  for (const unit of ['amount', 'tasks'] as const)
    if (more[unit] !== undefined && !raised.some((one) => one.unit === unit))
      throw new Refusal(`refusals.budgetNothingRaised.${unit}`);
}

const reset = command({
  name: 'reset',
  options: { member: memberOption, server: serverOption },
  async run({ member, server }, context) {
    const budget = await managedBudget(server, context);
    const { services, say } = context;
    const { spending } = services.money;
    const recipient = member && budget.memberIds(member.id);
    if (!recipient) assertHasOwnLimits(budget);
    // Count usage in every period: a limit that is set later may cover a period that no limit covers today.
    await services.money.ledger.countFor(EVERY_PERIOD);
    const scope = recipient?.hash ?? spending.limits.serverScope(budget.guildId);
    await budget.change((current, author) => {
      const usage = spending.createReset(scope);
      const operatorReset = !recipient && budget.isOperator ? { [operatorResetKey(scope)]: usage } : {};
      return withResets(current, recipient, { [scope]: usage, ...operatorReset }, author);
    });
    if (member) return budget.reply(say('budget.done.reset.member', { member: member.id }));
    const limits = budget.fixedLimits;
    return budget.reply(
      say('budget.done.reset.server'),
      ...(limits === undefined ? [] : [say('budget.done.reset.operatorStands', { limits })]),
    );
  },
});

const block = command({
  name: 'block',
  options: {
    member: { type: 'user', required: true },
    days: { type: 'number', isInteger: true, min: 1, max: MAX_DAYS },
    server: serverOption,
  },
  parse: (values) => (values.member.isBot ? new Refusal('refusals.budgetBlocksBot') : values),
  async run({ member: { id }, days, server }, context) {
    const budget = await managedBudget(server, context);
    const { services, say } = context;
    const until = days === undefined ? undefined : services.clock.now() + days * DAY_MS;
    await budget.change((current, author) => withBlock(current, budget.memberIds(id), until, author));
    if (until === undefined) return budget.reply(say('budget.done.blocked', { member: id }));
    return budget.reply(say('budget.done.blockedUntil', { member: id, until: Math.ceil(until / 1000) }));
  },
});

const unblock = command({
  name: 'unblock',
  options: { member: { type: 'user', required: true }, server: serverOption },
  async run({ member: { id }, server }, context) {
    const budget = await managedBudget(server, context);
    await budget.change((current, author) => withoutBlock(current, budget.memberIds(id), author));
    const { services, say } = context;
    return budget.reply(
      say('budget.done.unblocked', { member: id }),
      ...(services.money.budgets.isWholeBotPaused ? [say('budget.pausedEverywhere')] : []),
      ...(budget.current.isPaused ? [say('budget.paused')] : []),
    );
  },
});

const pause = command({
  name: 'pause',
  options: { paused: { type: 'switch' }, server: serverOption },
  async run({ paused = true, server }, context) {
    const budget = await pausableBudget(server, context);
    const { say } = context;
    const wasPaused = budget.current.isPaused;
    await budget.change((current, author) => withPause(current, paused, author));
    if (!paused) return budget.reply(resumedText(budget, wasPaused, context));
    const isEverywhere = budget.guildId === WHOLE_BOT;
    return {
      ...budget.reply(say(isEverywhere ? 'budget.done.pausedEverywhere' : 'budget.done.paused')),
      controls: [resumeButtonPlan(isEverywhere ? ALL_SERVERS : budget.guildId, say)],
    };
  },
});

function resumedText({ guildId }: ManagedBudget, wasPaused: boolean, { services, say }: Context): string {
  if (guildId === WHOLE_BOT) return say(wasPaused ? 'budget.done.resumedEverywhere' : 'budget.done.notPaused');
  if (services.money.budgets.isWholeBotPaused) return say('budget.done.resumedHere');
  if (services.safety.rules.get(guildId).unreadable)
    return sentencesText([say('budget.done.pauseEnded'), say('rules.unreadable')], say);
  return say(wasPaused ? 'budget.done.resumed' : 'budget.done.notPaused');
}

const resume = on(customIds.resume, {
  reply: 'here',
  async run(server, context): Promise<MessagePlan> {
    const budget = await pausableBudget(server, context);
    const wasPaused = budget.current.isPaused;
    await budget.change((current, author) => withPause(current, false, author));
    return { ...budget.reply(resumedText(budget, wasPaused, context)), controls: [] };
  },
});

const historyCommand = (kinds: readonly string[]) =>
  command({
    name: 'history',
    options: { server: serverOption },
    async run({ server }, context) {
      const budget = await managedBudget(server, context);
      const history = await context.services.money.budgets.historyOf(budget.guildId);
      const page = budgetHistory(history, kinds, context.say);
      return { ...page, ...budget.reply(page.content ?? '') };
    },
  });

const alerts = command({
  name: 'alerts',
  options: { channel: { type: 'channel' }, off: { type: 'switch' }, server: serverOption },
  parse({ channel, off, server }) {
    return channel !== undefined && off ? new Refusal('refusals.budgetAlertsBoth') : { channel, off, server };
  },
  async run({ channel, off, server }, context) {
    const budget = await managedBudget(server, context);
    const { services, say } = context;
    const previous = budget.current.alertsChannelId;
    if (channel === undefined && (!off || previous === undefined))
      return budget.reply(
        ...(previous === undefined
          ? [say('budget.noAlerts')]
          : [...(await alertsLines(budget.guildId, previous, services, say)), say('budget.alertsHow')]),
      );
    // Reports and held results are posted there, too, if the server has no log channel.
    if (channel !== undefined && (await services.discord.reads.isForeignChannel(channel, budget.guildId)))
      throw new Refusal('refusals.rules.foreignChannel');
    // This post shows immediately whether the bot is allowed to post in the channel.
    if (channel !== undefined) {
      const sayThere = await services.discord.readers.sayTo({ guildId: budget.guildId, channelId: channel });
      const message = await services.discord.outbox.sendInChannel(channel, { content: sayThere('budget.alert.here') });
      if (!message) throw new Refusal('refusals.budgetAlertsFailed');
      await services.safety.serverLogs.recordAlert(budget.guildId, message);
    }
    await budget.change((current, author) => withBudgetSetting(current, 'alertsChannelId', channel, author));
    const facts = ruleFacts(budget.guildId, services);
    const isForLog = facts.logChannelId === undefined;
    if (channel !== undefined)
      return budget.reply(
        say('budget.done.alerts', { channel }),
        ...(isForLog
          ? [say('budget.done.alertsAndLog'), ...(await logChannelWarnings(budget.guildId, facts, services, say))]
          : []),
      );
    // Without a log channel, the log was there.
    return budget.reply(say('budget.done.alertsOff'), ...(isForLog ? ruleLines(facts, say).log : []));
  },
});

/** Lets a server's admins and the operator limit what the server and its members can spend. */
export const budget = (kinds: readonly string[]): Feature => ({
  command: {
    name: 'budget',
    isForServers: true,
    isForAdmins: true,
    subcommands: [show, setCommand(kinds), grant, reset, block, unblock, pause, historyCommand(kinds), alerts],
  },
  handlers: [showButton, removeDeletedRoles, resume],
});
