import { product } from '../../lib/decimals.ts';
import { splitSize } from '../models/ids.ts';
import type { Price } from './price.ts';

/** The operator's prices by kind, or by `kind:model` if a model has its own. */
export type OperatorPrices = Readonly<Record<string, string | Price>>;

const toPrice = (value: string | Price | undefined): Price | undefined =>
  typeof value === 'string' ? { each: value } : value;

/** The price of exactly this model, or of the model of which it is a larger variant. */
export function priceOfModel(prices: OperatorPrices, kind: string, model: string): Price | undefined {
  if (model === '') return undefined;
  const ownPrice = toPrice(prices[`${kind}:${model}`]);
  if (ownPrice) return ownPrice;
  const { base, size } = splitSize(model);
  const price = toPrice(prices[`${kind}:${base}`]);
  const factor = size && price?.times?.modelSize?.[size];
  return price && factor !== undefined ? multiplyPrice(price, factor) : undefined;
}

export function priceOfKind(prices: OperatorPrices, kind: string, model: string): Price | undefined {
  const price = toPrice(prices[kind]);
  const { size } = splitSize(model);
  const factor = size && price?.times?.modelSize?.[size];
  return price && factor !== undefined ? multiplyPrice(price, factor) : price;
}

function multiplyPrice({ each, perSecond, ...price }: Price, factor: string): Price {
  return {
    ...price,
    ...(each !== undefined && { each: product(each, factor) }),
    ...(perSecond !== undefined && { perSecond: product(perSecond, factor) }),
  };
}
