import type { ChosenUser } from '../../discord/options.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type LimitsFor, withConfirmAbove, withLimits, withShownCost } from '../../services/spending/budget-changes.ts';
import type { Limits } from '../../services/spending/limits.ts';
import { limitsText, parseLimits } from '../../services/spending/limits-text.ts';
import { type Context, command } from '../services.ts';
import { type BudgetTarget, budgetTarget } from './access.ts';
import { budgetReply, change, MAX_LIMITS_LENGTH, member, memberIdsOf, server } from './change.ts';
import { confirmationLine } from './page.ts';

const DEFAULT_KEYWORD = 'default';
const OFF_KEYWORD = 'off';

/** `kinds`: the kinds of tasks that can have limits of their own. */
export const setCommand = (kinds: readonly string[]) =>
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
      return budgetReply(target, lines, context);
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
