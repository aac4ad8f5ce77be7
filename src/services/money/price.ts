import { z } from 'zod';
import { largestOf, product, sumOf, toPlainDecimal } from '../../lib/decimals.ts';
import { modelSizes, splitSize } from '../gateway/model-ids.ts';
import type { Tokens } from '../tasks/answer.ts';
import { type Measures, measureNames } from './measures.ts';

/** Prices are calculated exactly as written, so `1e-7` is invalid. */
export const decimalPrice = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,60}(\.\d{1,60})?$/));

const MAX_FACTORS = 50;
const hasAtMostKeys = (max: number) => (record: object) => Object.keys(record).length <= max;

const factors = z.record(z.string().min(1).max(40).toLowerCase(), decimalPrice).refine(hasAtMostKeys(MAX_FACTORS));

/** The price of jobs in US dollars: the sum of its parts, times the factors that apply. */
export const price = z
  .strictObject({
    /** The price per job, or per image if it makes several. */
    each: decimalPrice.optional(),
    perSecond: decimalPrice.optional(),
    /** The length that is assumed if a request does not contain one. */
    usualSeconds: decimalPrice.optional(),
    perMillion: z
      .strictObject({
        input: decimalPrice,
        output: decimalPrice,
        cachedInput: decimalPrice.optional(),
        audioInput: decimalPrice.optional(),
        audioOutput: decimalPrice.optional(),
      })
      .optional(),
    /** Factors by option; values that are not listed do not change the price. */
    times: z
      .strictObject({
        size: factors.optional(),
        resolution: factors.optional(),
        quality: factors.optional(),
        mode: factors.optional(),
        /** `on` or `off`, if the request sets it. */
        sound: factors.optional(),
        /** Factors for variants of a model whose id ends with `-2K` or `-4K`. */
        modelSize: z.partialRecord(z.enum(modelSizes), decimalPrice).optional(),
      })
      .optional(),
  })
  .refine(({ each, perSecond, perMillion }) => (each ?? perSecond ?? perMillion) !== undefined);

export type Price = z.output<typeof price>;

const MILLIONTH = '0.000001';

/** The cost of a job; undefined if the price does not cover the job. */
export function costOf(jobPrice: Price, measures: Measures, tokens: Tokens | undefined): string | undefined {
  const { each, perSecond, usualSeconds, perMillion, times = {} } = jobPrice;
  const { count, seconds = usualSeconds } = measures;
  const parts = [
    ...(each === undefined ? [] : [each]),
    ...(perSecond === undefined ? [] : [seconds === undefined ? undefined : product(perSecond, seconds)]),
    ...(perMillion === undefined ? [] : [tokens && tokenCost(perMillion, tokens)]),
  ];
  const knownParts = parts.filter((part) => part !== undefined);
  if (knownParts.length < parts.length) return undefined;
  const applicableFactors = measureNames.flatMap(
    (name) => largestOf((measures[name] ?? []).map((value) => times[name]?.[value] ?? '1')) ?? [],
  );
  return product(sumOf(knownParts) ?? '0', String(count), ...applicableFactors);
}

/** The counts of input and output tokens include audio and cached tokens. */
function tokenCost(perMillion: NonNullable<Price['perMillion']>, tokens: Tokens): string | undefined {
  const { input, output, cached = 0, audioInput = 0, audioOutput = 0 } = tokens;
  if (input === undefined || output === undefined) return undefined;
  const { cachedInput = perMillion.input } = perMillion;
  // Cached tokens may be text or audio, and they matter only where they cost less.
  const cheaper = cachedInput === perMillion.input ? 0 : cached;
  if (cheaper > 0 && audioInput > 0) return undefined;
  const counts = [
    [perMillion.input, input - audioInput - cheaper],
    [cachedInput, cheaper],
    [perMillion.output, output - audioOutput],
    [perMillion.audioInput, audioInput],
    [perMillion.audioOutput, audioOutput],
  ] as const;
  if (counts.some(([each, count]) => count < 0 || (each === undefined && count > 0))) return undefined;
  return toPlainDecimal(sumOf(counts.map(([each = '0', count]) => product(each, String(count), MILLIONTH))) ?? '0');
}

/** The operator's prices by kind, or by `kind:model` if a model has its own. */
export type OperatorPrices = Readonly<Record<string, string | Price>>;

const toPrice = (value: string | Price | undefined): Price | undefined =>
  typeof value === 'string' ? { each: value } : value;

/** The price of exactly this model, or of the model of which it is a larger variant. */
export function priceOfModel(prices: OperatorPrices, kind: string, model: string): Price | undefined {
  if (model === '') return undefined;
  const ownPrice = toPrice(prices[`${kind}:${model}`]);
  return ownPrice ?? priceOfVariant(toPrice(prices[`${kind}:${splitSize(model).base}`]), model);
}

export function priceOfKind(prices: OperatorPrices, kind: string, model: string): Price | undefined {
  const price = toPrice(prices[kind]);
  return priceOfVariant(price, model) ?? price;
}

/** Undefined if the price has no factor for the size of this model. */
function priceOfVariant(price: Price | undefined, model: string): Price | undefined {
  const { size } = splitSize(model);
  const factor = size && price?.times?.modelSize?.[size];
  return price && factor !== undefined ? multiplyPrice(price, factor) : undefined;
}

function multiplyPrice({ each, perSecond, ...price }: Price, factor: string): Price {
  return {
    ...price,
    ...(each !== undefined && { each: product(each, factor) }),
    ...(perSecond !== undefined && { perSecond: product(perSecond, factor) }),
  };
}
