import type { Order } from '../tasks/transitions.ts';
import type { Estimate } from './estimate.ts';

/** Decimal text by kind, or by `kind:model` if a model has its own price. */
export type Prices = Readonly<Record<string, string>>;

/** What orders cost, as far as anyone knows. */
export class PriceBook {
  readonly #prices: Prices;

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  /** Undefined where no price is known. */
  estimateOf({ kind, request: { model = '' } }: Pick<Order, 'kind' | 'request'>): Estimate | undefined {
    const amount = this.#prices[`${kind}:${model}`] ?? this.#prices[kind];
    return amount === undefined ? undefined : { amount, source: 'operator' };
  }
}
