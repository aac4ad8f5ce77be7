import type { Clock } from '../../lib/clock.ts';
import { compare, largestOf, product } from '../../lib/decimals.ts';
import type { PlainLog } from '../../lib/log.ts';
import { repeat } from '../../lib/repeat.ts';
import type { PricedModel, PriceList } from '../gateway/price-list.ts';
import type { Price } from './price.ts';

const REFRESH_MS = 10 * 60_000;
const RETRY_MS = 60_000;

/** Dollars for a million tokens at a ratio of 1, by the convention of these lists. */
const RATIO_DOLLARS = '2';

export interface ListedPrice {
  price: Price;
  /** Whether this is the highest price of all groups, because the account's group is unknown. */
  isUpperBound: boolean;
  at: number;
}

export type GatewayPrices = ReturnType<typeof createGatewayPrices>;

/**
 * The gateway's own price list, kept in memory and refreshed in the background. No request ever waits for it. Without `fetch`, no list is configured.
 * `group`: that of the account, if the operator configured it.
 */
export function createGatewayPrices(
  fetch: ((signal: AbortSignal) => Promise<PriceList>) | undefined,
  group: string | undefined,
  clock: Clock,
  log: PlainLog,
) {
  let prices: ReadonlyMap<string, ListedPrice> = new Map();
  let stop: (() => Promise<void>) | undefined;
  return {
    find: (name: string | undefined): ListedPrice | undefined => (name === undefined ? undefined : prices.get(name)),

    start(): void {
      if (!fetch) return;
      stop = repeat(clock, async (signal) => {
        try {
          prices = pricesIn(await fetch(signal), group, clock.now());
          return REFRESH_MS;
        } catch (error) {
          // The old list is kept, with its original time.
          if (!signal.aborted) log.warn({ err: error }, 'The gateway’s price list could not be read.');
          return RETRY_MS;
        }
      });
    },

    stop: async (): Promise<void> => stop?.(),
  };
}

export function pricesIn(list: PriceList, group: string | undefined, at: number): Map<string, ListedPrice> {
  const prices = new Map<string, ListedPrice>();
  for (const model of list.models) {
    const groupRatio = ratioFor(model, list.groups, group);
    const price = groupRatio && priceOf(model, groupRatio.ratio);
    if (price) prices.set(model.name, { price, isUpperBound: groupRatio.isUpperBound, at });
    else prices.delete(model.name);
  }
  return prices;
}

/** The factor by which this model's prices are multiplied for the account; without a known group, the highest one of all groups. */
function ratioFor({ groups }: PricedModel, ratios: PriceList['groups'], group: string | undefined) {
  const appliesTo = (name: string): boolean => groups.length === 0 || groups.includes(name) || groups.includes('all');
  if (group !== undefined) {
    const ratio = appliesTo(group) ? ratios.get(group) : undefined;
    return ratio === undefined ? undefined : { ratio, isUpperBound: false };
  }
  const applicableRatios = [...ratios].filter(([name]) => appliesTo(name)).map(([, ratio]) => ratio);
  const ratio = largestOf(applicableRatios);
  return ratio === undefined
    ? undefined
    : { ratio, isUpperBound: applicableRatios.some((one) => compare(one, ratio) !== 0) };
}

function priceOf(model: PricedModel, groupRatio: string): Price | undefined {
  if (model.billingUnit === 'job')
    return model.price === undefined ? undefined : { each: product(model.price, groupRatio) };
  const { ratio, outputRatio, cachedRatio, audioRatio, audioOutputRatio } = model;
  if (model.billingUnit === undefined || ratio === undefined || outputRatio === undefined) return undefined;
  const input = product(ratio, RATIO_DOLLARS, groupRatio);
  return {
    perMillion: {
      input,
      output: product(input, outputRatio),
      ...(cachedRatio !== undefined && { cachedInput: product(input, cachedRatio) }),
      ...(audioRatio !== undefined && { audioInput: product(input, audioRatio) }),
      ...(audioRatio !== undefined &&
        audioOutputRatio !== undefined && { audioOutput: product(input, audioRatio, audioOutputRatio) }),
    },
  };
}
