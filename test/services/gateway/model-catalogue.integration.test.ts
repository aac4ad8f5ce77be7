import { describe, expect, it } from 'vitest';
import { ModelCatalogue, ORDER_LIMIT_MS } from '../../../src/services/gateway/model-catalogue.ts';
import { Experience, type ModelExperience } from '../../../src/services/gateway/model-experience.ts';
import { guessKind, type KindOverrides, type ModelKind } from '../../../src/services/gateway/model-families.ts';
import { similarIds } from '../../../src/services/gateway/model-ids.ts';
import { openFixture, requestsAt } from '../../contract/both.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plainLog } from '../../support/plain-log.ts';

interface CatalogueOptions {
  overrides?: KindOverrides;
  stored?: Map<string, ModelExperience>;
}

async function createCatalogue({ overrides = {}, stored = new Map<string, ModelExperience>() }: CatalogueOptions = {}) {
  const fixture = await openFixture({ limits: { attempts: 1, readMs: 500 } });
  const clock = new ManualClock();
  const store = {
    all: async () => [...stored].map(([id, one]) => ({ id, ...one })),
    put: async ({ id, ...one }: ModelExperience & { id: string }) => void stored.set(id, one),
  };
  const experience = new Experience(store, plainLog());
  await experience.open();
  return {
    ...fixture,
    stored,
    experience,
    time: clock,
    models: new ModelCatalogue({ gateway: fixture.gateway.models, experience, overrides, clock }),
    listRequestCount: () => requestsAt(fixture, '/v1/models').length,
  };
}

const rejectionOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: unknown) => error,
  );

describe('The catalogue of models', () => {
  it('The catalogue of models requests the list at most every five minutes, and once for many simultaneous callers', async () => {
    const { models, time, listRequestCount } = await createCatalogue();
    await Promise.all([models.list(), models.list(), models.list()]);
    await models.list();
    expect(listRequestCount()).toBe(1);
    time.advance(5 * 60_000);
    await models.list();
    expect(listRequestCount()).toBe(2);
  });

  it('The catalogue of models responds quickly while a member is typing, and with an empty list rather than an error', async () => {
    const { models, embedded, time } = await createCatalogue();
    embedded.faults.add({ do: 'bad-gateway' });
    expect(await models.listQuickly()).toEqual([]);
    expect((await models.listQuickly()).length).toBe(24);
    time.advance(5 * 60_000);
    embedded.faults.add({ do: 'bad-gateway' });
    expect((await models.listQuickly()).length).toBe(24);
    embedded.faults.add({ do: 'hang' });
    const slowList = models.listQuickly();
    time.advance(1_000);
    expect((await slowList).length).toBe(24);
  });

  it('A request waits longer for the first list of models than a suggestion, and then fails', async () => {
    const { models, embedded, time } = await createCatalogue();
    embedded.faults.add({ do: 'hang' });
    const [suggestion, order] = [models.listFor('image'), rejectionOf(models.findFor('image'))];
    let isOrderSettled = false;
    void order.then(() => {
      isOrderSettled = true;
    });
    time.advance(1_000);
    expect(await suggestion).toEqual([]);
    expect(isOrderSettled).toBe(false);
    time.advance(ORDER_LIMIT_MS);
    expect(await order).toMatchObject({ name: 'GatewayError', kind: 'unreachable' });
  });

  it('The catalogue of models limits its requests for many made-up ids, and keeps returning existing ones', async () => {
    const { models, embedded, time } = await createCatalogue();
    const list = await models.list();
    const requestsBefore = embedded.requests.length;
    for (let index = 0; index < 100; index++)
      expect(await rejectionOf(models.get(`invented-${index}`))).toMatchObject({ key: 'refusals.unknownModel' });
    expect(embedded.requests.length - requestsBefore).toBe(30);
    expect(await models.get(list[0]?.id ?? '')).toEqual(list[0]);
    time.advance(60_000);
    await rejectionOf(models.get('invented-100'));
    expect(embedded.requests.length - requestsBefore).toBe(32);
  });

  it('The catalogue of models requests the same id once for many simultaneous callers, and never an id that is too long', async () => {
    const { models, embedded } = await createCatalogue();
    const [first] = await models.list();
    const requestsBefore = embedded.requests.length;
    await Promise.all([1, 2, 3].map(() => models.get(first?.id ?? '')));
    expect(embedded.requests.length - requestsBefore).toBe(1);
    expect(await rejectionOf(models.get('x'.repeat(6_000)))).toMatchObject({ key: 'refusals.unknownModel' });
    expect(embedded.requests.length - requestsBefore).toBe(1);
  });

  it('The catalogue of models requests a missing id again after an hour', async () => {
    const { models, embedded, time } = await createCatalogue();
    await models.list();
    const requestCount = () => embedded.requests.filter(({ path }) => path.endsWith('/invented')).length;
    for (const wait of [0, 59 * 60_000, 60_000]) {
      time.advance(wait);
      await rejectionOf(models.get('invented'));
    }
    expect(requestCount()).toBe(2);
  });

  it('The catalogue of models does not cache a list for longer because the clock was set back', async () => {
    const { models, time, listRequestCount } = await createCatalogue();
    await models.list();
    time.setBack(3_600_000);
    await models.list();
    time.advance(5 * 60_000);
    await models.list();
    expect(listRequestCount()).toBe(2);
  });

  it('The catalogue of models requests an unknown id again only after a newer list contains it', async () => {
    const fixture = await createCatalogue();
    const { models, embedded, time } = fixture;
    const requestCount = (): number => requestsAt(fixture, '/v1/models/new-model').length;
    expect(await rejectionOf(models.get('new-model'))).toMatchObject({ key: 'refusals.unknownModel' });
    await rejectionOf(models.get('new-model'));
    expect(requestCount()).toBe(1);
    time.advance(6 * 60_000);
    await models.list();
    await rejectionOf(models.get('new-model'));
    expect(requestCount()).toBe(1);
    time.advance(6 * 60_000);
    embedded.faults.add({
      do: { type: 'body', body: { object: 'list', data: [{ id: 'new-model', object: 'model' }] } },
    });
    await models.list();
    embedded.faults.add({ do: { type: 'body', body: { id: 'new-model', object: 'model' } } });
    expect((await models.get('new-model')).id).toBe('new-model');
    expect(requestCount()).toBe(2);
  });

  it('The catalogue of models does not mistake a gateway fault for a missing model', async () => {
    const { models, embedded } = await createCatalogue();
    embedded.faults.add({ do: 'bad-gateway' });
    expect(await rejectionOf(models.get('lumen-image-1'))).toMatchObject({ kind: 'unavailable' });
    expect((await models.get('lumen-image-1')).id).toBe('lumen-image-1');
  });
});

describe('What models delivered', () => {
  const data = ['aurora', 'gpt-4o', 'flux-pro', 'kling-v1-6'].map((id) => ({
    id,
    object: 'model',
    created: 1_626_777_600,
    owned_by: 'studio',
  }));
  const createListedCatalogue = async (options: CatalogueOptions = {}) => {
    const fixture = await createCatalogue(options);
    fixture.embedded.faults.add({ do: { type: 'body', body: { object: 'list', data } }, times: 100 });
    const idsFor = async (kind: ModelKind) => (await fixture.models.listFor(kind)).map(({ id }) => id);
    const kindOf = async (id: string) => (await fixture.models.list()).find((one) => one.id === id)?.kind;
    return { ...fixture, idsFor, kindOf };
  };

  it('A model that delivered a video is a video model regardless of its ID', async () => {
    const { experience, idsFor, kindOf } = await createListedCatalogue();
    expect(await idsFor('video')).toEqual(['kling-v1-6', 'aurora', 'gpt-4o', 'flux-pro']);
    await experience.markDelivered('aurora', 'video');
    await experience.markDelivered('flux-pro', 'video');
    expect(await idsFor('video')).toEqual(['aurora', 'flux-pro', 'kling-v1-6', 'gpt-4o']);
    expect(await kindOf('flux-pro')).toBe('video');
  });

  it('A text model that delivered an image stays a text model and is suggested for images too', async () => {
    const { experience, idsFor, kindOf } = await createListedCatalogue();
    await experience.markDelivered('gpt-4o', 'image');
    expect(await kindOf('gpt-4o')).toBe('text');
    expect((await idsFor('image')).slice(0, 2)).toEqual(['gpt-4o', 'flux-pro']);
  });

  it('A model that was rejected for a kind is suggested last for that kind until it delivers', async () => {
    const { models, experience, idsFor } = await createListedCatalogue();
    await idsFor('video');
    await models.markUnfit('kling-v1-6', 'video');
    expect(await idsFor('video')).toEqual(['aurora', 'gpt-4o', 'flux-pro', 'kling-v1-6']);
    expect((await idsFor('image')).at(-1)).toBe('kling-v1-6');
    await experience.markDelivered('kling-v1-6', 'video');
    expect((await idsFor('video'))[0]).toBe('kling-v1-6');
  });

  it('MODEL_KINDS takes precedence over what a model delivered', async () => {
    const { experience, kindOf, idsFor } = await createListedCatalogue({ overrides: { aurora: 'music' } });
    await experience.markDelivered('aurora', 'video');
    expect(await kindOf('aurora')).toBe('music');
    expect((await idsFor('video'))[0]).toBe('kling-v1-6');
  });

  it('What models delivered is stored and available after a restart; made-up IDs are not stored', async () => {
    const { models, experience, stored, idsFor } = await createListedCatalogue();
    await idsFor('video');
    await experience.markDelivered('aurora', 'video');
    await models.markUnfit('flux-pro', 'video');
    await models.markUnfit('invented', 'video');
    expect([...stored]).toEqual([
      ['aurora', { delivered: ['video'], unfit: [] }],
      ['flux-pro', { delivered: [], unfit: ['video'] }],
    ]);
    const restarted = await createListedCatalogue({ stored });
    expect(await restarted.idsFor('video')).toEqual(['aurora', 'kling-v1-6', 'gpt-4o', 'flux-pro']);
  });
});

describe('The guessed kind of a model', () => {
  it.each([
    ['x', ['openai-video'], 'video'],
    ['x', ['image-generation'], 'image'],
    ['x', ['openai', 'openai-response'], 'text'],
    ['x', ['openai-realtime'], 'voice'],
    ['chirp-v4', undefined, 'music'],
    ['dream-image-2', undefined, 'image'],
    ['strange', undefined, 'other'],
  ])('The kind of the model %s with the endpoint types %j is guessed as %s', (id, supported, kind) => {
    const fields = supported === undefined ? {} : { supported_endpoint_types: supported };
    expect(guessKind({ id, ownedBy: undefined, createdAt: undefined, fields })).toBe(kind);
  });
});

describe('Similar ids', () => {
  const ids = ['lumen-image-1', 'lumen-image-1-2K', 'quill-5', 'quill-5-mini'];
  it('Similar ids are those that contain the typed text, followed by those that differ in a few characters', () => {
    expect(similarIds('Lumen-Image-1', ids)).toEqual(['lumen-image-1', 'lumen-image-1-2K']);
    expect(similarIds('quil-5', ids)).toEqual(['quill-5']);
    expect(similarIds('something else entirely', ids)).toEqual([]);
  });
});
