import { compare } from '../../src/lib/decimals.ts';
import type { Model } from '../../src/services/gateway/endpoints/models.ts';
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
const ANSWER = { input: 300, output: 1_000, audioInput: 0, audioOutput: 0 };
const TURN = { input: 500, output: 500, audioInput: 0, audioOutput: 400 };

/** Estimates by the prices that the operator or the gateway names. */
export function trialPrices(operator: OperatorPrices, list: PriceList | undefined, group: string | undefined) {
  const listed = list && pricesIn(list, group, 0);
  /** In US dollars. Undefined if no price is known. */
  const estimateOf = ({ kind, listName = '', seconds }: PricedJob, model = ''): string | undefined => {
    const price =
      priceOfModel(operator, kind, model) ??
      priceOfKind(operator, kind, model) ??
      listed?.get(model || listName)?.price;
    return price && costOf(price, { count: 1, ...(seconds && { seconds }) }, kind === 'talk' ? TURN : ANSWER);
  };
  /** The cheapest of these models; without any price, the preferred one if it is listed, or the first. */
  const cheapestOf = (models: readonly Model[], job: PricedJob, preferred: string | undefined): string | undefined => {
    const priced = models.flatMap(({ id }) => {
      const cost = estimateOf(job, id);
      return cost === undefined ? [] : { id, cost };
    });
    const [cheapest] = priced.toSorted((a, b) => compare(a.cost, b.cost));
    return (cheapest ?? models.find(({ id }) => id === preferred) ?? models[0])?.id;
  };
  return { estimateOf, cheapestOf };
}
