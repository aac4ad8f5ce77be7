import { compare } from '../../src/lib/decimals.ts';
import type { Model } from '../../src/services/gateway/endpoints/models.ts';
import {
  guessKind,
  type KindOverrides,
  type ModelKind,
  overriddenKind,
} from '../../src/services/gateway/model-families.ts';
import type { PriceList } from '../../src/services/gateway/price-list.ts';
import { pricesIn } from '../../src/services/money/gateway-prices.ts';
import { costOf, type OperatorPrices, priceOfKind, priceOfModel } from '../../src/services/money/price.ts';

/** What the trial orders of one kind, for its estimate. */
export interface PricedJob {
  kind: string;
  /** The name of the job in a gateway's price list, if it has no model. */
  listName?: string;
  seconds?: string;
}

/** A short question with a short answer, whose length is not limited; a turn of a live conversation. */
const TOKENS = {
  ask: { input: 300, output: 1_000, audioInput: 0, audioOutput: 0 },
  talk: { input: 500, output: 500, audioInput: 0, audioOutput: 400 },
};

/** The prices that the operator or the gateway names. */
export class TrialPrices {
  readonly #operator: OperatorPrices;
  readonly #listed: ReturnType<typeof pricesIn>;

  constructor(operator: OperatorPrices, list: PriceList | undefined, group: string | undefined) {
    this.#operator = operator;
    this.#listed = list ? pricesIn(list, group, 0) : new Map();
  }

  /** In US dollars. Undefined if no price is known. */
  estimateOf({ kind, listName, seconds }: PricedJob, model = ''): string | undefined {
    const price =
      priceOfModel(this.#operator, kind, model) ??
      priceOfKind(this.#operator, kind, model) ??
      this.#listed.get(model || (listName ?? ''))?.price;
    const tokens = kind === 'talk' ? TOKENS.talk : TOKENS.ask;
    return price && costOf(price, { count: 1, ...(seconds !== undefined && { seconds }) }, tokens);
  }

  /** The cheapest of these models; without any price, the preferred one if it is listed, or the first. */
  cheapestOf(models: readonly Model[], job: PricedJob, preferred: string | undefined): string | undefined {
    const priced = models.flatMap(({ id }) => {
      const cost = this.estimateOf(job, id);
      return cost === undefined ? [] : [{ id, cost }];
    });
    return (
      priced.toSorted((a, b) => compare(a.cost, b.cost))[0]?.id ??
      (models.find(({ id }) => id === preferred) ?? models[0])?.id
    );
  }
}

export const modelsOf = (kind: ModelKind, models: readonly Model[], overrides: KindOverrides) =>
  models.filter((model) => (overriddenKind(model.id, overrides) ?? guessKind(model)) === kind);
