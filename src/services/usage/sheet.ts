import { compared, difference, isDecimal, isZero, sumOf } from '../../lib/decimals.ts';
import { malformed } from '../gateway/errors.ts';
import type { Usage } from '../gateway/usage.ts';
import type { Use } from '../ledger/ledger.ts';
import { type DayRange, holds } from './days.ts';

export const groupings = ['day', 'model', 'member'] as const;
export type Grouping = (typeof groupings)[number];

/** Whose use it is: the account's at the gateway, one member's own, or all members' by the bot's own book. */
type Subject = 'account' | 'own' | 'members';

/** One line of a table: what was used on a day, of a model, or by a member. */
export interface Line {
  /** undefined: nobody says of which. */
  label: string | undefined;
  requests: number | undefined;
  /** Every digit that was told. */
  amount: string | undefined;
  /** Reckoned from the operator's prices, in part at least. */
  isEstimate: boolean;
}

/** What the numbers do not say by themselves. */
export type Note =
  /** Nothing but a total came, which does not say what days it covers. */
  | { kind: 'totalOnly' }
  /** The gateway sent other days too: they are left out, and its own total is not this range's. */
  | { kind: 'otherDays'; count: number; first: string; last: string; total: string | undefined }
  /** Some rows do not say their day. */
  | { kind: 'undated' }
  /** The rows come to something else than the gateway's own total. */
  | { kind: 'differs'; sum: string }
  /** What the gateway says beside the bot's own book. */
  | { kind: 'atGateway'; total: string }
  /** Orders whose end is still open, and orders of which nobody knows whether they were taken. */
  | { kind: 'open'; count: number }
  | { kind: 'unconfirmed'; count: number }
  /** Orders of which nobody knows what they cost. */
  | { kind: 'unpriced'; count: number };

export interface Sheet {
  subject: Subject;
  range: DayRange;
  by: Grouping;
  lines: readonly Line[];
  total: string | undefined;
  requests: number | undefined;
  isEstimate: boolean;
  notes: readonly Note[];
}

/** Whether it is certain that everything in a sheet is of its range. */
export const isOfRange = ({ subject, notes }: Pick<Sheet, 'subject' | 'notes'>): boolean =>
  subject !== 'account' || !notes.some(({ kind }) => kind === 'totalOnly' || kind === 'undated');

/** One line a label. Days stand newest first, everything else by what it cost, or else by how often it was asked for. */
function gathered(entries: readonly Line[], by: Grouping): Line[] {
  const lines = [...Map.groupBy(entries, ({ label }) => label)].map(([label, group]) => ({ label, ...added(group) }));
  return lines.toSorted((one, other) => {
    const newest = (other.label ?? '').localeCompare(one.label ?? '');
    if (by === 'day') return newest;
    const largest = compared(other.amount ?? '0', one.amount ?? '0');
    return largest || (other.requests ?? 0) - (one.requests ?? 0) || -newest;
  });
}

/** Everything together. */
export function added(entries: readonly Line[]): Omit<Line, 'label'> {
  const counts = entries.flatMap(({ requests }) => (requests === undefined ? [] : [requests]));
  return {
    requests: counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0),
    amount: sumOf(entries.flatMap(({ amount }) => (amount === undefined ? [] : [amount]))),
    isEstimate: entries.some(({ isEstimate }) => isEstimate),
  };
}

type Row = Usage['rows'][number];

/** The account's sheet from what the gateway answered, claiming no more than its answer does. */
export function accountSheet(usage: Usage, range: DayRange, by: Exclude<Grouping, 'member'>): Sheet {
  summable(usage);
  const isOther = ({ date }: Row): boolean => date !== undefined && !holds(range, date);
  const others = usage.rows.filter(isOther);
  const rows = usage.rows.filter((row) => !isOther(row));
  const entries = rows.flatMap((row) => (by === 'day' ? [byDay(row)] : byModel(row)));
  const { requests, amount: sum } = added(entries);
  const shared = { subject: 'account', range, by, lines: gathered(entries, by), requests, isEstimate: false } as const;
  const undated: Note[] = rows.some(({ date }) => date === undefined) ? [{ kind: 'undated' }] : [];
  if (others.length > 0) return { ...shared, total: sum, notes: [otherDays(others, usage.total), ...undated] };
  const { total = sum } = usage;
  // Where nothing was used at all, nothing was used in the range.
  const isNothing = total === undefined || isZero(total);
  if (rows.length === 0) return { ...shared, total, notes: isNothing ? [] : [{ kind: 'totalOnly' }] };
  const differs: Note[] =
    sum !== undefined && total !== undefined && compared(sum, total) !== 0 ? [{ kind: 'differs', sum }] : [];
  return { ...shared, total, notes: [...undated, ...differs] };
}

function told(label: string | undefined, requests: number | undefined, amount: string | undefined): Line {
  return { label, requests, amount, isEstimate: false };
}

const byDay = ({ date, requests, amount, items }: Row): Line => told(date, requests, amount ?? sumOfItems(items));

/** Daily costs name no model but list what they consist of; what the list leaves over belongs to no known model. */
function byModel({ model, requests, amount, items }: Row): Line[] {
  if (model !== undefined || items.length === 0) return [told(model, requests, amount ?? sumOfItems(items))];
  const listed = items.map((item) => told(item.name || undefined, undefined, item.amount));
  const rest = amount === undefined ? undefined : difference(amount, sumOfItems(items) ?? '0');
  const isEven = rest === undefined || isZero(rest);
  if (isEven && requests === undefined) return listed;
  return [...listed, told(undefined, requests, isEven ? undefined : rest)];
}

const sumOfItems = (items: Row['items']): string | undefined => sumOf(items.map(({ amount }) => amount));

function otherDays(rows: readonly Row[], total: string | undefined): Note {
  const days = [...new Set(rows.flatMap(({ date }) => date ?? []))].sort();
  return { kind: 'otherDays', count: days.length, first: days[0] ?? '', last: days.at(-1) ?? '', total };
}

function summable({ total, rows }: Usage): void {
  const amounts = rows.flatMap(({ amount, items }) => [amount, ...items.map((item) => item.amount)]);
  if (![total, ...amounts].every((amount) => amount === undefined || isDecimal(amount))) {
    throw malformed('The gateway answered with an amount that is beyond all measure.');
  }
}

/** A sheet of what members did. Only what came to an end that counts stands in its lines; the rest is told of beside them. */
export function bookSheet(uses: readonly Use[], range: DayRange, by: Grouping, subject: 'own' | 'members'): Sheet {
  const settled = uses.filter(({ state }) => state === 'settled');
  const entries = settled.map((use): Line => ({ ...use, label: labelOf(use, by), requests: use.count }));
  const { requests, amount: total, isEstimate } = added(entries);
  const beside = {
    open: uses.filter(({ state }) => state === 'open'),
    unconfirmed: uses.filter(({ state }) => state === 'unconfirmed'),
    // Where nothing has a price, nobody misses one.
    unpriced: total === undefined ? [] : settled.filter(({ amount }) => amount === undefined),
  };
  const notes = (['unpriced', 'open', 'unconfirmed'] as const).flatMap((kind) => {
    const count = beside[kind].reduce((sum, use) => sum + use.count, 0);
    return count === 0 ? [] : [{ kind, count }];
  });
  return { subject, range, by, lines: gathered(entries, by), total, requests, isEstimate, notes };
}

function labelOf({ day, memberId, kind, model }: Use, by: Grouping): string | undefined {
  if (by === 'day') return day;
  return by === 'member' ? memberId : (model ?? kind);
}
