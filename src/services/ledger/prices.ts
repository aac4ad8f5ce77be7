/** Decimal text by kind, or by `kind:model` where a model has a price of its own. */
export type Prices = Readonly<Record<string, string>>;

export function priceOf(prices: Prices, kind: string, model: string | undefined): string | undefined {
  return prices[`${kind}:${model ?? ''}`] ?? prices[kind];
}
