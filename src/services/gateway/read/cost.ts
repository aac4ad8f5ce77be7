import { product } from '../../../lib/decimals.ts';
import { asDecimal, asString, firstAt, places } from '../places.ts';

/** Stock gateways count in quota units: half a million is one dollar. */
const DOLLARS_PER_QUOTA = '0.000002';

const quotaPlaces = places('quota');
const currencyPlaces = places('currency', 'usage.currency');
/** Fields documented to be in dollars. */
const dollarPlaces = places('cost_usd', 'usage.cost_usd', 'usage.cost', 'usage.total_cost');
/** Fields that are in dollars only if a currency field says so. */
const unspecifiedPlaces = places('cost', 'total_cost');

/** Returns the cost of a job in dollars, if the response contains it. A number without a known unit is ignored. */
export function readCost(record: unknown): string | undefined {
  const unit = firstAt(record, currencyPlaces, asString)?.toUpperCase();
  const unspecifiedCost = unit === 'USD' ? firstAt(record, unspecifiedPlaces, asDecimal) : undefined;
  const dollarCost =
    unspecifiedCost ?? (unit === undefined || unit === 'USD' ? firstAt(record, dollarPlaces, asDecimal) : undefined);
  if (dollarCost !== undefined) return dollarCost;
  const quotaUnits = firstAt(record, quotaPlaces, asDecimal);
  // Some gateways report zero here for jobs that they charge for in another way.
  return quotaUnits === undefined || quotaUnits === '0' ? undefined : product(quotaUnits, DOLLARS_PER_QUOTA);
}
