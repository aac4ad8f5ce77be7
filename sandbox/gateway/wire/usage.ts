import { type Amount, amountNumber, plus, times, ZERO } from '../decimal.ts';
import type { UsageRow } from '../usage-ledger.ts';
import type { Body, View } from './view.ts';

const HUNDREDTHS = 100;
const toHundredths = (amount: Amount) => amountNumber(times(amount, HUNDREDTHS));

/** The rows and their exact total, in hundredths of the currency, as dashboards expect. */
export function usageBody(rows: readonly UsageRow[], view: View): Body {
  const total_usage = toHundredths(rows.reduce((sum, row) => plus(sum, row.amount), ZERO));
  if (view.profile === 'stock') return { object: 'list', total_usage };
  const data = rows.map((row) => ({
    date: row.date,
    request_count: row.requests,
    amount: toHundredths(row.amount),
    model: row.model,
  }));
  return { object: 'list', data, total_usage };
}
