import { describe, expect, it } from 'vitest';
import { amountText } from '../../sandbox/gateway/decimal.ts';
import { isDecimal } from '../../src/lib/decimals.ts';
import type { Snapshot } from '../../src/services/gateway/snapshot.ts';
import { pricesIn } from '../../src/services/money/gateway-prices.ts';
import { itVariants } from '../support/variants.ts';
import { type Fixture, failureOf, openFixture, profiles, responseOf } from './both.ts';

const path = '/api/pricing';

const fixtureWithPrices = async (body: unknown): Promise<Fixture> => {
  const fixture = await openFixture({ profile: 'stock' });
  fixture.embedded.faults.add({ on: { path }, do: { type: 'body', body: body as never } });
  return fixture;
};

/** Submits one job of every family, and returns a function for each that polls it. */
async function jobsOf(fixture: Fixture): Promise<(() => Promise<Snapshot>)[]> {
  const { gateway } = fixture;
  const image = await gateway.imageJobs.create({ model: 'lumen-image-1', prompt: 'a fox' }, { idempotencyKey: 'once' });
  const finishedImage = await fixture.pollUntil(() => gateway.imageJobs.get(image.remoteId));
  const url = finishedImage.media[0]?.address ?? '';
  const grid = await gateway.imgx.imagine({ prompt: 'a fox' });
  const video = await gateway.videos.create({ model: 'reel-2', prompt: 'waves', duration: 4, mode: 'pro' });
  const second = await gateway.v1Videos.create({ model: 'reel-2-pro', prompt: 'waves' });
  const vendor = await gateway.imageToVideo.create({ model: 'kling-v2-1', prompt: 'waves', image: url });
  const song = await gateway.music.makeSong({ about: 'snow', model: 'chorale-4.5' });
  return [
    () => gateway.imageJobs.get(image.remoteId),
    () => gateway.imgx.get(grid.remoteId),
    () => gateway.videos.get(video.remoteId),
    () => gateway.v1Videos.get(second.remoteId),
    () => gateway.imageToVideo.get(vendor.remoteId),
    () => gateway.music.get(song.remoteId),
  ];
}

describe('The costs that a gateway reports', () => {
  it('A stock gateway reports the cost of each job, to the last digit that it charges', async () => {
    const fixture = await openFixture({ profile: 'stock' });
    const costs: string[] = [];
    for (const poll of await jobsOf(fixture)) costs.push((await fixture.pollUntil(poll)).cost ?? 'unknown');
    expect(costs).toEqual(fixture.embedded.jobs.list().map(({ charge }) => amountText(charge)));
    expect(costs[0]).toBe('0.0312345678901234');
  });

  it('A spec gateway reports no costs', async () => {
    const fixture = await openFixture();
    for (const poll of await jobsOf(fixture)) expect((await fixture.pollUntil(poll)).cost).toBeUndefined();
  });

  itVariants(['flat', 'wrapped', 'short', 'legacy', 'native'] as const)(
    'A video in the %s shape reports its cost',
    async (videoShape) => {
      const fixture = await openFixture({ profile: 'stock', quirks: { videoShape } });
      const { remoteId } = await fixture.gateway.videos.create({ model: 'reel-2', prompt: 'waves', duration: 4 });
      expect((await fixture.pollUntil(() => fixture.gateway.videos.get(remoteId))).cost).toBe('0.0357142857142856');
    },
  );

  it.each(profiles)(
    'An answer from a %s gateway reports its token usage, and the listed price for it equals the bill',
    async (profile) => {
      const fixture = await openFixture({ profile, quirks: { pricesListed: true } });
      const { usage, cost } = await responseOf(fixture.gateway, { model: 'quill-5', input: 'Snow?' });
      expect(cost).toBeUndefined();
      const price = pricesIn(await fixture.gateway.prices.get(path), 'default', 0).get('quill-5')?.price.perMillion;
      expect(price).toEqual({ input: '1.25', output: '1.25' });
      const [row] = fixture.embedded.usage.rows('sk-sandbox');
      const tokens = (usage?.input ?? 0) + (usage?.output ?? 0);
      expect(BigInt(row?.amount ?? 0)).toBe(BigInt(tokens) * 1_250_000_000_000n);
    },
  );
});

describe('The price list of a gateway', () => {
  it('A stock gateway lists its prices, with every digit and its groups', async () => {
    const { gateway } = await openFixture({ profile: 'stock' });
    const list = await gateway.prices.get(path);
    const [configuredPrices, highestPrices] = [pricesIn(list, 'default', 0), pricesIn(list, undefined, 0)];
    expect(configuredPrices.get('lumen-image-1')?.price).toEqual({ each: '0.0312345678901234' });
    expect(configuredPrices.get('Harbour/Canvas-XL:2026-03-01')?.price).toEqual({ each: '0.0187500000000001' });
    expect(configuredPrices.get('mj_imagine')?.price).toEqual({ each: '0.0371428571428572' });
    expect(configuredPrices.get('parley-realtime')?.price.perMillion).toEqual({
      input: '32',
      output: '32',
      audioInput: '32',
      audioOutput: '32',
    });
    expect(highestPrices.get('lumen-image-1')).toMatchObject({
      price: { each: '0.0468518518351851' },
      isUpperBound: true,
    });
    expect(configuredPrices.has('motion-v1.6')).toBe(false);
    expect(pricesIn(list, 'strangers', 0).size).toBe(0);
  });

  it('A spec gateway has no price list', async () => {
    const { gateway } = await openFixture();
    expect(await failureOf(gateway.prices.get(path))).toMatchObject({ kind: 'not-offered', status: 404 });
  });

  it.each([
    ['no record', 'prices'],
    ['an empty record', {}],
    ['data that is not a list', { success: true, data: { model: 1 } }],
    ['a failure', { success: false, message: 'not allowed' }],
  ])('A response with %s is not a price list', async (_name, body) => {
    const { gateway } = await fixtureWithPrices(body);
    await expect(gateway.prices.get(path)).rejects.toThrow();
  });

  it('Only entries with non-negative decimals are read from a list with malformed entries', async () => {
    const entry = (changes: object) => ({ model_name: 'm', quota_type: 1, model_price: 1, ...changes });
    const { gateway } = await fixtureWithPrices({
      data: [
        null,
        7,
        'm',
        [],
        entry({ model_name: 5 }),
        entry({ model_name: '' }),
        entry({ model_name: 'x'.repeat(201) }),
        entry({ model_name: 'negative', model_price: -1 }),
        entry({ model_name: 'nan', model_price: 'NaN' }),
        entry({ model_name: 'infinite', model_price: '1e999999999' }),
        entry({ model_name: 'huge', model_price: '9'.repeat(100) }),
        entry({ model_name: 'text', model_price: '0.10', quota_type: '1' }),
        entry({ model_name: 'small', model_price: 1e-9 }),
        entry({ model_name: 'free', model_price: 0 }),
        entry({ model_name: 'odd', quota_type: 2 }),
        entry({ model_name: 'formula', billing_mode: 'tiered_expr' }),
        entry({ model_name: 'usual', billing_mode: 'ratio', enable_groups: ['default', 7, null] }),
        entry({ model_name: 'groups', enable_groups: 'default' }),
      ],
      group_ratio: { default: '1', bad: 'x', worse: -1, ['y'.repeat(201)]: 5 },
    });
    const prices = pricesIn(await gateway.prices.get(path), undefined, 0);
    expect(Object.fromEntries([...prices].map(([name, { price }]) => [name, price.each]))).toEqual({
      text: '0.1',
      small: '0.000000001',
      free: '0',
      usual: '1',
      groups: '1',
    });
  });

  it('A list without groups leaves every price unknown', async () => {
    const { gateway } = await fixtureWithPrices({ data: [{ model_name: 'm', quota_type: 1, model_price: 1 }] });
    expect(pricesIn(await gateway.prices.get(path), undefined, 0).size).toBe(0);
  });

  it('A list of too many models is truncated, and a list of too many bytes is refused', async () => {
    const models = Array.from({ length: 6_000 }, (_, index) => ({
      model_name: `m-${index}`,
      quota_type: 1,
      model_price: index,
    }));
    const longListFixture = await fixtureWithPrices({ data: models, group_ratio: { a: 1 } });
    const list = await longListFixture.gateway.prices.get(path);
    expect(list.models).toHaveLength(5_000);
    for (const { each = '' } of [...pricesIn(list, 'a', 0).values()].map(({ price }) => price))
      expect(isDecimal(each)).toBe(true);
    const largeListFixture = await fixtureWithPrices({ data: [{ model_name: 'x'.repeat(4 * 1024 * 1024) }] });
    expect(await failureOf(largeListFixture.gateway.prices.get(path))).toMatchObject({ kind: 'malformed' });
  });
});
