import { describe, expect, it, onTestFinished } from 'vitest';
import type { PricedModel, PriceList } from '../../../src/services/gateway/price-list.ts';
import { createGatewayPrices, pricesIn } from '../../../src/services/money/gateway-prices.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plainLog } from '../../support/plain-log.ts';

const READ_AT = 7;

const model = (changes: Partial<PricedModel>): PricedModel => ({
  name: 'm',
  billingUnit: undefined,
  ratio: undefined,
  outputRatio: undefined,
  cachedRatio: undefined,
  audioRatio: undefined,
  audioOutputRatio: undefined,
  price: undefined,
  groups: [],
  ...changes,
});

const list = (models: PricedModel[], groups: Record<string, string> = { default: '1' }): PriceList => ({
  models,
  groups: new Map(Object.entries(groups)),
});

const byJob = model({ billingUnit: 'job', price: '0.0312345678901234' });
const byTokens = model({ billingUnit: 'tokens', ratio: '0.625', outputRatio: '8' });

describe('The prices in a gateway’s list', () => {
  it('A price per token is the model ratio times two dollars per million, times the ratios of the output and the group', () => {
    const price = pricesIn(list([byTokens], { default: '0.9' }), 'default', READ_AT).get('m');
    expect(price).toEqual({ price: { perMillion: { input: '1.125', output: '9' } }, isUpperBound: false, at: READ_AT });
  });

  it('A price per token includes the prices of cached and audio tokens if the list contains them', () => {
    const audio = model({ ...byTokens, cachedRatio: '0.1', audioRatio: '16', audioOutputRatio: '2' });
    expect(pricesIn(list([audio]), 'default', READ_AT).get('m')?.price.perMillion).toEqual({
      input: '1.25',
      output: '10',
      cachedInput: '0.125',
      audioInput: '20',
      audioOutput: '40',
    });
  });

  it('A price per job keeps every digit', () => {
    const prices = pricesIn(list([byJob], { vip: '1.0000000000000000001' }), 'vip', READ_AT);
    expect(prices.get('m')?.price).toEqual({ each: '0.03123456789012340000312345678901234' });
  });

  it('Without a configured group, the price of the most expensive group with the model is used as an upper bound', () => {
    const groups = { default: '1', vip: '0.5', gold: '3', zero: '0' };
    const priceWith = (one: Partial<PricedModel>) =>
      pricesIn(list([model({ ...byJob, price: '2', ...one })], groups), undefined, READ_AT).get('m');
    expect(priceWith({})).toMatchObject({ price: { each: '6' }, isUpperBound: true });
    expect(priceWith({ groups: ['vip', 'default'] })).toMatchObject({ price: { each: '2' }, isUpperBound: true });
    expect(priceWith({ groups: ['vip'] })).toMatchObject({ price: { each: '1' }, isUpperBound: false });
    expect(priceWith({ groups: ['all'] })).toMatchObject({ price: { each: '6' } });
    expect(priceWith({ groups: ['other'] })).toBeUndefined();
  });

  it('The price is unknown if the configured group is missing from the list or from the model', () => {
    expect(pricesIn(list([byJob]), 'vip', READ_AT).size).toBe(0);
    expect(pricesIn(list([model({ ...byJob, groups: ['vip'] })]), 'default', READ_AT).size).toBe(0);
    expect(pricesIn(list([byJob], {}), undefined, READ_AT).size).toBe(0);
  });

  it.each([
    ['another billing mode', { price: '1', ratio: '1', outputRatio: '1' }],
    ['no ratio', { billingUnit: 'tokens', outputRatio: '1' }],
    ['no output ratio', { billingUnit: 'tokens', ratio: '1' }],
    ['no price', { billingUnit: 'job', ratio: '1' }],
  ] as const)('A model with %s has no known price', (_name, facts) => {
    expect(pricesIn(list([model(facts)]), 'default', READ_AT).size).toBe(0);
  });

  it('A later entry for the same model replaces the earlier one, even with no known price', () => {
    expect(pricesIn(list([byJob, model({})]), 'default', READ_AT).size).toBe(0);
  });
});

describe('The gateway’s price list in memory', () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  function createPrices(fetch: ((signal: AbortSignal) => Promise<PriceList>) | undefined) {
    const clock = new ManualClock();
    const warned: object[] = [];
    const prices = createGatewayPrices(fetch, 'default', clock, plainLog({ warn: (facts) => warned.push(facts) }));
    onTestFinished(() => prices.stop());
    prices.start();
    return { clock, prices, warned };
  }

  it('The price list is read at startup and every ten minutes, and after a failure the old list and its age are kept until an attempt a minute later', async () => {
    let calls = 0;
    const { clock, prices, warned } = createPrices(async () => {
      calls++;
      if (calls === 2) throw new Error('unavailable');
      return list([model({ ...byJob, price: String(calls) })]);
    });
    expect(prices.find('m')).toBeUndefined();
    await nextTurn();
    const start = clock.now();
    expect(prices.find('m')).toEqual({ price: { each: '1' }, isUpperBound: false, at: start });
    clock.advance(599_999);
    expect(calls).toBe(1);
    clock.advance(1);
    await nextTurn();
    expect([calls, warned.length, prices.find('m')?.at]).toEqual([2, 1, start]);
    clock.advance(60_000);
    await nextTurn();
    expect([calls, prices.find('m')?.price.each, prices.find('m')?.at]).toEqual([3, '3', start + 660_000]);
  });

  it('A price list that never arrives delays nothing, and its request is aborted when the bot stops', async () => {
    const { prices, warned, clock } = createPrices(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    );
    await nextTurn();
    expect(prices.find('m')).toBeUndefined();
    await prices.stop();
    clock.advance(3_600_000);
    expect(warned).toEqual([]);
  });

  it('Without a configured path no price list is read', async () => {
    const { clock, prices } = createPrices(undefined);
    clock.advance(3_600_000);
    await nextTurn();
    expect(prices.find('m')).toBeUndefined();
  });
});
