import { describe, expect, it } from 'vitest';
import { amountOf, amountText, plus, times } from '../../../sandbox/gateway/decimal.ts';
import { startTestGateway } from './bench.ts';

const billPath = '/_sandbox/bill';

describe('The price list of the embedded gateway', () => {
  it('Prices are listed in the stock profile, and in the spec profile only with the quirk `pricesListed`', async () => {
    const spec = await startTestGateway();
    expect((await spec.get('/api/pricing')).status).toBe(404);
    const specWithPrices = await startTestGateway({ quirks: { pricesListed: true } });
    for (const fixture of [specWithPrices, await startTestGateway({ profile: 'stock' })]) {
      const { json, text } = await fixture.get('/api/pricing');
      expect(json.success).toBe(true);
      expect(json.group_ratio).toEqual({ default: 1, reserve: 1.5 });
      expect(text).toContain('"model_price":0.0312345678901234');
    }
  });

  it('The price list requires a key', async () => {
    const { get } = await startTestGateway({ profile: 'stock' });
    expect((await get('/api/pricing', { key: null })).status).toBe(401);
  });
});

describe('The bill of the embedded gateway', () => {
  it('The bill is the exact sum of the quota that tasks report, and failed tasks are refunded', async () => {
    const { get, post, runToEnd, gateway } = await startTestGateway({ profile: 'stock' });
    gateway.faults.add({ do: 'fail' });
    const failedId = (await post('/v1/video/generations', { model: 'reel-2', prompt: 'x' })).json.task_id;
    const ids: string[] = [];
    for (const seconds of [1, 7])
      ids.push((await post('/v1/video/generations', { model: 'reel-2', prompt: 'x', duration: seconds })).json.task_id);
    let quota = amountOf('0');
    for (const id of [failedId, ...ids]) {
      await runToEnd(id);
      const { text } = await get(`/v1/video/generations/${id}`);
      quota = plus(quota, amountOf(/"quota":([\d.]+)/.exec(text)?.[1] ?? ''));
    }
    const { json } = await get(billPath);
    expect(json.total).toBe('0.0714285714285712');
    expect(amountText(times(amountOf(json.total), 500_000))).toBe(amountText(quota));
    expect(json.rows).toEqual([{ date: '2026-01-01', model: 'reel-2', requests: 3, amount: json.total }]);
  });
});
