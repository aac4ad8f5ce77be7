import { allowanceText, limitsWords } from '../../discord/limit-words.ts';
import type { ChosenUser } from '../../discord/options.ts';
import { listText } from '../../lib/formats.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type LimitsFor, withBudgetSetting, withLimits, withShownCost } from '../../services/money/budget-changes.ts';
import type { Limits } from '../../services/money/limits.ts';
import { limitsText, parseLimits } from '../../services/money/limits-text.ts';
import { type Context, command } from '../feature.ts';
import { MAX_LIMITS_LENGTH, type ManagedBudget, managedBudget, memberOption, serverOption } from './managed-budget.ts';
import { confirmationLine } from './page.ts';

const DEFAULT = 'default';
const OFF = 'off';

/** `kinds`: the kinds of tasks that can have limits of their own. */
export const setCommand = (kinds: readonly string[]) =>
  command({
    name: 'set',
    options: {
      limits: { type: 'text', max: MAX_LIMITS_LENGTH },
      for: { type: 'text', choices: ['server', 'members', 'operator'] },
      role: { type: 'role' },
      member: memberOption,
      confirm_above: { type: 'text', max: 20 },
      show_cost: { type: 'switch' },
      server: serverOption,
    },
    parse({ limits: limitsInput, confirm_above: priceInput, show_cost: showsCost, server, ...holder }) {
      const confirmAbove = priceInput === undefined ? undefined : parsePrice(priceInput);
      if (confirmAbove instanceof Refusal) return confirmAbove;
      if (Object.values(holder).filter((one) => one !== undefined).length > 1)
        return new Refusal('refusals.budgetOneTarget');
      if ([limitsInput, confirmAbove, showsCost].every((one) => one === undefined))
        return new Refusal('refusals.budgetNothingToSet');
      const limits = limitsInput === undefined ? undefined : limitsIn(limitsInput, kinds);
      return limits instanceof Refusal ? limits : { limits, holder, confirmAbove, showsCost, server };
    },
    async run({ limits, holder, confirmAbove, showsCost, server }, context) {
      const budget = await managedBudget(server, context);
      const { say } = context;
      const lines: string[] = [];
      if (limits !== undefined)
        lines.push(await setLimits(limits === DEFAULT ? undefined : limits, holder, budget, context));
      if (confirmAbove !== undefined) {
        const price = confirmAbove === OFF ? undefined : confirmAbove;
        await budget.change((current, author) => withBudgetSetting(current, 'confirmAbove', price, author));
        lines.push(price === undefined ? say('budget.done.confirmNever') : confirmationLine(price, say));
      }
      if (showsCost !== undefined) {
        await budget.change((current, author) => withShownCost(current, showsCost, author));
        lines.push(say(showsCost ? 'budget.done.costShown' : 'budget.done.costHidden'));
      }
      return budget.reply(...lines);
    },
  });

function limitsIn(text: string, kinds: readonly string[]): Limits | typeof DEFAULT | Refusal {
  if (text.trim().toLowerCase() === DEFAULT) return DEFAULT;
  return parseLimits(text, kinds) ?? new Refusal('refusals.budgetLimitsInvalid', { limits: text });
}

/** Accepts `$1` or `1.50`, and `off` or `none`. */
function parsePrice(text: string): string | Refusal {
  const normalized = text.trim().toLowerCase();
  if ([OFF, 'none'].includes(normalized)) return OFF;
  const price = /^\$?(\d{1,6}(?:\.\d{1,6})?)$/.exec(normalized)?.[1];
  return price ?? new Refusal('refusals.budgetPriceInvalid', { price: text });
}

interface ChosenHolder {
  for: 'server' | 'members' | 'operator' | undefined;
  role: string | undefined;
  member: ChosenUser | undefined;
}

async function setLimits(limits: Limits | undefined, chosen: ChosenHolder, budget: ManagedBudget, context: Context) {
  const { for: type, role, member } = chosen;
  if (limits?.weight !== undefined && type !== 'members' && role === undefined && member === undefined)
    throw new Refusal('refusals.budgetWeightOfServer');
  if (type === 'operator' && !budget.isOperator) throw new Refusal('refusals.budgetOperatorOnly');
  const holder = holderOf(chosen, budget);
  await budget.change((current, author) => withLimits(current, holder, limits, author));
  return setReply(holder, limits, budget, context);
}

function holderOf({ for: type = 'server', role, member }: ChosenHolder, budget: ManagedBudget): LimitsFor {
  // Everyone has the role with the server's own id, and Discord does not list it.
  if (role === budget.guildId) return { type: 'members' };
  if (role !== undefined) return { type: 'role', roleId: role };
  return member === undefined ? { type } : { type: 'member', ...budget.memberIds(member.id) };
}

function setReply(holder: LimitsFor, limits: Limits | undefined, budget: ManagedBudget, context: Context): string {
  const { guildId, current } = budget;
  const { services, say } = context;
  const { spending } = services.money;
  const { fallback: defaultLimits, overriding } = spending.limits.ofOperator(guildId);
  const membersLimits = current.memberLimits ?? spending.limits.memberDefault;
  const memberLimits = limitsWords(membersLimits, say);
  const isException = holder.type === 'role' || holder.type === 'member';
  const facts = {
    role: holder.type === 'role' ? holder.roleId : '',
    member: holder.type === 'member' ? holder.memberId : '',
  };
  if (limits === undefined && isException)
    return say(`budget.done.default.${holder.type}`, { ...facts, limits: memberLimits });
  const isOverridden = holder.type === 'server' && current.operatorLimits !== undefined;
  const fallback = holder.type === 'members' ? memberLimits : limitsWords(defaultLimits, say);
  const byDefault = isOverridden ? say('budget.done.noneOfItsOwn') : say('budget.done.byDefault', { limits: fallback });
  const text = limits === undefined ? byDefault : limitsWords(limits, say);
  const hasOperatorLimits = limitsText(overriding ?? {}) !== limitsText({});
  const operatorStands = holder.type === 'server' && (limits !== undefined || isOverridden) && hasOperatorLimits;
  return [
    say(`budget.done.${holder.type}`, { ...facts, limits: text }),
    ...(isException && limitsText(membersLimits) !== limitsText({})
      ? [say('budget.done.replaced', { limits: memberLimits })]
      : []),
    ...(limits === undefined && isOverridden ? [] : grantLines(holder, budget, context)),
    ...(limits?.waiting === undefined ? [] : [say('budget.done.waiting')]),
    ...(operatorStands ? [say('budget.done.operatorStands', { limits: budget.operatorLimitsNow() })] : []),
  ].join('\n');
}

/** Grants of the current period raise a limit that is set after them, too. */
function grantLines(target: LimitsFor, { guildId, current }: ManagedBudget, { services, say }: Context): string[] {
  const { spending } = services.money;
  if (target.type === 'members' || target.type === 'role') return [];
  const allowances =
    target.type === 'member'
      ? spending.allowances({ memberId: target.memberId, guildId, isDirect: undefined })
      : spending.serverAllowances(guildId);
  // Without limits of its own, a server has those of the operator.
  const holder = target.type === 'server' && current.serverLimits === undefined ? 'operator' : target.type;
  const raised = allowances.filter((one) => one.holder === holder && one.granted !== undefined);
  const texts = raised.map((one) => allowanceText(one, say));
  return texts.length === 0 ? [] : [say('budget.done.stillGranted', { limits: listText(texts, say) })];
}
