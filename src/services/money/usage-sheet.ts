import { compare, difference, isDecimal, isZero, sumOf } from '../../lib/decimals.ts';
import { malformedError } from '../gateway/errors.ts';
import type { Usage } from '../gateway/usage.ts';
import { type DayRange, includesDay } from './usage-days.ts';
import type { UsageGroup } from './usage-query.ts';

export const groupings = ['day', 'model', 'kind', 'member', 'role'] as const;
export type Grouping = (typeof groupings)[number];

export const usageOwners = ['me', 'server', 'account'] as const;
export type UsageOwner = (typeof usageOwners)[number];

/** Whose usage it is: the account's at the gateway, or that of a member, of all members or of a server in the ledger. */
type Subject = 'account' | 'own' | 'members' | 'server';

/** One line of a table: the usage of a day, a model, a kind, a member or a role. */
export interface SheetRow {
  label: string | undefined;
  requests: number | undefined;
  amount: string | undefined;
  /** Estimated from the operator's prices, at least in part. */
  isEstimate: boolean;
}

export type SheetNote =
  /** There is only a total, and it is unknown which days it covers. */
  | { kind: 'totalOnly' }
  /** The gateway also sent other days. They are left out, and its total does not match the range. */
  | { kind: 'otherDays'; count: number; first: string; last: string; total: string | undefined }
  | { kind: 'undated' }
  /** The sum of the rows differs from the gateway's own total. */
  | { kind: 'differs'; sum: string }
  /** The gateway's total, in addition to the numbers of the ledger. */
  | { kind: 'atGateway'; total: string }
  | { kind: 'noGatewayTotal' }
  /** Unfinished requests, and requests with an unknown outcome. */
  | { kind: 'open'; count: number }
  | { kind: 'unconfirmed'; count: number }
  /** Requests whose results were withheld, so that the members do not pay for them. */
  | { kind: 'waived'; count: number }
  | { kind: 'unpriced'; count: number }
  /** Members with several roles count for each of them, so the sum of the rows is higher than the total. */
  | { kind: 'severalRoles' }
  /** The bot's own requests whose estimate and cost are both known, by model. */
  | { kind: 'compared'; models: readonly ComparedModel[] };

export interface ComparedModel extends NonNullable<UsageGroup['compared']> {
  label: string | undefined;
}

export interface Sheet {
  subject: Subject;
  range: DayRange;
  by: Grouping;
  rows: readonly SheetRow[];
  total: string | undefined;
  requests: number | undefined;
  isEstimate: boolean;
  notes: readonly SheetNote[];
}

/** Whether everything in a sheet is certainly within its range. */
export const isWithinRange = ({ subject, notes }: Sheet): boolean =>
  subject !== 'account' || !notes.some(({ kind }) => kind === 'totalOnly' || kind === 'undated');

/** Returns one row per label. Days are sorted newest first, other labels by amount and then by the number of requests. */
function groupRows(entries: readonly SheetRow[], grouping: Grouping): SheetRow[] {
  const rows = [...Map.groupBy(entries, ({ label }) => label)].map(([label, group]) => ({ label, ...totalOf(group) }));
  return rows.toSorted((one, other) => {
    const dateOrder = (other.label ?? '').localeCompare(one.label ?? '');
    if (grouping === 'day') return dateOrder;
    const amountOrder = compare(other.amount ?? '0', one.amount ?? '0');
    return amountOrder || (other.requests ?? 0) - (one.requests ?? 0) || -dateOrder;
  });
}

export function totalOf(entries: readonly Omit<SheetRow, 'label'>[]): Omit<SheetRow, 'label'> {
  const counts = entries.flatMap(({ requests }) => (requests === undefined ? [] : [requests]));
  return {
    requests: counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0),
    amount: sumOf(entries.flatMap(({ amount }) => (amount === undefined ? [] : [amount]))),
    isEstimate: entries.some(({ isEstimate }) => isEstimate),
  };
}

type Row = Usage['rows'][number];

/** Creates the account's sheet from the gateway's report, without claiming more than the report does. */
export function accountSheet(usage: Usage, range: DayRange, grouping: Extract<Grouping, 'day' | 'model'>): Sheet {
  checkAmounts(usage);
  const isOther = ({ date }: Row): boolean => date !== undefined && !includesDay(range, date);
  const otherRows = usage.rows.filter(isOther);
  const rows = usage.rows.filter((row) => !isOther(row));
  const entries = rows.flatMap((row) => (grouping === 'day' ? [toDayRow(row)] : toModelRows(row)));
  const { requests, amount: sum } = totalOf(entries);
  const shared = {
    subject: 'account',
    range,
    by: grouping,
    rows: groupRows(entries, grouping),
    requests,
    isEstimate: false,
  } as const;
  const undatedNotes: SheetNote[] = rows.some(({ date }) => date === undefined) ? [{ kind: 'undated' }] : [];
  if (otherRows.length > 0)
    return { ...shared, total: sum, notes: [otherDaysNote(otherRows, usage.total), ...undatedNotes] };
  const { total = sum } = usage;
  // If nothing was used at all, nothing was used in the range either.
  const isUnused = total === undefined || isZero(total);
  if (rows.length === 0) return { ...shared, total, notes: isUnused ? [] : [{ kind: 'totalOnly' }] };
  const differenceNotes: SheetNote[] =
    sum !== undefined && total !== undefined && compare(sum, total) !== 0 ? [{ kind: 'differs', sum }] : [];
  return { ...shared, total, notes: [...undatedNotes, ...differenceNotes] };
}

function exactRow(label: string | undefined, requests: number | undefined, amount: string | undefined): SheetRow {
  return { label, requests, amount, isEstimate: false };
}

const toDayRow = ({ date, requests, amount, items }: Row): SheetRow =>
  exactRow(date, requests, amount ?? sumOfItems(items));

/** Daily costs list items instead of a model. The rest belongs to no known model. */
function toModelRows({ model, requests, amount, items }: Row): SheetRow[] {
  if (model !== undefined || items.length === 0) return [exactRow(model, requests, amount ?? sumOfItems(items))];
  const itemRows = items.map((item) => exactRow(item.name || undefined, undefined, item.amount));
  const rest = amount === undefined ? undefined : difference(amount, sumOfItems(items) ?? '0');
  const isFullyItemized = rest === undefined || isZero(rest);
  if (isFullyItemized && requests === undefined) return itemRows;
  return [...itemRows, exactRow(undefined, requests, isFullyItemized ? undefined : rest)];
}

const sumOfItems = (items: Row['items']): string | undefined => sumOf(items.map(({ amount }) => amount));

function otherDaysNote(rows: readonly Row[], total: string | undefined): SheetNote {
  const days = [...new Set(rows.flatMap(({ date }) => date ?? []))].sort();
  return { kind: 'otherDays', count: days.length, first: days[0] ?? '', last: days.at(-1) ?? '', total };
}

function checkAmounts({ total, rows }: Usage): void {
  const amounts = rows.flatMap(({ amount, items }) => [amount, ...items.map((item) => item.amount)]);
  if (![total, ...amounts].every((amount) => amount === undefined || isDecimal(amount))) {
    throw malformedError('The gateway reported an amount that is out of range.');
  }
}

/** Creates a sheet from the ledger. Its rows contain only settled requests, and notes mention the others. */
export function ledgerSheet(
  uses: readonly UsageGroup[],
  range: DayRange,
  grouping: Grouping,
  subject: Exclude<Subject, 'account'>,
): Sheet {
  const settledUses = uses.filter(({ state }) => state === 'settled' || state === 'waived');
  const rows = settledUses.map((use) => ({ ...use, requests: use.count }));
  const entries = rows.flatMap((row): SheetRow[] => labelsOf(row, grouping).map((label) => ({ ...row, label })));
  const { requests, amount: total, isEstimate } = totalOf(rows);
  const uncounted = {
    open: uses.filter(({ state }) => state === 'open'),
    unconfirmed: uses.filter(({ state }) => state === 'unconfirmed'),
    waived: uses.filter(({ state }) => state === 'waived'),
    // If no request has a price, prices are not configured, so none counts as missing.
    unpriced: total === undefined ? [] : settledUses.filter(({ amount }) => amount === undefined),
  };
  const notes = (['unpriced', 'open', 'unconfirmed', 'waived'] as const).flatMap((kind) => {
    const count = uncounted[kind].reduce((sum, use) => sum + use.count, 0);
    return count === 0 ? [] : [{ kind, count }];
  });
  const compared = grouping === 'model' ? comparedModels(uses) : [];
  const severalRoles: SheetNote[] = entries.length > rows.length ? [{ kind: 'severalRoles' }] : [];
  return {
    subject,
    range,
    by: grouping,
    rows: groupRows(entries, grouping),
    total,
    requests,
    isEstimate,
    notes: [...notes, ...severalRoles, ...compared],
  };
}

/** Describes how accurate the estimates were, with the most expensive model first. */
export function comparedModels(uses: readonly UsageGroup[]): SheetNote[] {
  const comparisons = uses.flatMap(({ compared, model: label }) => (compared ? [{ ...compared, label }] : []));
  const models = [...Map.groupBy(comparisons, ({ label }) => label)].map(
    ([label, group]): ComparedModel => ({
      label,
      count: group.reduce((sum, { count }) => sum + count, 0),
      estimate: sumOf(group.map(({ estimate }) => estimate)) ?? '0',
      cost: sumOf(group.map(({ cost }) => cost)) ?? '0',
    }),
  );
  if (models.length === 0) return [];
  return [{ kind: 'compared', models: models.toSorted((one, other) => compare(other.cost, one.cost)) }];
}

function labelsOf({ day, memberId, roleIds, type, model }: UsageGroup, grouping: Grouping): (string | undefined)[] {
  switch (grouping) {
    case 'day':
      return [day];
    case 'kind':
      return [type];
    case 'member':
      return [memberId];
    case 'role':
      return roleIds.length === 0 ? [undefined] : [...roleIds];
    case 'model':
      return [model];
  }
}
