import { Refusal } from '../../lib/refusal.ts';
import type { Limits } from './limits.ts';
import { limitsText } from './limits-text.ts';
import {
  type BudgetChange,
  type Grant,
  MAX_SUBJECTS,
  type Reset,
  type ServerBudget,
  withChange,
} from './server-budget.ts';

/** Who makes a change, and when. */
export interface Author {
  by: string | undefined;
  at: number;
}

/** Who it is about. A member is identified by their hash. */
export interface MemberName {
  hash: string;
  memberId: string;
}

/** The members whose limits are set. */
export type LimitsOf =
  | { of: 'server' | 'operator' | 'members' }
  | { of: 'role'; roleId: string }
  | ({ of: 'member' } & MemberName);

const CHANGE_OF = {
  server: 'server-limits',
  operator: 'operator-limits',
  members: 'member-limits',
  role: 'role',
  member: 'member',
} as const;

/** Sets limits, or removes them if `limits` is undefined. */
export function withLimits(budget: ServerBudget, whose: LimitsOf, limits: Limits | undefined, author: Author) {
  const { after, before, subject } = replaced(budget, whose, limits);
  if (isSame(before, limits)) return budget;
  mustHaveRoom(after);
  const line = { ...author, what: CHANGE_OF[whose.of], ...subject };
  return withChange(after, { ...line, ...texts(before, limits) });
}

function replaced(budget: ServerBudget, whose: LimitsOf, limits: Limits | undefined) {
  switch (whose.of) {
    case 'server':
      return { before: budget.serverLimits, after: { ...budget, serverLimits: limits }, subject: {} };
    case 'operator':
      return { before: budget.operatorLimits, after: { ...budget, operatorLimits: limits }, subject: {} };
    case 'members':
      return { before: budget.memberLimits, after: { ...budget, memberLimits: limits }, subject: {} };
    case 'role': {
      const { [whose.roleId]: known, ...others } = budget.roles;
      const roles = limits ? { ...others, [whose.roleId]: { ...known, limits } } : others;
      return { before: known?.limits, after: { ...budget, roles }, subject: { on: whose.roleId } };
    }
    case 'member': {
      const { hash, memberId } = whose;
      const { [hash]: known, ...others } = budget.members;
      const members = limits ? { ...others, [hash]: { memberId, limits } } : others;
      return { before: known?.limits, after: { ...budget, members }, subject: { on: hash, memberId } };
    }
  }
}

const isSame = (before: Limits | undefined, after: Limits | undefined): boolean =>
  (before && limitsText(before)) === (after && limitsText(after));

const texts = (before: Limits | undefined, after: Limits | undefined): Pick<BudgetChange, 'before' | 'after'> => ({
  ...(before && { before: limitsText(before) }),
  ...(after && { after: limitsText(after) }),
});

/** One row holds a server's budget. */
function mustHaveRoom({ roles, members, blocks, grants }: ServerBudget): void {
  const counts = [Object.keys(roles).length, Object.keys(members).length, Object.keys(blocks).length, grants.length];
  if (counts.some((count) => count > MAX_SUBJECTS)) throw new Refusal('refusals.budgetTooMany', { max: MAX_SUBJECTS });
}

export function withGrant(
  budget: ServerBudget,
  to: MemberName | undefined,
  more: Pick<Grant, 'amount' | 'tasks'>,
  { isOperator, ...author }: Author & { isOperator: boolean },
): ServerBudget {
  const grant: Grant = { to: to?.hash, at: author.at, ...more, ...(isOperator && !to && { isOperators: true }) };
  const after = { ...budget, grants: [...budget.grants, grant] };
  mustHaveRoom(after);
  return withChange(after, { ...author, what: 'grant', ...subjectOf(to), after: grantText(more) });
}

export const grantText = ({ amount, tasks }: Pick<Grant, 'amount' | 'tasks'>): string =>
  [
    ...(amount === undefined ? [] : [`$${amount}`]),
    ...(tasks === undefined ? [] : [`${tasks} ${tasks === 1 ? 'task' : 'tasks'}`]),
  ].join(', ');

/** `resets`: usage that no longer counts, by the name of the sum. */
export function withResets(
  budget: ServerBudget,
  to: MemberName | undefined,
  resets: Readonly<Record<string, Reset>>,
  author: Author,
): ServerBudget {
  const after = { ...budget, resets: { ...budget.resets, ...resets } };
  return withChange(after, { ...author, what: 'reset', ...subjectOf(to) });
}

export function withBlock(
  budget: ServerBudget,
  { hash, memberId }: MemberName,
  until: number | undefined,
  author: Author,
): ServerBudget {
  const block = { memberId, at: author.at, ...(until !== undefined && { until }) };
  const after = { ...budget, blocks: { ...budget.blocks, [hash]: block } };
  mustHaveRoom(after);
  const text = until === undefined ? undefined : new Date(until).toISOString();
  return withChange(after, { ...author, what: 'block', on: hash, memberId, ...(text && { after: text }) });
}

export function withoutBlock(budget: ServerBudget, { hash, memberId }: MemberName, author: Author): ServerBudget {
  const { [hash]: known, ...blocks } = budget.blocks;
  if (!known) throw new Refusal('refusals.budgetNotBlocked');
  return withChange({ ...budget, blocks }, { ...author, what: 'unblock', on: hash, memberId });
}

export function withPause(budget: ServerBudget, isPaused: boolean, author: Author): ServerBudget {
  if (budget.isPaused === isPaused) return budget;
  return withChange({ ...budget, isPaused }, { ...author, what: isPaused ? 'pause' : 'resume' });
}

export function withAlerts(budget: ServerBudget, alertsChannelId: string | undefined, author: Author): ServerBudget {
  const { alertsChannelId: before } = budget;
  const line = { ...author, what: 'alerts' as const, ...(before && { before }) };
  return withChange({ ...budget, alertsChannelId }, { ...line, ...(alertsChannelId && { after: alertsChannelId }) });
}

export function withConfirmAbove(budget: ServerBudget, confirmAbove: string | undefined, author: Author): ServerBudget {
  const { confirmAbove: before } = budget;
  if (before === confirmAbove) return budget;
  const line = { ...author, what: 'confirm-above' as const, ...(before && { before }) };
  return withChange({ ...budget, confirmAbove }, { ...line, ...(confirmAbove && { after: confirmAbove }) });
}

export function withShownCost(
  { showsCost: before, ...budget }: ServerBudget,
  isShown: boolean,
  author: Author,
): ServerBudget {
  const after = { ...budget, ...(isShown && { showsCost: true as const }) };
  const line = { ...author, what: 'show-cost' as const, before: before ? 'on' : 'off', after: isShown ? 'on' : 'off' };
  return (before ?? false) === isShown ? after : withChange(after, line);
}

const subjectOf = (to: MemberName | undefined): Pick<BudgetChange, 'on' | 'memberId'> =>
  to ? { on: to.hash, memberId: to.memberId } : {};
