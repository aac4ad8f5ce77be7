import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { compare, largestOf } from '../../lib/decimals.ts';
import type { PlainLog } from '../../lib/log.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import { amount } from '../tasks/estimate.ts';

/** How many tasks must have reported their cost, and how many of the latest ones count. */
const SAMPLE_SIZE = 20;
export const MAX_VARIANTS = 20;
const MAX_MODELS = 2_000;
const MAX_MODEL_LENGTH = 200;
/** How many counted tasks are remembered: a task is reported several times, but only its first end counts. */
const MAX_REMEMBERED_TASKS = 10_000;

/** The cost of jobs of one kind and model, by the options that affect it. It contains nothing about members. */
export const learnedCosts = z.object({
  kind: z.string(),
  model: z.string(),
  variants: z
    .array(z.object({ variant: z.string(), amounts: z.array(amount).max(SAMPLE_SIZE), at: z.number() }))
    .max(MAX_VARIANTS),
});
export type LearnedCosts = z.output<typeof learnedCosts>;

export type LearnedStore = Pick<StoredRows<LearnedCosts>, 'all' | 'put'>;

export interface CostKey {
  kind: string;
  model: string;
  /** Other options that affect the price. A member may have typed them, so only a hash is stored. */
  facts: readonly unknown[];
}

const keyOf = ({ kind, model }: LearnedCosts | CostKey): string => `${kind}:${model}`;
const variantOf = ({ facts }: CostKey): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);

export type LearnedPrices = ReturnType<typeof createLearnedPrices>;

/** The actual cost of finished jobs, kept across restarts. */
export function createLearnedPrices(store: LearnedStore, clock: Clock, log: PlainLog) {
  const costsByModel = new Map<string, LearnedCosts>();
  const countedTaskIds = new RecentMap<string, true>(MAX_REMEMBERED_TASKS);
  return {
    async open(): Promise<void> {
      for (const costs of await store.all()) costsByModel.set(keyOf(costs), costs);
    },

    /** The highest of the latest costs, marked as an upper bound if they differ. Undefined until enough are known. */
    find(costKey: CostKey): { amount: string; isUpperBound: boolean; at: number } | undefined {
      const variant = variantOf(costKey);
      const { amounts = [], at = 0 } =
        costsByModel.get(keyOf(costKey))?.variants.find((one) => one.variant === variant) ?? {};
      const highest = largestOf(amounts);
      if (highest === undefined || amounts.length < SAMPLE_SIZE) return undefined;
      return { amount: highest, isUpperBound: amounts.some((one) => compare(one, highest) !== 0), at };
    },

    async learn(taskId: string, costKey: CostKey, cost: string): Promise<void> {
      if (countedTaskIds.has(taskId)) return;
      countedTaskIds.set(taskId, true);
      const key = keyOf(costKey);
      const { kind, model } = costKey;
      const existingCosts = costsByModel.get(key);
      if (model.length > MAX_MODEL_LENGTH || (!existingCosts && costsByModel.size >= MAX_MODELS)) return;
      const variant = variantOf(costKey);
      const variants = existingCosts?.variants ?? [];
      const { amounts = [] } = variants.find((one) => one.variant === variant) ?? {};
      const latest = { variant, amounts: [...amounts, cost].slice(-SAMPLE_SIZE), at: clock.now() };
      const others = variants.filter((one) => one.variant !== variant);
      const costs = { kind, model, variants: [...others, latest].slice(-MAX_VARIANTS) };
      costsByModel.set(key, costs);
      try {
        await store.put(costs);
      } catch (error) {
        // The costs are stored again with the next task of this model.
        log.warn({ err: error }, 'The cost of a task could not be stored for later estimates.');
      }
    },
  };
}
