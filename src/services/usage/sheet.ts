import { compared, sumOf } from '../../lib/decimals.ts';
import type { DayRange } from './days.ts';

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
export function gathered(entries: readonly Line[], by: Grouping): Line[] {
  const lines = [...Map.groupBy(entries, ({ label }) => label)].map(([label, group]) => ({ label, ...added(group) }));
  return lines.toSorted(by === 'day' ? newestFirst : largestFirst);
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

function newestFirst({ label: one = '' }: Line, { label: other = '' }: Line): number {
  return other.localeCompare(one);
}

function largestFirst(one: Line, other: Line): number {
  const byAmount = compared(other.amount ?? '0', one.amount ?? '0');
  return byAmount || (other.requests ?? 0) - (one.requests ?? 0) || (one.label ?? '').localeCompare(other.label ?? '');
}
