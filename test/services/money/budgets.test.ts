import { describe, expect, it } from 'vitest';
import { withPause } from '../../../src/services/money/budget-changes.ts';
import { Budgets, WHOLE_BOT } from '../../../src/services/money/budgets.ts';
import { EMPTY_BUDGET } from '../../../src/services/money/server-budget.ts';
import { emptyStore } from './spending/fixture.ts';

describe('The history of a server’s budget', () => {
  const pausedByOperator = withPause(EMPTY_BUDGET, true, { by: 'the operator', at: 2 });
  const pauseOfAll = { at: 2, what: 'pause', isEverywhere: true };

  it('A pause of the whole bot is in the history of each server, and names no one', async () => {
    const budgets = new Budgets(emptyStore, (name) => name);
    await budgets.change('den', (budget) => withPause(budget, true, { by: 'an admin', at: 1 }));
    await budgets.change(WHOLE_BOT, () => pausedByOperator);
    expect(await budgets.historyOf('den')).toEqual([{ at: 1, what: 'pause', by: 'an admin' }, pauseOfAll]);
    expect(await budgets.historyOf('hall')).toEqual([pauseOfAll]);
  });

  it('A partition that does not have the pause of the whole bot reads it from the one that has', async () => {
    const budgets = new Budgets(
      emptyStore,
      (name) => name,
      undefined,
      async () => pausedByOperator,
    );
    expect(await budgets.historyOf('den')).toEqual([pauseOfAll]);
    const others = new Budgets(
      emptyStore,
      (name) => name,
      undefined,
      async () => undefined,
    );
    expect(await others.historyOf('den')).toEqual([]);
  });
});
