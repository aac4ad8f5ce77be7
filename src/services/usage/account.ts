import { compared, difference, isDecimal, isZero, sumOf } from '../../lib/decimals.ts';
import { malformed } from '../gateway/errors.ts';
import type { Usage } from '../gateway/usage.ts';
import { type DayRange, holds } from './days.ts';
import { added, type Grouping, gathered, type Line, type Note, type Sheet } from './sheet.ts';

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
  if (rows.length === 0) return { ...shared, total, notes: tellsNothing(total) ? [] : [{ kind: 'totalOnly' }] };
  const differs: Note[] =
    sum !== undefined && total !== undefined && compared(sum, total) !== 0 ? [{ kind: 'differs', sum }] : [];
  return { ...shared, total, notes: [...undated, ...differs] };
}

/** Where nothing was used at all, nothing was used in the range. */
const tellsNothing = (total: string | undefined): boolean => total === undefined || isZero(total);

function byDay({ date, requests, amount, items }: Row): Line {
  return { label: date, requests, amount: amount ?? sumOfItems(items), isEstimate: false };
}

/** Daily costs name no model but list what they consist of; what the list leaves over belongs to no known model. */
function byModel({ model, requests, amount, items }: Row): Line[] {
  const whole = amount ?? sumOfItems(items);
  if (model !== undefined || items.length === 0) {
    return [{ label: model, requests, amount: whole, isEstimate: false }];
  }
  const listed = items.map((item) => ({
    ...{ label: item.name || undefined, requests: undefined },
    ...{ amount: item.amount, isEstimate: false },
  }));
  const rest = amount === undefined ? undefined : difference(amount, sumOfItems(items) ?? '0');
  const isEven = rest === undefined || compared(rest, '0') === 0;
  if (isEven && requests === undefined) return listed;
  return [...listed, { label: undefined, requests, amount: isEven ? undefined : rest, isEstimate: false }];
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
