import { describe, expect, it } from 'vitest';
import { createLearnedPrices, type LearnedPrices } from '../../../src/services/money/learned-prices.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plainLog } from '../../support/plain-log.ts';
import { learnedStore } from '../../support/prices.ts';

const log = plainLog();
const baseVariant = { kind: 'video', model: 'reel-2', facts: ['a private word'] };

function createPrices(store = learnedStore()) {
  const clock = new ManualClock();
  return { store, clock, prices: createLearnedPrices(store, clock, log) };
}

async function learnAll(
  prices: LearnedPrices,
  costs: readonly string[],
  variant = baseVariant,
  firstNumber = 0,
): Promise<void> {
  for (const [index, cost] of costs.entries())
    await prices.learn(`${variant.model}-${firstNumber + index}`, variant, cost);
}

const repeat = (count: number, cost: string): string[] => Array.from({ length: count }, () => cost);

describe('The prices learned from past costs', () => {
  it('A price is learned from twenty tasks, each of which counts once', async () => {
    const { prices, clock } = createPrices();
    await learnAll(prices, repeat(19, '0.10'));
    await prices.learn('reel-2-0', baseVariant, '9');
    expect(prices.find(baseVariant)).toBeUndefined();
    clock.advance(5);
    await prices.learn('reel-2-19', baseVariant, '0.1');
    expect(prices.find(baseVariant)).toEqual({ amount: '0.10', isUpperBound: false, at: clock.now() });
  });

  it('If costs vary, the highest of the latest twenty is an upper bound', async () => {
    const { prices } = createPrices();
    await learnAll(prices, ['5', ...repeat(18, '1'), '2.50']);
    expect(prices.find(baseVariant)).toMatchObject({ amount: '5', isUpperBound: true });
    await prices.learn('one-more', baseVariant, '1');
    expect(prices.find(baseVariant)).toMatchObject({ amount: '2.50', isUpperBound: true });
  });

  it('Prices of different kinds, models and variants are learned separately', async () => {
    const { prices } = createPrices();
    await learnAll(prices, repeat(20, '1'));
    for (const other of [
      { ...baseVariant, kind: 'image' },
      { ...baseVariant, model: 'reel-2-pro' },
      { ...baseVariant, facts: ['another'] },
    ])
      expect(prices.find(other)).toBeUndefined();
  });

  it('Learned prices survive a restart, and contain nothing that a member has typed', async () => {
    const { prices, store } = createPrices();
    await learnAll(prices, repeat(20, '0.000000000000000000001'));
    expect(JSON.stringify([...store.rows.values()])).not.toContain('private');
    const reloaded = createPrices(store).prices;
    await reloaded.open();
    expect(reloaded.find(baseVariant)).toMatchObject({ amount: '0.000000000000000000001' });
  });

  it('A failing store neither loses a price nor causes an error', async () => {
    const failingStore = { ...learnedStore(), put: async () => Promise.reject(new Error('unavailable')) };
    const prices = createLearnedPrices(failingStore, new ManualClock(), log);
    await learnAll(prices, repeat(20, '1'));
    expect(prices.find(baseVariant)?.amount).toBe('1');
  });

  it('The numbers of stored variants and models are limited', async () => {
    const { prices, store } = createPrices();
    for (let index = 0; index < 30; index++)
      await learnAll(prices, repeat(20, '1'), { ...baseVariant, facts: [`${index}`] }, index * 100);
    expect(store.rows.get('video:reel-2')?.variants).toHaveLength(20);
    expect(prices.find({ ...baseVariant, facts: ['0'] })).toBeUndefined();
    expect(prices.find({ ...baseVariant, facts: ['29'] })).toBeDefined();
    for (let index = 0; index < 2_100; index++)
      await prices.learn(`task-${index}`, { ...baseVariant, model: `m-${index}` }, '1');
    expect(store.rows.size).toBe(2_000);
    await prices.learn('long', { ...baseVariant, kind: 'image', model: 'x'.repeat(201) }, '1');
    expect(store.rows.size).toBe(2_000);
  });
});
