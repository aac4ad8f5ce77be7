import { product, writtenOut } from '../../../lib/decimals.ts';
import { asAmount, asString, firstAt, places } from './places.ts';

/** Stock gateways count in quota units: half a million is one dollar. */
const DOLLARS_PER_QUOTA = '0.000002';

/** More digits than any real amount has. */
const MAX_LENGTH = 60;

const quota = places('quota');
const currency = places('currency', 'usage.currency');
/** Fields documented to be in dollars. */
const dollars = places('cost_usd', 'usage.cost_usd', 'usage.cost', 'usage.total_cost');
/** In dollars only if a currency field says so. */
const anyUnit = places('cost', 'total_cost');

/** Returns the cost of a job in dollars, if the response contains it. A number without a known unit is ignored. */
export function readCost(record: unknown): string | undefined {
  const unit = firstAt(record, currency, asString)?.toUpperCase();
  const named = unit === 'USD' ? firstAt(record, anyUnit, asCost) : undefined;
  const inDollars = named ?? (unit === undefined || unit === 'USD' ? firstAt(record, dollars, asCost) : undefined);
  if (inDollars !== undefined) return inDollars;
  const counted = firstAt(record, quota, asCost);
  // Some builds report zero here for jobs that they charge by other means.
  return counted === undefined || counted === '0' ? undefined : product(counted, DOLLARS_PER_QUOTA);
}

function asCost(value: unknown): string | undefined {
  const text = asAmount(value);
  const cost = text === undefined || text.length > MAX_LENGTH ? undefined : writtenOut(text);
  return cost === undefined || cost.startsWith('-') || cost.length > MAX_LENGTH ? undefined : cost;
}
