import { product, toPlainDecimal } from '../../../lib/decimals.ts';
import { asAmount, asString, firstAt, places } from './places.ts';

/** Stock gateways count in quota units: half a million is one dollar. */
const DOLLARS_PER_QUOTA = '0.000002';

/** More digits than any real amount has. */
const MAX_LENGTH = 60;

const quotaPlaces = places('quota');
const currencyPlaces = places('currency', 'usage.currency');
/** Fields documented to be in dollars. */
const dollarPlaces = places('cost_usd', 'usage.cost_usd', 'usage.cost', 'usage.total_cost');
/** Fields that are in dollars only if a currency field says so. */
const unspecifiedPlaces = places('cost', 'total_cost');

/** Returns the cost of a job in dollars, if the response contains it. A number without a known unit is ignored. */
export function readCost(record: unknown): string | undefined {
  const unit = firstAt(record, currencyPlaces, asString)?.toUpperCase();
  const unspecifiedCost = unit === 'USD' ? firstAt(record, unspecifiedPlaces, asCost) : undefined;
  const dollarCost =
    unspecifiedCost ?? (unit === undefined || unit === 'USD' ? firstAt(record, dollarPlaces, asCost) : undefined);
  if (dollarCost !== undefined) return dollarCost;
  const quotaUnits = firstAt(record, quotaPlaces, asCost);
  // Some gateways report zero here for jobs that they charge for in another way.
  return quotaUnits === undefined || quotaUnits === '0' ? undefined : product(quotaUnits, DOLLARS_PER_QUOTA);
}

function asCost(value: unknown): string | undefined {
  const text = asAmount(value);
  const cost = text === undefined || text.length > MAX_LENGTH ? undefined : toPlainDecimal(text);
  return cost === undefined || cost.startsWith('-') || cost.length > MAX_LENGTH ? undefined : cost;
}
