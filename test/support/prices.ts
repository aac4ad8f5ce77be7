import { kindSpecs } from '../../src/commands/index.ts';
import { createGatewayPrices } from '../../src/services/money/gateway-prices.ts';
import { createLearnedPrices, type LearnedCosts, type LearnedStore } from '../../src/services/money/learned-prices.ts';
import type { OperatorPrices } from '../../src/services/money/price.ts';
import { PriceBook } from '../../src/services/money/price-book.ts';
import { ManualClock } from './manual-clock.ts';
import { plainLog } from './plain-log.ts';

const log = plainLog();

/** A store in memory whose rows a test can inspect. */
export function learnedStore(): LearnedStore & { rows: Map<string, LearnedCosts> } {
  const rows = new Map<string, LearnedCosts>();
  return {
    rows,
    all: async () => [...rows.values()],
    put: async (costs) => void rows.set(`${costs.kind}:${costs.model}`, costs),
  };
}

/** A price book with only the operator's prices. */
export function operatorPriceBook(operator: OperatorPrices): PriceBook {
  const clock = new ManualClock();
  return new PriceBook({
    operator,
    readAt: clock.now(),
    specs: kindSpecs,
    gateway: createGatewayPrices(undefined, undefined, clock, log),
    learned: createLearnedPrices(learnedStore(), clock, log),
    listNameOf: () => undefined,
  });
}
