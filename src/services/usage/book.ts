import type { Ledger } from '../ledger/ledger.ts';
import type { Use } from '../ledger/uses.ts';
import type { DayRange } from './days.ts';
import { added, type Grouping, gathered, type Line, type Sheet } from './sheet.ts';

/** The bot's own book. */
export type UseBook = Pick<Ledger, 'uses'>;

/** A sheet of what members did. Only what came to an end that counts stands in its lines; the rest is told of beside them. */
export function bookSheet(uses: readonly Use[], range: DayRange, by: Grouping, subject: 'own' | 'members'): Sheet {
  const settled = uses.filter(({ state }) => state === 'settled');
  const entries = settled.map(
    (use): Line => ({
      label: labelOf(use, by),
      requests: use.count,
      amount: use.amount,
      isEstimate: use.isEstimate,
    }),
  );
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
