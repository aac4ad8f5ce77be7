import { isRecord } from '../../lib/exact-json.ts';
import { malformedError } from './errors.ts';
import { type CallOptions, Resource } from './http.ts';
import { asDecimal, asList, asText, firstAt, places } from './places.ts';

/** A model in a gateway's price list. Decimals are text; a value that is missing from the list is undefined. */
export type PricedModel = NonNullable<ReturnType<typeof modelIn>>;

export interface PriceList {
  models: readonly PricedModel[];
  /** The factor by which prices are multiplied for each group of accounts. */
  groups: ReadonlyMap<string, string>;
}

/** The list is parsed in one go, so it must not be large. A list of a thousand models takes up about 500 KiB. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 5_000;
const MAX_GROUPS = 200;
const MAX_NAME_LENGTH = 200;

const fieldPaths = {
  models: places('data', 'data.data', 'models'),
  groups: places('group_ratio', 'data.group_ratio'),
} as const;

/** The prices that stock gateways publish. The specification has no such endpoint. */
export class PriceLists extends Resource {
  async get(path: string, options?: CallOptions): Promise<PriceList> {
    const response = await this.http.read({ path, maxBytes: MAX_BYTES, ...options });
    const models = firstAt(response, fieldPaths.models, asList);
    if (!models) throw malformedError('The gateway’s response is not a price list.');
    const ratios = firstAt(response, fieldPaths.groups, (value) => (isRecord(value) ? value : undefined)) ?? {};
    const groups = Object.entries(ratios).slice(0, MAX_GROUPS);
    return {
      models: models.slice(0, MAX_MODELS).flatMap((one) => modelIn(one) ?? []),
      groups: new Map(groups.flatMap(([name, ratio]) => pairOf(name, asDecimal(ratio)))),
    };
  }
}

const pairOf = (name: string, ratio: string | undefined): [string, string][] =>
  ratio === undefined || name.length > MAX_NAME_LENGTH ? [] : [[name, ratio]];

/** The standard billing mode is unnamed or called `ratio`. Other modes have formulas of their own. */
const STANDARD_MODES: ReadonlySet<string> = new Set(['', 'ratio']);

const BILLING_BY_TYPE: ReadonlyMap<string | undefined, 'tokens' | 'job'> = new Map([
  ['0', 'tokens'],
  ['1', 'job'],
]);

function modelIn(value: unknown) {
  if (!isRecord(value)) return undefined;
  const { model_name: name, billing_mode: mode, enable_groups: groups } = value;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) return undefined;
  const isStandard = mode === undefined || mode === null || (typeof mode === 'string' && STANDARD_MODES.has(mode));
  return {
    name,
    /** Billed per token, by ratios, or per job; undefined for an unknown billing method. */
    billingUnit: isStandard ? BILLING_BY_TYPE.get(asText(value.quota_type)) : undefined,
    ratio: asDecimal(value.model_ratio),
    outputRatio: asDecimal(value.completion_ratio),
    cachedRatio: asDecimal(value.cache_ratio),
    audioRatio: asDecimal(value.audio_ratio),
    audioOutputRatio: asDecimal(value.audio_completion_ratio),
    price: asDecimal(value.model_price),
    /** The groups that can use it; empty if the list does not say. */
    groups: (asList(groups) ?? []).slice(0, MAX_GROUPS).filter((group) => typeof group === 'string'),
  };
}
