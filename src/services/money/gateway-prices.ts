import type { Clock } from '../../lib/clock.ts';
import { compare, largestOf, product } from '../../lib/decimals.ts';
import type { PlainLog } from '../../lib/log.ts';
import { repeat } from '../../lib/repeat.ts';
import type { PricedModel, PriceList } from '../gateway/price-list.ts';
import type { Price } from './price.ts';

/** How often the list is read. Gateways themselves refresh it about once a minute. */
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

type PriceFetch = (signal: AbortSignal) => Promise<PriceList>;

/** The gateway's own price list, kept in memory and refreshed in the background. No request ever waits for it. */
export class GatewayPrices {
  /** Undefined if no list is configured; nothing is fetched then. */
  readonly #fetch: PriceFetch | undefined;
  /** The group of the account, if the operator configured it. */
  readonly #group: string | undefined;
  readonly #clock: Clock;
  readonly #log: PlainLog;
  #prices: ReadonlyMap<string, ListedPrice> = new Map();
  #stop: (() => Promise<void>) | undefined;

  constructor(fetch: PriceFetch | undefined, group: string | undefined, clock: Clock, log: PlainLog) {
    this.#fetch = fetch;
    this.#group = group;
    this.#clock = clock;
    this.#log = log;
  }

  find(name: string | undefined): ListedPrice | undefined {
    return name === undefined ? undefined : this.#prices.get(name);
  }

  start(): void {
    const fetch = this.#fetch;
    if (fetch) this.#stop = repeat(this.#clock, (signal) => this.#refresh(fetch, signal));
  }

  async stop(): Promise<void> {
    await this.#stop?.();
  }

  /** After a failure, the old list is kept, with its original time. */
  async #refresh(fetch: PriceFetch, signal: AbortSignal): Promise<number> {
    try {
      this.#prices = pricesIn(await fetch(signal), this.#group, this.#clock.now());
      return REFRESH_MS;
    } catch (error) {
      if (!signal.aborted) this.#log.warn({ err: error }, 'The gateway’s price list could not be read.');
      return RETRY_MS;
    }
  }
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
