import { describe, expect, it } from 'vitest';
import { failureOf, lastRequest, openFixture, profiles } from './both.ts';

describe.each(profiles)('The account of a %s gateway', (profile) => {
  it('The gateway lists its models and returns each one by its full id', async () => {
    const fixture = await openFixture({ profile });
    const models = await fixture.gateway.models.list();
    expect(models.length).toBeGreaterThan(10);
    for (const { id } of models) {
      const model = await fixture.gateway.models.get(id);
      expect(model.id).toBe(id);
      expect(model.ownedBy).toBeTruthy();
    }
    expect(models.some(({ id }) => id.includes('/'))).toBe(true);
    expect(models.some(({ id }) => id.includes(':'))).toBe(true);
    expect(models.some(({ id }) => /[A-Z]/.test(id))).toBe(true);
  });

  it.each(['encoded', 'plain'] as const)(
    'The gateway receives a model id unchanged if its slashes are sent %s',
    async (modelSlashes) => {
      const id = 'vendor/Über-Model:2026-01-31%2Fx y';
      const fixture = await openFixture({ profile, keys: [{ key: 'sk-sandbox' }], settings: { modelSlashes } });
      const error = await failureOf(fixture.gateway.models.get(id));
      expect(error).toMatchObject({ kind: 'not-found', mayHaveTakenEffect: false });
      expect(decodeURIComponent(fixture.embedded.requests.at(-1)?.path ?? '')).toBe(`/v1/models/${id}`);
    },
  );

  it('The gateway lists only the models that the key can access', async () => {
    const unrestrictedFixture = await openFixture({ profile });
    const [first, second] = await unrestrictedFixture.gateway.models.list();
    const restrictedFixture = await openFixture({ profile, keys: [{ key: 'sk-sandbox', models: [first?.id ?? ''] }] });
    expect((await restrictedFixture.gateway.models.list()).map(({ id }) => id)).toEqual([first?.id]);
    expect((await failureOf(restrictedFixture.gateway.models.get(second?.id ?? ''))).kind).toBe('not-found');
  });

  it('The gateway lists the models of the compatible endpoint', async () => {
    const fixture = await openFixture({ profile });
    expect((await fixture.gateway.models.listCompat()).length).toBeGreaterThan(0);
  });

  it('The gateway refuses an unknown key as unauthorized', async () => {
    const fixture = await openFixture({ profile, settings: { apiKey: 'sk-of-another-account' } });
    const error = await failureOf(fixture.gateway.models.list());
    expect(error).toMatchObject({ kind: 'unauthorized', status: 401 });
    expect(error.message).not.toContain('another-account');
  });

  it('The gateway reports usage from one date to another, to the last digit', async () => {
    const fixture = await openFixture({ profile });
    const { gateway } = fixture;
    for (const prompt of ['one', 'two', 'three']) await gateway.imgx.imagine({ prompt });
    const usage = await gateway.usage.get({ start: '2025-12-01', end: '2026-01-31' });
    expect(lastRequest(fixture, '/v1/dashboard/billing/usage').query).toEqual({
      start_date: '2025-12-01',
      end_date: '2026-01-31',
    });
    expect(usage.total).toMatch(/^\d+\.\d{6,}$/);
    if (profile === 'spec') {
      expect(usage.rows).toHaveLength(1);
      expect(usage.rows[0]).toMatchObject({ date: '2026-01-01', requests: 3, amount: usage.total });
    } else {
      expect(usage.rows).toEqual([]);
    }
  });
});

describe('Usage of the account', () => {
  it('The usage of a range without requests is empty and not an error', async () => {
    const { gateway } = await openFixture();
    await gateway.imgx.imagine({ prompt: 'one' });
    expect((await gateway.usage.get({ start: '2024-01-01', end: '2024-01-31' })).rows).toEqual([]);
  });

  it.each([
    [{ start: '2026-02-30', end: '2026-03-01' }, 'start'],
    [{ start: '2026-02-01', end: 'tomorrow' }, 'end'],
    [{ start: '2026-02-02', end: '2026-02-01' }, 'end'],
    [{ start: '', end: '2026-02-01' }, 'start'],
  ])('A usage query for %j is refused locally with an error that names %s', async (range, field) => {
    const { gateway, embedded } = await openFixture();
    const error = await failureOf(gateway.usage.get(range));
    expect(error).toMatchObject({ kind: 'invalid', code: 'bad_input' });
    expect(error.message).toMatch(new RegExp(`^${field}: `));
    expect(embedded.requests).toHaveLength(0);
  });
});

describe('Fine-tune events', () => {
  it('Fine-tune events are returned in chronological order with their raw text', async () => {
    const { gateway, clock } = await openFixture();
    clock.advance(3_600_000);
    const events = await gateway.fineTunes.events('ft-sandbox-1');
    expect(events.length).toBeGreaterThan(0);
    const times = events.map(({ at }) => at ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(events.every(({ message }) => message.length > 0)).toBe(true);
  });

  it.each([
    ['oldest first', 'made', 'queued', 'started', 'noted', 'done'],
    ['newest first', 'done', 'noted', 'started', 'queued', 'made'],
  ])('Fine-tune events without a time keep their place in a list that is sorted %s', async (_order, ...messages) => {
    const { gateway, embedded } = await openFixture();
    const times: Record<string, number> = { queued: 10, started: 20, done: 30 };
    const data = messages.map((message) => ({
      message,
      level: 'info',
      ...(times[message] && { created_at: times[message] }),
    }));
    embedded.faults.add({ on: { path: /fine-tunes/ }, do: { type: 'body', body: { object: 'list', data } } });
    const events = await gateway.fineTunes.events('ft-sandbox-1');
    expect(events.map(({ message }) => message)).toEqual(['made', 'queued', 'started', 'noted', 'done']);
  });

  it('Fine-tune events are not found for an unknown task, and are not offered by a gateway without the endpoint', async () => {
    const { gateway } = await openFixture();
    expect((await failureOf(gateway.fineTunes.events('ft-nobody'))).kind).toBe('not-found');
    const stock = await openFixture({ profile: 'stock' });
    expect(await failureOf(stock.gateway.fineTunes.events('ft-sandbox-1'))).toMatchObject({
      kind: 'not-offered',
      status: 501,
    });
  });
});
