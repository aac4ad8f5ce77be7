import { customIds } from '../../discord/custom-ids.ts';
import { allowanceText, leftText, limitsWords } from '../../discord/limit-words.ts';
import { escapeText, inlineCode, memberMention } from '../../discord/markdown.ts';
import type { ChosenUser } from '../../discord/options.ts';
import { type ButtonPlan, buttonPlan, type MessagePlan } from '../../discord/plan.ts';
import { isZero } from '../../lib/decimals.ts';
import { exactDollars } from '../../lib/formats.ts';
import type { Say } from '../../locales/index.ts';
import type { BudgetAlert } from '../../services/money/alerts.ts';
import type { Allowance } from '../../services/money/allowance.ts';
import { revocableGrants } from '../../services/money/budget-changes.ts';
import { activeBlock, type Grant, type ServerBudget } from '../../services/money/server-budget.ts';
import type { Context } from '../feature.ts';
import { limitLines, pauseLines, placeLines, remainingLine } from '../limit-lines.ts';
import { alertsLines } from '../rule-lines.ts';
import { ALL_SERVERS, type ManagedBudget } from './managed-budget.ts';

/** The number of entries listed per section: as many as can be read at a glance. */
const MAX_LISTED = 10;

/** What a server's budget allows, and what is left of it. */
export async function budgetPage(
  { guildId, isOperator, current: budget }: ManagedBudget,
  context: Context,
): Promise<MessagePlan> {
  const { services, facts, say } = context;
  const isAllPaused = services.money.budgets.isWholeBotPaused;
  const now = services.clock.now();
  const { alertsChannelId } = budget;
  const deletedIds = new Set(await deletedRoleIds(guildId, budget, context));
  const title = guildId === facts.guildId ? say('budget.title') : say('budget.titleOther', { server: guildId });
  const blocks = Object.values(budget.blocks).filter(({ until }) => until === undefined || until > now);
  const lines = [
    title,
    ...pauseLines(budget, context),
    ...limitLines(guildId, budget, context),
    ...takeBackLines(
      revocableGrants(budget, undefined, isOperator),
      services.money.spending.serverAllowances(guildId),
      say,
    ),
    ...list('roles', Object.entries(budget.roles), ([role, { limits = {} }]) =>
      deletedIds.has(role)
        ? say('budget.limits.deletedRole', { role: inlineCode(role), limits: limitsWords(limits, say) })
        : say('budget.limits.role', { role, limits: limitsWords(limits, say) }),
    ),
    ...list('members', Object.values(budget.members), ({ memberId, limits }) =>
      say('budget.limits.member', { who: memberMention(memberId, say), limits: limitsWords(limits, say) }),
    ),
    ...list('blocked', blocks, ({ memberId, until }) => {
      const who = memberMention(memberId, say);
      return until === undefined
        ? say('budget.blockedAlways', { who })
        : say('budget.blockedUntil', { who, until: toSeconds(until) });
    }),
    ...(budget.confirmAbove === undefined ? [] : [confirmationLine(budget.confirmAbove, say)]),
    ...(budget.showsCost ? [say('budget.costShown')] : []),
    ...(alertsChannelId === undefined
      ? [say('budget.noAlerts')]
      : await alertsLines(guildId, alertsChannelId, services, say)),
  ];
  const controls = [
    ...(budget.isPaused ? [resumeButtonPlan(guildId, say)] : []),
    ...(isAllPaused && isOperator ? [resumeButtonPlan(ALL_SERVERS, say)] : []),
    ...(deletedIds.size > 0 ? [buttonPlan(say('budget.removeDeletedRoles'), customIds.deletedRoles.id(guildId))] : []),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls };

  function list<Item>(name: 'roles' | 'members' | 'blocked', items: readonly Item[], line: (item: Item) => string) {
    if (items.length === 0) return [];
    const remainingCount = items.length - MAX_LISTED;
    const moreLines = remainingCount > 0 ? [`- ${say('budget.more', { count: remainingCount })}`] : [];
    return [say(`budget.${name}`), ...items.slice(0, MAX_LISTED).map((item) => `- ${line(item)}`), ...moreLines];
  }
}

/** Roles with limits that no longer exist, so that no option can choose them. There are none if Discord does not respond. */
export async function deletedRoleIds(guildId: string, { roles }: ServerBudget, { services }: Context) {
  const ids = Object.keys(roles);
  if (ids.length === 0) return [];
  const names = await services.discord.reads.serverNames(guildId);
  return names.size === 0 ? [] : ids.filter((id) => !names.has(`<@&${id}>`));
}

/** `server`: the server's id, or `all`. */
export const resumeButtonPlan = (server: string, say: Say): ButtonPlan =>
  buttonPlan(say(server === ALL_SERVERS ? 'budget.resumeEverywhere' : 'budget.resume'), customIds.resume.id(server));

export const confirmationLine = (price: string, say: Say): string =>
  isZero(price) ? say('budget.confirmAlways') : say('budget.confirmAbove', { price: exactDollars(price, say) });

const toSeconds = (ms: number): number => Math.ceil(ms / 1000);

export function memberPage(budget: ManagedBudget, { id: memberId, roleIds }: ChosenUser, context: Context) {
  const { services, say } = context;
  const { spending } = services.money;
  const { guildId } = budget;
  const { limits, source } = spending.limits.ofMember(guildId, memberId, roleIds);
  const allowances = spending
    .allowances({ memberId, guildId, isDirect: undefined, roleIds })
    .filter(({ holder }) => holder === 'member');
  const { hash } = budget.memberIds(memberId);
  const block = activeBlock(budget.current, hash, services.clock.now());

  const lines = [
    say('budget.member.title', { member: memberId }),
    say(`budget.member.source.${source}`, { limits: limitsWords(limits, say) }),
    ...allowances.map((one) => remainingLine(one, say)),
    ...placeLines({ holder: 'member', limits }, { guildId, memberId }, context),
    ...takeBackLines(revocableGrants(budget.current, hash, budget.isOperator), allowances, say),
    ...(block === undefined ? [] : [blockLine(block, say)]),
  ];
  return { content: lines.join('\n') };
}

const takeBackLines = (grants: readonly Grant[], allowances: readonly Allowance[], say: Say): string[] =>
  grants.length > 0 && allowances.some(({ granted }) => granted !== undefined) ? [say('budget.takeBack')] : [];

const blockLine = ({ until }: ServerBudget['blocks'][string], say: Say): string =>
  until === undefined ? say('budget.member.blocked') : say('budget.member.blockedUntil', { until: toSeconds(until) });

const MAX_NAME_LENGTH = 200;

/** For readers outside the server, the title says which server the alert is about. */
export function operatorAlertPlan(alert: BudgetAlert, guildName: string | undefined, say: Say): MessagePlan {
  const id = inlineCode(alert.guildId);
  const server = guildName === undefined ? id : `${escapeText(guildName, MAX_NAME_LENGTH)} (${id})`;
  return alertPlan(alert, say, say('budget.alert.titleOther', { server }));
}

export function alertPlan({ reached }: BudgetAlert, say: Say, title: string = say('budget.alert.title')): MessagePlan {
  const lines = reached.map(({ share, allowance }) => {
    const resets = toSeconds(allowance.resetsAt ?? 0);
    const facts = {
      limit: allowanceText(allowance, say),
      left: leftText(allowance, say),
      resets,
    };
    const whose = allowance.holder === 'operator' ? 'operator' : 'server';
    return say(`budget.alert.${share === 100 ? 'reached' : 'nearlyUsedUp'}.${whose}`, facts);
  });
  return { content: [title, ...lines].join('\n') };
}
