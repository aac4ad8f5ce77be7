import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '../../lib/refusal.ts';
import type { Tokens } from '../tasks/answer.ts';
import type { Estimate } from '../tasks/estimate.ts';
import type { KindSpecs, TaskKind } from '../tasks/kind-spec.ts';
import type { Task } from '../tasks/task.ts';
import { type OrderedRequest, orderOfTask } from '../tasks/transitions.ts';
import type { GatewayPrices } from './gateway-prices.ts';
import type { CostKey, LearnedPrices } from './learned-prices.ts';
import { MAX_COUNT, maxTokens, measuresOf, turnTokens } from './measures.ts';
import { costOf, type OperatorPrices, type Price, priceOfKind, priceOfModel } from './price.ts';

type PricedOrder = OrderedRequest<TaskKind>;

interface PriceBookParts {
  operator: OperatorPrices;
  readAt: number;
  gateway: GatewayPrices;
  learned: LearnedPrices;
  specs: KindSpecs;
  /** The name of the order's type of job in a gateway's price list, if the request names no model. */
  listNameOf(order: PricedOrder): string | undefined;
}

export class PriceBook {
  #parts: PriceBookParts;

  constructor(parts: PriceBookParts) {
    this.#parts = parts;
  }

  setOperatorPrices(operator: OperatorPrices, readAt: number): void {
    if (!isDeepStrictEqual(operator, this.#parts.operator)) this.#parts = { ...this.#parts, operator, readAt };
  }

  /**
   * Undefined if no price is known. The operator's price for exactly this model takes precedence, then the learned cost of
   * similar jobs, then the operator's price for the kind, then the gateway's list. Refuses an order for more results than one can have.
   */
  estimateOf(order: PricedOrder): Estimate | undefined {
    const { learned } = this.#parts;
    if (measuresOf(order.request).count > MAX_COUNT) throw new Refusal('refusals.countTooLarge', { max: MAX_COUNT });
    const modelEstimate = this.#operatorEstimate(order, priceOfModel);
    if (modelEstimate) return modelEstimate;
    const learnedCost = learned.find(this.#costKeyOf(order));
    if (learnedCost)
      return {
        amount: learnedCost.amount,
        source: 'learned',
        at: learnedCost.at,
        ...upperBoundField(learnedCost.isUpperBound),
      };
    return this.#operatorEstimate(order, priceOfKind) ?? this.#listEstimate(order);
  }

  /** The reported cost of an answer, or that of its tokens at the operator's price or else at the gateway's. Undefined if neither is exact. */
  costOfAnswer(
    task: Task,
    { cost, usage }: { cost?: string | undefined; usage: Tokens | undefined },
  ): string | undefined {
    if (cost !== undefined) return cost;
    const order = orderOfTask(task);
    const { kind, request } = order;
    const { operator } = this.#parts;
    const { model = '' } = request;
    const listed = this.#listedPrice(order);
    const prices = [
      priceOfModel(operator, kind, model),
      priceOfKind(operator, kind, model),
      listed?.isUpperBound ? undefined : listed?.price,
    ];
    const price = prices.find((one) => one?.perMillion !== undefined);
    return price && costOf(price, { count: 1 }, usage);
  }

  /** Call this for every change of a task. */
  async learn(task: Task): Promise<void> {
    const { id, state, cost, traits } = task;
    const hasResult = state === 'ready' || state === 'delivered';
    if (hasResult && traits.isPaid && cost !== undefined)
      await this.#parts.learned.learn(id, this.#costKeyOf(orderOfTask(task)), cost);
  }

  #operatorEstimate(order: PricedOrder, find: typeof priceOfModel): Estimate | undefined {
    const { operator, readAt } = this.#parts;
    const { kind, request } = order;
    return this.#estimate(order, find(operator, kind, request.model ?? ''), { source: 'operator', at: readAt });
  }

  #listEstimate(order: PricedOrder): Estimate | undefined {
    const listed = this.#listedPrice(order);
    if (!listed) return undefined;
    const { price, isUpperBound, at } = listed;
    const { seconds, mode } = measuresOf(order.request);
    // The list does not say for which length and mode its price per task is.
    const bound =
      price.each !== undefined && (seconds ?? mode) !== undefined
        ? ({ isLowerBound: true } as const)
        : upperBoundField(isUpperBound);
    return this.#estimate(order, price, { source: 'gateway', at, ...bound });
  }

  #listedPrice(order: PricedOrder) {
    const { gateway, listNameOf } = this.#parts;
    return gateway.find(order.request.model) ?? gateway.find(listNameOf(order));
  }

  #estimate(order: PricedOrder, price: Price | undefined, origin: Omit<Estimate, 'amount'>): Estimate | undefined {
    const { isText, isUtterance } = this.#parts.specs[order.kind].traits;
    const tokens = isText ? (isUtterance ? turnTokens : maxTokens)(order.request) : undefined;
    const amount = price && costOf(price, measuresOf(order.request), tokens);
    return amount === undefined
      ? undefined
      : { amount, ...origin, ...upperBoundField(price?.perMillion !== undefined && !isUtterance) };
  }

  #costKeyOf(order: PricedOrder): CostKey {
    const { kind, request } = order;
    const { isText } = this.#parts.specs[kind].traits;
    const facts = isText ? [] : [this.#parts.listNameOf(order), Object.entries(measuresOf(request)).toSorted()];
    return { kind, model: request.model ?? '', facts };
  }
}

const upperBoundField = (isUpperBound: boolean): Pick<Estimate, 'isUpperBound'> =>
  isUpperBound ? { isUpperBound: true } : {};
