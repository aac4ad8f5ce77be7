import { describe, expect, it } from 'vitest';
import { failureOf, lastRequest, openFixture, profiles } from './both.ts';

const PATH = '/v1/images/generations/jobs';

describe.each(profiles)('Image jobs of a %s gateway', (profile) => {
  const modelOf = async (fixture: Awaited<ReturnType<typeof openFixture>>): Promise<string> => {
    const models = await fixture.gateway.models.list();
    const largest = models.find(({ id }) => id.endsWith('-4K'))?.id ?? '';
    return largest.replace(/-4K$/, '');
  };

  it('Image jobs are queued, run and succeed with images at working URLs', async () => {
    const fixture = await openFixture({ profile });
    const { gateway } = fixture;
    const model = await modelOf(fixture);
    const job = await gateway.imageJobs.create({ model, prompt: 'a red boat' }, { idempotencyKey: 'order-1' });
    expect(lastRequest(fixture, PATH)).toMatchObject({
      body: { model, prompt: 'a red boat' },
      headers: { 'idempotency-key': 'order-1' },
    });
    expect((await gateway.imageJobs.get(job.remoteId)).state).toBe('queued');
    const running = await fixture.pollUntil(
      () => gateway.imageJobs.get(job.remoteId),
      ({ state }) => state === 'running',
    );
    expect(running.media).toEqual([]);
    const done = await fixture.pollUntil(() => gateway.imageJobs.get(job.remoteId));
    expect(done).toMatchObject({ remoteId: job.remoteId, state: 'succeeded', progress: 100, isEmpty: false });
    const image = await fetch(done.media[0]?.address ?? '');
    expect(image.headers.get('content-type')).toMatch(/^image\//);
    expect((await image.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  });

  it('Image jobs are created once per idempotency key', async () => {
    const fixture = await openFixture({ profile });
    const order = { model: await modelOf(fixture), prompt: 'a red boat' };
    const first = await fixture.gateway.imageJobs.create(order, { idempotencyKey: 'same' });
    const second = await fixture.gateway.imageJobs.create(order, { idempotencyKey: 'same' });
    expect(second.remoteId).toBe(first.remoteId);
    expect(fixture.embedded.jobs.list()).toHaveLength(1);
  });

  it('Image jobs report why they failed', async () => {
    const fixture = await openFixture({ profile });
    const { gateway } = fixture;
    const order = { model: await modelOf(fixture), prompt: 'a red boat' };
    const { remoteId } = await gateway.imageJobs.create(order, { idempotencyKey: 'a' });
    fixture.embedded.jobs.fail(remoteId, 'the prompt was rejected');
    expect(await gateway.imageJobs.get(remoteId)).toMatchObject({
      state: 'failed',
      failure: { cause: 'failed', reason: 'the prompt was rejected' },
      media: [],
    });
  });

  it('Image jobs return images as base64 if the gateway sends them that way', async () => {
    const fixture = await openFixture({ profile, quirks: { base64Results: true } });
    const order = { model: await modelOf(fixture), prompt: 'a red boat' };
    const { remoteId } = await fixture.gateway.imageJobs.create(order, { idempotencyKey: 'a' });
    const { media } = await fixture.pollUntil(() => fixture.gateway.imageJobs.get(remoteId));
    expect(
      Buffer.from(media[0]?.base64 ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('Polling an image job by an unknown id fails as not found', async () => {
    const { gateway } = await openFixture({ profile });
    expect(await failureOf(gateway.imageJobs.get('no-such-job'))).toMatchObject({ kind: 'not-found' });
  });
});

describe('An image job', () => {
  it.each([
    [{ model: 'm', prompt: '   ' }, 'prompt'],
    [{ model: '', prompt: 'x' }, 'model'],
    [{ model: 'm', prompt: 'x', image: 'not an address' }, 'image'],
    [{ model: 'm', prompt: 'x', image: ['https://a.example/x.png', 'ftp://b.example/y.png'] }, 'image'],
  ])('The image job %j is refused locally with an error that names %s', async (order, field) => {
    const { gateway, embedded } = await openFixture();
    const error = await failureOf(gateway.imageJobs.create(order, { idempotencyKey: 'a' }));
    expect(error).toMatchObject({ kind: 'invalid', code: 'bad_input', mayHaveTakenEffect: false });
    expect(error.message).toContain(`${field}`);
    expect(embedded.requests).toHaveLength(0);
  });

  it('An image job for a missing model is refused', async () => {
    for (const profile of profiles) {
      const { gateway, embedded } = await openFixture({ profile });
      const error = await failureOf(
        gateway.imageJobs.create({ model: 'no-such-model', prompt: 'x' }, { idempotencyKey: 'a' }),
      );
      expect(error).toMatchObject({ kind: 'not-found', mayHaveTakenEffect: false });
      expect(embedded.jobs.list()).toEqual([]);
    }
  });
});
