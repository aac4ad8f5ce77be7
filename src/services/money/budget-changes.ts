import { withoutUndefined } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Limits } from './limits.ts';
import { limitsText } from './limits-text.ts';
import { type Grant, MAX_SUBJECTS, type Reset, type ServerBudget, withChange } from './server-budget.ts';

export interface BudgetAuthor {
  by: string | undefined;
  at: number;
  isFromElsewhere?: true;
}

/** The member that a change concerns. They are identified by their hash. */
export interface MemberIds {
  hash: string;
  memberId: string;
}

export type LimitsFor =
  | { type: 'server' | 'operator' | 'members' }
  | { type: 'role'; roleId: string }
  | ({ type: 'member' } & MemberIds);

const CHANGE_TYPES = {
  server: 'server-limits',
  operator: 'operator-limits',
  members: 'member-limits',
  role: 'role',
  member: 'member',
} as const;

interface Addition {
  amount?: string | undefined;
  tasks?: number | undefined;
}

interface ChangeSubject {
  on?: string;
  memberId?: string;
}

/** Sets limits, or removes them if `limits` is undefined. */
export function withLimits(budget: ServerBudget, target: LimitsFor, limits: Limits | undefined, author: BudgetAuthor) {
  const { after, before, subject } = replaceLimits(budget, target, limits);
  if (isSame(before, limits)) return budget;
  refuseTooManyEntries(after);
  const entry = { ...author, what: CHANGE_TYPES[target.type], ...subject };
  const changedAt = { ...budget.changedAt, [subject.on ?? target.type]: author.at };
  return withChange({ ...after, changedAt }, { ...entry, ...changeTexts(before, limits) });
}

function replaceLimits(
  budget: ServerBudget,
  target: LimitsFor,
  limits: Limits | undefined,
): { before: Limits | undefined; after: ServerBudget; subject: ChangeSubject } {
  switch (target.type) {
    case 'server':
      return { before: budget.serverLimits, after: { ...budget, serverLimits: limits }, subject: {} };
    case 'operator':
      return { before: budget.operatorLimits, after: { ...budget, operatorLimits: limits }, subject: {} };
    case 'members':
      return { before: budget.memberLimits, after: { ...budget, memberLimits: limits }, subject: {} };
    case 'role': {
      const { [target.roleId]: previous, ...others } = budget.roles;
      const roles = limits ? { ...others, [target.roleId]: { ...previous, limits } } : others;
      return { before: previous?.limits, after: { ...budget, roles }, subject: { on: target.roleId } };
    }
    case 'member': {
      const { hash, memberId } = target;
      const { [hash]: previous, ...others } = budget.members;
      const members = limits ? { ...others, [hash]: { memberId, limits } } : others;
      return { before: previous?.limits, after: { ...budget, members }, subject: { on: hash, memberId } };
    }
  }
}

const isSame = (before: Limits | undefined, after: Limits | undefined): boolean =>
  (before && limitsText(before)) === (after && limitsText(after));

const changeTexts = (before: Limits | undefined, after: Limits | undefined) =>
  withoutUndefined({ before: before && limitsText(before), after: after && limitsText(after) });

/** A server's budget must fit into one row, so the number of entries is limited. */
function refuseTooManyEntries({ roles, members, blocks, grants }: ServerBudget): void {
  const counts = [Object.keys(roles).length, Object.keys(members).length, Object.keys(blocks).length, grants.length];
  if (counts.some((count) => count > MAX_SUBJECTS)) throw new Refusal('refusals.budgetTooMany', { max: MAX_SUBJECTS });
}

export function withGrant(
  budget: ServerBudget,
  member: MemberIds | undefined,
  addition: Addition,
  { isOperator, ...author }: BudgetAuthor & { isOperator: boolean },
): ServerBudget {
  const grant: Grant = {
    to: member?.hash,
    at: author.at,
    ...addition,
    ...(isOperator && !member && { isOperators: true }),
  };
  const updated = { ...budget, grants: [...budget.grants, grant] };
  refuseTooManyEntries(updated);
  return withChange(updated, { ...author, what: 'grant', ...subjectOf(member), after: grantText(addition) });
}

/** The grants to a member, or without one to the server, that can be taken back. Admins cannot take back what the operator granted. */
export const revocableGrants = (
  { grants }: ServerBudget,
  memberHash: string | undefined,
  isOperator: boolean,
): Grant[] => grants.filter(({ to, isOperators }) => to === memberHash && (isOperator || !isOperators));

export function withoutGrants(
  budget: ServerBudget,
  member: MemberIds | undefined,
  { isOperator, ...author }: BudgetAuthor & { isOperator: boolean },
): ServerBudget {
  const revoked = new Set(revocableGrants(budget, member?.hash, isOperator));
  if (revoked.size === 0) throw new Refusal('refusals.budgetNothingGranted');
  const grants = budget.grants.filter((one) => !revoked.has(one));
  return withChange({ ...budget, grants }, { ...author, what: 'grant', ...subjectOf(member) });
}

const grantText = ({ amount, tasks }: Addition): string =>
  [
    ...(amount === undefined ? [] : [`$${amount}`]),
    ...(tasks === undefined ? [] : [`${tasks} ${tasks === 1 ? 'task' : 'tasks'}`]),
  ].join(', ');

/** `resets`: the usage that no longer counts, keyed by scope. */
export function withResets(
  budget: ServerBudget,
  member: MemberIds | undefined,
  resets: Readonly<Record<string, Reset>>,
  author: BudgetAuthor,
): ServerBudget {
  const updated = { ...budget, resets: { ...budget.resets, ...resets } };
  return withChange(updated, { ...author, what: 'reset', ...subjectOf(member) });
}

export function withBlock(
  budget: ServerBudget,
  { hash, memberId }: MemberIds,
  until: number | undefined,
  author: BudgetAuthor,
): ServerBudget {
  const block = { memberId, at: author.at, ...(until !== undefined && { until }) };
  const updated = { ...budget, blocks: { ...budget.blocks, [hash]: block } };
  refuseTooManyEntries(updated);
  const text = until === undefined ? undefined : new Date(until).toISOString();
  return withChange(updated, { ...author, what: 'block', on: hash, memberId, ...(text && { after: text }) });
}

export function withoutBlock(budget: ServerBudget, { hash, memberId }: MemberIds, author: BudgetAuthor): ServerBudget {
  const { [hash]: previous, ...blocks } = budget.blocks;
  if (!previous) throw new Refusal('refusals.budgetNotBlocked');
  return withChange({ ...budget, blocks }, { ...author, what: 'unblock', on: hash, memberId });
}

export function withPause(budget: ServerBudget, isPaused: boolean, author: BudgetAuthor): ServerBudget {
  if (budget.isPaused === isPaused) return budget;
  const { unreadable: _, ...kept } = budget;
  return withChange({ ...kept, isPaused }, { ...author, what: isPaused ? 'pause' : 'resume' });
}

const SETTING_CHANGES = { alertsChannelId: 'alerts', confirmAbove: 'confirm-above' } as const;

/** Sets the channel for alerts, or the price above which members have to confirm; undefined for none. */
export function withBudgetSetting(
  budget: ServerBudget,
  name: keyof typeof SETTING_CHANGES,
  after: string | undefined,
  author: BudgetAuthor,
): ServerBudget {
  const before = budget[name];
  if (before === after) return budget;
  const entry = { ...author, what: SETTING_CHANGES[name], ...withoutUndefined({ before, after }) };
  return withChange({ ...budget, [name]: after }, entry);
}

export function withShownCost(
  { showsCost: before, ...budget }: ServerBudget,
  isShown: boolean,
  author: BudgetAuthor,
): ServerBudget {
  const updated = { ...budget, ...(isShown && { showsCost: true as const }) };
  const entry = { ...author, what: 'show-cost' as const, before: before ? 'on' : 'off', after: isShown ? 'on' : 'off' };
  return (before ?? false) === isShown ? updated : withChange(updated, entry);
}

const subjectOf = (member: MemberIds | undefined): ChangeSubject =>
  member ? { on: member.hash, memberId: member.memberId } : {};
