import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOf, amountText } from '../../../sandbox/gateway/decimal.ts';
import { eventsOf, fineTuneIds } from '../../../sandbox/gateway/fine-tunes.ts';
import { UsageLedger } from '../../../sandbox/gateway/usage-ledger.ts';
import { LONGER_THAN_ANY_JOB_MS, startTestGateway } from './bench.ts';

const usagePath = '/v1/dashboard/billing/usage';
const imageRequest = { model: 'Harbour/Canvas-XL:2026-03-01', prompt: 'a' };
const DAY_MS = 86_400_000;

describe('The usage endpoint', () => {
  it('Usage is recorded per day and model, with every digit in the response', async () => {
    const { post, get, clock } = await startTestGateway();
    for (let count = 0; count < 3; count++) await post('/v1/images/generations/jobs', imageRequest);
    await post('/music/submit/lyrics', { prompt: 'a' });
    clock.advance(DAY_MS);
    await post('/v1/images/generations/jobs', imageRequest);
    const { text, json } = await get(`${usagePath}?start_date=2026-01-01&end_date=2026-01-31`);
    expect(json.data.map((row: Record<string, unknown>) => [row.date, row.model, row.request_count])).toEqual([
      ['2026-01-01', imageRequest.model, 3],
      ['2026-01-01', 'verse-1', 1],
      ['2026-01-02', imageRequest.model, 1],
    ]);
    expect(text).toContain('"amount":5.62500000000003,');
    // The cost in cents of four images and a text: 4 × 1.87500000000001 + 0.09433962264151.
    expect(text).toContain('"total_usage":7.59433962264155');
  });

  it('Usage is filtered by a start date and an end date, both inclusive', async () => {
    const { post, get, clock } = await startTestGateway();
    for (let count = 0; count < 3; count++) {
      await post('/music/submit/lyrics', { prompt: 'a' });
      clock.advance(DAY_MS);
    }
    const dates = async (query: string) =>
      (await get(`${usagePath}?${query}`)).json.data.map((row: { date: string }) => row.date);
    expect(await dates('start_date=2026-01-02&end_date=2026-01-02')).toEqual(['2026-01-02']);
    expect(await dates('start_date=2026-01-02')).toEqual(['2026-01-02', '2026-01-03']);
    expect(await dates('')).toHaveLength(3);
    expect(await dates('start_date=2025-01-01&end_date=2025-12-31')).toEqual([]);
  });

  it('A usage query with invalid dates is refused', async () => {
    const { get } = await startTestGateway();
    for (const query of [
      'start_date=yesterday',
      'start_date=2026-02-30',
      'end_date=2026-1-1',
      'start_date=2026-01-02&end_date=2026-01-01',
    ]) {
      expect((await get(`${usagePath}?${query}`)).status, query).toBe(400);
    }
    expect((await get(`${usagePath}?start_date=2024-02-29`)).status).toBe(200);
  });

  it('In the stock profile, the usage endpoint returns only a total and ignores the dates', async () => {
    const { post, get } = await startTestGateway({ profile: 'stock' });
    await post('/music/submit/lyrics', { prompt: 'a' });
    const { json, text } = await get(`${usagePath}?start_date=1999-99-99`);
    expect(Object.keys(json)).toEqual(['object', 'total_usage']);
    expect(text).toContain('"total_usage":0.09433962264151}');
  });

  it('Usage is refunded when a job fails, and the request still counts', async () => {
    const { post, get, gateway, runToEnd } = await startTestGateway();
    gateway.faults.add({ do: 'fail' });
    const { json } = await post('/v1/images/generations/jobs', imageRequest);
    await runToEnd(json.id);
    const { data } = (await get(usagePath)).json;
    expect(data).toEqual([{ date: '2026-01-01', request_count: 1, amount: 0, model: imageRequest.model }]);
  });

  it('Usage is recorded per API key', async () => {
    const { post, get } = await startTestGateway({ keys: [{ key: 'sk-sandbox' }, { key: 'sk-other' }] });
    await post('/music/submit/lyrics', { prompt: 'a' });
    expect((await get(usagePath, { key: 'sk-other' })).json.data).toEqual([]);
  });

  it('Usage is higher for longer, larger and better results', async () => {
    const { post, gateway } = await startTestGateway();
    const cost = async (path: string, body: object) => {
      const previousTotal = gateway.usage.total('sk-sandbox');
      await post(path, body);
      return amountText((gateway.usage.total('sk-sandbox') - previousTotal) as ReturnType<typeof amountOf>);
    };
    const video = { model: 'reel-2', prompt: 'a' };
    expect(await cost('/v1/video/generations', { ...video, duration: 2 })).toBe('0.0178571428571428');
    expect(await cost('/v1/video/generations', { ...video, duration: 2, mode: 'pro' })).toBe('0.0357142857142856');
    expect(await cost('/v1/images/generations/jobs', { ...imageRequest, n: 2 })).toBe('0.0375000000000002');
    expect(await cost('/imgx/submit/imagine', { prompt: 'a' })).toBe('0.0371428571428572');
  });

  it('Usage stays exact to the last digit over many requests', () => {
    const decimal = fc.tuple(fc.nat({ max: 10 ** 6 }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }));
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 400 }), (amounts) => {
        const ledger = new UsageLedger();
        let units = 0n;
        for (const [whole, fraction] of amounts) {
          units += BigInt(whole) * 10n ** 18n + fraction;
          const text = `${whole}.${String(fraction).padStart(18, '0')}`;
          ledger.charge({ key: 'k', model: 'm', at: 0, amount: amountOf(text) });
        }
        const total = amountText(ledger.total('k'));
        const [whole = '', fraction = ''] = total.split('.');
        expect(BigInt(`${whole}${fraction.padEnd(18, '0')}`)).toBe(units);
        expect(ledger.rows('k')).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });

  it('An invalid amount is rejected, and a valid one is parsed without loss of precision', () => {
    for (const text of ['', '1.', '.5', '1e3', 'NaN', `0.${'1'.repeat(19)}`])
      expect(() => amountOf(text), text).toThrow(RangeError);
    for (const text of ['0', '12', '0.5', '-3.25', '0.000000000000000001'])
      expect(amountText(amountOf(text))).toBe(text);
  });
});

describe('The events of fine-tuning jobs', () => {
  it('Fine-tune events exist for the documented ids, oldest first', async () => {
    const { get } = await startTestGateway();
    const { json } = await get(`/v1/fine-tunes/${fineTuneIds[0]}/events`);
    expect(json.object).toBe('list');
    expect(json.data.length).toBeGreaterThan(5);
    for (const event of json.data) {
      expect(event).toEqual({
        object: 'fine-tune-event',
        created_at: expect.any(Number),
        level: expect.stringMatching(/^(info|warn|error)$/),
        message: expect.any(String),
      });
    }
    const times = json.data.map((event: { created_at: number }) => event.created_at);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  it('Fine-tune events are added over time, and earlier ones do not change', async () => {
    const { get, clock } = await startTestGateway();
    const path = `/v1/fine-tunes/${fineTuneIds[1]}/events`;
    const earlierEvents = (await get(path)).json.data;
    expect(earlierEvents).toHaveLength(1);
    clock.advance(90_000);
    const laterEvents = (await get(path)).json.data;
    expect(laterEvents.length).toBeGreaterThan(earlierEvents.length);
    expect(laterEvents.slice(0, earlierEvents.length)).toEqual(earlierEvents);
    clock.advance(LONGER_THAN_ANY_JOB_MS);
    expect((await get(path)).json.data.at(-1).message).toMatch(/succeeded/);
    expect((await get(`/v1/fine-tunes/${fineTuneIds[2]}/events`)).json.data.at(-1)).toMatchObject({ level: 'error' });
  });

  it('Fine-tune events are not found for unknown ids and not available in the stock profile', async () => {
    const spec = await startTestGateway();
    expect((await spec.get('/v1/fine-tunes/ft-none/events')).status).toBe(404);
    const stock = await startTestGateway({ profile: 'stock' });
    const response = await stock.get(`/v1/fine-tunes/${fineTuneIds[0]}/events`);
    expect(response.status).toBe(501);
    expect(response.json.error.code).toBe('api_not_implemented');
  });

  it('Fine-tune events keep their times when the speed changes', async () => {
    const { get, gateway, clock } = await startTestGateway();
    clock.advance(200_000);
    const path = `/v1/fine-tunes/${fineTuneIds[1]}/events`;
    const earlierEvents = (await get(path)).json.data;
    gateway.setSpeed(50);
    clock.advance(1_000);
    expect((await get(path)).json.data.slice(0, earlierEvents.length)).toEqual(earlierEvents);
    expect(eventsOf('unknown', undefined as never)).toBeUndefined();
  });
});
