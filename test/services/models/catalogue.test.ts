import { describe, expect, it } from 'vitest';
import { ModelCatalogue } from '../../../src/services/models/catalogue.ts';
import { kindOfModel } from '../../../src/services/models/families.ts';
import { similarIds } from '../../../src/services/models/ids.ts';
import { both, heardAt } from '../../contract/both.ts';
import { ManualClock } from '../../support/manual-clock.ts';

async function catalogue() {
  const side = await both({ limits: { attempts: 1, readMs: 500 } });
  const clock = new ManualClock();
  return {
    ...side,
    time: clock,
    models: new ModelCatalogue(side.gateway.models, clock),
    asked: () => heardAt(side, '/v1/models').length,
  };
}

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: unknown) => error,
  );

describe('the catalogue of models', () => {
  it('The catalogue of models asks for a list once in a while, and once for many who ask at once', async () => {
    const { models, time, asked } = await catalogue();
    await Promise.all([models.list(), models.list(), models.list()]);
    await models.list();
    expect(asked()).toBe(1);
    time.advance(5 * 60_000);
    await models.list();
    expect(asked()).toBe(2);
  });

  it('The catalogue of models gives what it has within a moment where someone is typing, and nothing rather than an error', async () => {
    const { models, embedded, time } = await catalogue();
    embedded.faults.add({ do: 'bad-gateway' });
    expect(await models.listQuickly()).toEqual([]);
    expect((await models.listQuickly()).length).toBe(22);
    time.advance(5 * 60_000);
    embedded.faults.add({ do: 'bad-gateway' });
    expect((await models.listQuickly()).length).toBe(22);
    embedded.faults.add({ do: 'hang' });
    const late = models.listQuickly();
    time.advance(1_000);
    expect((await late).length).toBe(22);
  });

  it('The catalogue of models queries few of many invented ids, and goes on answering about those there are', async () => {
    const { models, embedded, time } = await catalogue();
    const listed = await models.list();
    const before = embedded.heard.length;
    for (let at = 0; at < 100; at++)
      expect(await refusal(models.get(`invented-${at}`))).toMatchObject({ key: 'refusals.unknownModel' });
    expect(embedded.heard.length - before).toBe(30);
    expect(await models.get(listed[0]?.id ?? '')).toEqual(listed[0]);
    time.advance(60_000);
    await refusal(models.get('invented-100'));
    expect(embedded.heard.length - before).toBe(32);
  });

  it('The catalogue of models queries an id once for concurrent callers, and never one that is too long', async () => {
    const { models, embedded } = await catalogue();
    const [first] = await models.list();
    const before = embedded.heard.length;
    await Promise.all([1, 2, 3].map(() => models.get(first?.id ?? '')));
    expect(embedded.heard.length - before).toBe(1);
    expect(await refusal(models.get('x'.repeat(6_000)))).toMatchObject({ key: 'refusals.unknownModel' });
    expect(embedded.heard.length - before).toBe(1);
  });

  it('The catalogue of models queries a missing id again after an hour', async () => {
    const { models, embedded, time } = await catalogue();
    await models.list();
    const asked = () => embedded.heard.filter(({ path }) => path.endsWith('/invented')).length;
    for (const wait of [0, 59 * 60_000, 60_000]) {
      time.advance(wait);
      await refusal(models.get('invented'));
    }
    expect(asked()).toBe(2);
  });

  it('The catalogue of models keeps no list for longer because the clock is set back', async () => {
    const { models, time, asked } = await catalogue();
    await models.list();
    time.setBack(3_600_000);
    await models.list();
    time.advance(5 * 60_000);
    await models.list();
    expect(asked()).toBe(2);
  });

  it('The catalogue of models asks for an unknown id again only after a newer list contains it', async () => {
    const side = await catalogue();
    const { models, embedded, time } = side;
    const asked = (): number => heardAt(side, '/v1/models/new-model').length;
    expect(await refusal(models.get('new-model'))).toMatchObject({ key: 'refusals.unknownModel' });
    await refusal(models.get('new-model'));
    expect(asked()).toBe(1);
    time.advance(6 * 60_000);
    await models.list();
    await refusal(models.get('new-model'));
    expect(asked()).toBe(1);
    time.advance(6 * 60_000);
    embedded.faults.add({
      do: { type: 'body', body: { object: 'list', data: [{ id: 'new-model', object: 'model' }] } },
    });
    await models.list();
    embedded.faults.add({ do: { type: 'body', body: { id: 'new-model', object: 'model' } } });
    expect((await models.get('new-model')).id).toBe('new-model');
    expect(asked()).toBe(2);
  });

  it('The catalogue of models does not take trouble at the gateway for a model that is missing', async () => {
    const { models, embedded } = await catalogue();
    embedded.faults.add({ do: 'bad-gateway' });
    expect(await refusal(models.get('lumen-image-1'))).toMatchObject({ kind: 'unavailable' });
    expect((await models.get('lumen-image-1')).id).toBe('lumen-image-1');
  });
});

describe('a guess at what a model is made for', () => {
  it.each([
    ['x', ['openai-video'], 'video'],
    ['x', ['image-generation'], 'image'],
    ['x', ['openai', 'openai-response'], 'text'],
    ['x', ['openai-realtime'], 'voice'],
    ['chirp-v4', undefined, 'music'],
    ['dream-image-2', undefined, 'image'],
    ['strange', undefined, 'other'],
  ])('%s with %j: %s', (id, supported, kind) => {
    const fields = supported === undefined ? {} : { supported_endpoint_types: supported };
    expect(kindOfModel({ id, ownedBy: undefined, createdAt: undefined, fields })).toBe(kind);
  });
});

describe('near ids', () => {
  const ids = ['lumen-image-1', 'lumen-image-1-2K', 'quill-5', 'quill-5-mini'];
  it('Near ids are those that hold what was typed, then those a few letters away', () => {
    expect(similarIds('Lumen-Image-1', ids)).toEqual(['lumen-image-1', 'lumen-image-1-2K']);
    expect(similarIds('quil-5', ids)).toEqual(['quill-5']);
    expect(similarIds('something else entirely', ids)).toEqual([]);
  });
});
