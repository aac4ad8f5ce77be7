import { customIds } from '../../discord/custom-ids.ts';
import type { ButtonPlan, MessagePlan } from '../../discord/plan.ts';
import { isZero } from '../../lib/decimals.ts';
import type { Say } from '../../locales/index.ts';
import { exactDollars, remainingText } from '../../messages/money.ts';
import { buttonPlan } from '../../messages/task-buttons.ts';
import { memberMention } from '../../messages/who-is.ts';
import type { Allowance } from '../../services/spending/allowance.ts';
import type { Limits } from '../../services/spending/limits.ts';
import { limitsText, quantity } from '../../services/spending/limits-text.ts';
import type { LimitSource, ServerBudget } from '../../services/spending/server-budget.ts';
import { ALL_SERVERS } from './access.ts';

/** The number of entries listed per section: as many as can be read at a glance. */
const MAX_LISTED = 10;

export interface BudgetFacts {
  /** Undefined for the server where the page is shown. */
  otherServer: string | undefined;
  guildId: string;
  budget: ServerBudget;
  /** The limits that apply if the server has none of its own. */
  defaults: { server: Limits; member: Limits };
  /** The operator's limits that apply in addition to the server's own. */
  overriding: Limits | undefined;
  allowances: readonly Allowance[];
  isAllPaused: boolean;
  /** Whether the reader is the operator, who can resume all servers. */
  isOperator: boolean;
  now: number;
}

export function budgetPage(facts: BudgetFacts, say: Say): MessagePlan {
  const { otherServer, guildId, budget, isAllPaused, isOperator, now } = facts;
  const { alertsChannelId } = budget;
  const title = otherServer === undefined ? say('budget.title') : say('budget.titleOther', { server: otherServer });
  const blocks = Object.values(budget.blocks).filter(({ until }) => until === undefined || until > now);
  const lines = [
    title,
    ...(isAllPaused ? [say('budget.pausedEverywhere')] : []),
    ...(budget.isPaused ? [say('budget.paused')] : []),
    ...serverLines(facts, say),
    memberLimitsLine(facts, say),
    ...list('roles', Object.entries(budget.roles), ([role, { limits = {} }]) =>
      say('budget.limits.role', { role, limits: limitsText(limits) }),
    ),
    ...list('members', Object.values(budget.members), ({ memberId, limits }) =>
      say('budget.limits.member', { who: memberMention(memberId, say), limits: limitsText(limits) }),
    ),
    ...list('blocked', blocks, ({ memberId, until }) => {
      const who = memberMention(memberId, say);
      return until === undefined
        ? say('budget.blockedAlways', { who })
        : say('budget.blockedUntil', { who, until: toSeconds(until) });
    }),
    ...(budget.confirmAbove === undefined ? [] : [confirmationLine(budget.confirmAbove, say)]),
    ...(budget.showsCost ? [say('budget.costShown')] : []),
    alertsChannelId === undefined ? say('budget.noAlerts') : say('budget.alerts', { channel: alertsChannelId }),
  ];
  const controls = [
    ...(budget.isPaused ? [resumeButtonPlan(guildId, say)] : []),
    ...(isAllPaused && isOperator ? [resumeButtonPlan(ALL_SERVERS, say)] : []),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls };

  function list<Item>(name: 'roles' | 'members' | 'blocked', items: readonly Item[], line: (item: Item) => string) {
    if (items.length === 0) return [];
    const remainingCount = items.length - MAX_LISTED;
    const moreLines = remainingCount > 0 ? [`- ${say('budget.more', { count: remainingCount })}`] : [];
    return [say(`budget.${name}`), ...items.slice(0, MAX_LISTED).map((item) => `- ${line(item)}`), ...moreLines];
  }
}

/** `server`: the server's id, or `all`. */
export const resumeButtonPlan = (server: string, say: Say): ButtonPlan =>
  buttonPlan(say(server === ALL_SERVERS ? 'budget.resumeEverywhere' : 'budget.resume'), customIds.resume.id(server));

export const confirmationLine = (price: string, say: Say): string =>
  isZero(price) ? say('budget.confirmAlways') : say('budget.confirmAbove', { price: exactDollars(price) });

const toSeconds = (ms: number): number => Math.ceil(ms / 1000);

function serverLines({ budget, defaults, overriding, allowances }: BudgetFacts, say: Say): string[] {
  const { serverLimits: ownLimits, operatorLimits } = budget;
  const remainingLines = allowances.map((one) => remainingLine(one, say));
  const firstLine =
    ownLimits !== undefined
      ? say('budget.limits.server', { limits: limitsText(ownLimits) })
      : operatorLimits !== undefined
        ? say('budget.limits.serverNone')
        : say('budget.limits.serverDefault', { limits: limitsText(defaults.server) });
  const showsOperatorLimits = operatorLimits !== undefined || (ownLimits !== undefined && overriding !== undefined);
  return [
    firstLine,
    ...(showsOperatorLimits ? [say('budget.limits.operator', { limits: limitsText(overriding ?? {}) })] : []),
    ...remainingLines,
  ];
}

function memberLimitsLine({ budget: { memberLimits }, defaults }: BudgetFacts, say: Say): string {
  if (memberLimits === undefined) return say('budget.limits.membersDefault', { limits: limitsText(defaults.member) });
  return say('budget.limits.members', { limits: limitsText(memberLimits) });
}

function remainingLine(allowance: Allowance, say: Say): string {
  const left = remainingText(allowance, say);
  const line = allowance.holder === 'operator' ? say('budget.leftOfOperator', { left }) : say('budget.left', { left });
  const { granted, unit } = allowance;
  return granted === undefined ? line : say('budget.granted', { line, granted: quantity(unit, granted) });
}

export interface MemberFacts {
  memberId: string;
  limits: Limits;
  source: LimitSource;
  allowances: readonly Allowance[];
  block: ServerBudget['blocks'][string] | undefined;
}

export function memberPage({ memberId, limits, source, allowances, block }: MemberFacts, say: Say): MessagePlan {
  const lines = [
    say('budget.member.title', { member: memberId }),
    say(`budget.member.source.${source}`, { limits: limitsText(limits) }),
    ...allowances.map((one) => remainingLine(one, say)),
    ...(block === undefined ? [] : [blockLine(block, say)]),
  ];
  return { content: lines.join('\n') };
}

const blockLine = ({ until }: ServerBudget['blocks'][string], say: Say): string =>
  until === undefined ? say('budget.member.blocked') : say('budget.member.blockedUntil', { until: toSeconds(until) });
