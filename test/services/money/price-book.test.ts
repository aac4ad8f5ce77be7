import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import type { PriceList } from '../../../src/services/gateway/price-list.ts';
import { createGatewayPrices } from '../../../src/services/money/gateway-prices.ts';
import { createLearnedPrices } from '../../../src/services/money/learned-prices.ts';
import type { OperatorPrices } from '../../../src/services/money/price.ts';
import { PriceBook } from '../../../src/services/money/price-book.ts';
import type { TaskKind } from '../../../src/services/tasks/kind-spec.ts';
import type { OrderedRequest } from '../../../src/services/tasks/transitions.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plainLog } from '../../support/plain-log.ts';
import { learnedStore } from '../../support/prices.ts';
import { makeTask } from '../store/store-fixture.ts';

const log = plainLog();

const pricedModel = (name: string, overrides: Partial<PriceList['models'][number]>): PriceList['models'][number] => ({
  name,
  billingUnit: 'job',
  ratio: undefined,
  outputRatio: undefined,
  cachedRatio: undefined,
  groups: [],
  audioRatio: undefined,
  audioOutputRatio: undefined,
  price: undefined,
  ...overrides,
});

const priceList: PriceList = {
  models: [
    pricedModel('reel-2', { price: '0.04' }),
    pricedModel('mj_imagine', { price: '0.037' }),
    pricedModel('quill-5', { billingUnit: 'tokens', ratio: '0.625', outputRatio: '8' }),
  ],
  groups: new Map([
    ['default', '1'],
    ['vip', '0.5'],
  ]),
};

/** Creates a price book that has read the gateway's list. */
async function createBook(operator: OperatorPrices, group: string | null = 'default') {
  const clock = new ManualClock();
  const gateway = createGatewayPrices(async () => priceList, group ?? undefined, clock, log);
  onTestFinished(() => gateway.stop());
  gateway.start();
  await new Promise((resolve) => setImmediate(resolve));
  const learned = createLearnedPrices(learnedStore(), clock, log);
  const readAt = clock.now() - 1;
  const listNameOf = ({ kind }: { kind: TaskKind }) => (kind === 'imagine' ? 'mj_imagine' : undefined);
  const book = new PriceBook({ operator, readAt, gateway, learned, specs: kindSpecs, listNameOf });
  return { book, clock, readAt };
}

const video = { kind: 'video', request: { prompt: 'waves', model: 'reel-2' } } as const;
const imagine = { kind: 'imagine', request: { prompt: 'a fox' } } as const;
const ask = { kind: 'ask', request: { prompt: 'snow?', model: 'quill-5' } } as const;

async function learnCosts(book: PriceBook, order: OrderedRequest<TaskKind>, cost: string, count = 20): Promise<void> {
  for (let index = 0; index < count; index++)
    await book.learn(makeTask({ ...order, id: `t-${cost}-${index}`, state: 'ready', cost }));
}

describe('The estimate of a request', () => {
  it('A request for more than a hundred results is refused, wherever it says so', async () => {
    const { book } = await createBook({});
    for (const fields of [{ extra: { num_images: 101 } }, { metadata: { parameters: { n: '1e9' } } }])
      expect(() => book.estimateOf({ kind: 'video', request: { ...video.request, ...fields } })).toThrow(
        'refusals.countTooLarge',
      );
    const repeated = { kind: 'imagine', request: { prompt: 'a fox --repeat 101' } } as const;
    expect(() => book.estimateOf(repeated)).toThrow('refusals.countTooLarge');
    await book.learn(makeTask({ ...repeated, state: 'ready', cost: '1' }));
  });

  it('The estimate comes from the operator’s price of the model, else past costs, else the operator’s price of the kind, else the list', async () => {
    const operatorPrices = { 'video:reel-2': '1', video: '2' };
    const first = await createBook(operatorPrices);
    await learnCosts(first.book, video, '3');
    expect(first.book.estimateOf(video)).toEqual({ amount: '1', source: 'operator', at: first.readAt });
    const second = await createBook({ video: '2' });
    expect(second.book.estimateOf(video)).toEqual({ amount: '2', source: 'operator', at: second.readAt });
    await learnCosts(second.book, video, '3');
    expect(second.book.estimateOf(video)).toEqual({ amount: '3', source: 'learned', at: second.clock.now() });
    const third = await createBook({ image: '1' });
    expect(third.book.estimateOf(video)).toEqual({ amount: '0.04', source: 'gateway', at: third.clock.now() });
    expect(third.book.estimateOf({ kind: 'video', request: { prompt: 'x', model: 'other' } })).toBeUndefined();
  });

  it('A job without a model is found under its own name in the list', async () => {
    const { book } = await createBook({});
    expect(book.estimateOf(imagine)).toMatchObject({ amount: '0.037', source: 'gateway' });
  });

  it('Without a configured group the list’s price is an upper bound', async () => {
    const { book } = await createBook({}, null);
    expect(book.estimateOf(imagine)).toMatchObject({ amount: '0.037', isUpperBound: true });
  });

  it('The list’s price is a lower bound for a request with a length or a mode', async () => {
    const { book } = await createBook({}, null);
    for (const options of [{ duration: 20 }, { mode: 'pro' }]) {
      const estimate = book.estimateOf({ kind: 'video', request: { ...video.request, ...options } });
      expect(estimate).toEqual({ amount: '0.04', source: 'gateway', at: expect.any(Number), isLowerBound: true });
    }
  });

  it('A larger variant of a model costs more only if the operator has configured that', async () => {
    const { book } = await createBook({ 'image:m': { each: '0.03', times: { modelSize: { '2K': '2' } } }, image: '9' });
    const amountFor = (model: string) => book.estimateOf({ kind: 'image', request: { prompt: 'x', model } })?.amount;
    expect([amountFor('m'), amountFor('m-2K'), amountFor('m-4K'), amountFor('m-2k')]).toEqual([
      '0.03',
      '0.06',
      '9',
      '9',
    ]);
  });

  it('The estimate of an answer is an upper bound based on its tokens', async () => {
    const { book } = await createBook({});
    // 1,000 tokens and five bytes at $1.25, and 4,000 at $10, per million.
    expect(book.estimateOf(ask)).toMatchObject({ amount: '0.04125625', source: 'gateway', isUpperBound: true });
    expect(book.estimateOf({ kind: 'ask', request: { prompt: 'snow?', model: 'other' } })).toBeUndefined();
  });

  it('The estimate of a turn of a live conversation is what one usual turn costs, until enough turns have a known cost', async () => {
    const perMillion = { input: '4', output: '16', audioInput: '32', audioOutput: '64' };
    const { book } = await createBook({ said: { perMillion } });
    const said = { kind: 'said', request: { talk: 't', model: 'parley', prompt: 'hello' } } as const;
    // 305 tokens of text at $4, 75 at $16 and 300 of audio at $64, per million.
    expect(book.estimateOf(said)).toEqual({ amount: '0.02162', source: 'operator', at: expect.any(Number) });
    await learnCosts(book, said, '0.009');
    expect(book.estimateOf(said)).toMatchObject({ amount: '0.009', source: 'learned' });
  });

  it('The prices of jobs with other lengths, sizes and modes are learned separately', async () => {
    const { book } = await createBook({});
    const longVideo = { kind: 'video', request: { ...video.request, duration: 10, mode: 'pro' } } as const;
    await learnCosts(book, longVideo, '7');
    expect(book.estimateOf(longVideo)).toMatchObject({ amount: '7', source: 'learned' });
    expect(book.estimateOf(video)).toMatchObject({ source: 'gateway' });
  });

  it('Nothing is learned from failed tasks, or from tasks without a cost', async () => {
    const { book } = await createBook({});
    for (let index = 0; index < 30; index++) {
      await book.learn(makeTask({ ...video, id: `a-${index}`, state: 'failed', cost: '9' }));
      await book.learn(makeTask({ ...video, id: `c-${index}`, state: 'ready' }));
    }
    expect(book.estimateOf(video)).toMatchObject({ source: 'gateway' });
  });
});

describe('The cost of an answer based on its tokens', () => {
  const answer = makeTask(ask);
  const usage = { input: 1_000, output: 500 };

  it('The tokens of an answer are priced by the operator’s price, else by the gateway’s list', async () => {
    expect((await createBook({})).book.costOfAnswer(answer, { usage })).toBe('0.00625');
    const operatorPrices = { ask: { perMillion: { input: '1', output: '1' } } };
    expect((await createBook(operatorPrices)).book.costOfAnswer(answer, { usage })).toBe('0.0015');
    // A price per answer is only an estimate, but the list's price per token is exact.
    expect((await createBook({ ask: '5' })).book.costOfAnswer(answer, { usage })).toBe('0.00625');
  });

  it('The cost of an answer is unknown if the list’s price is only an upper bound, or no tokens are reported', async () => {
    expect((await createBook({}, null)).book.costOfAnswer(answer, { usage })).toBeUndefined();
    expect((await createBook({})).book.costOfAnswer(answer, { usage: undefined })).toBeUndefined();
    expect((await createBook({})).book.costOfAnswer(answer, { usage: { input: 3 } })).toBeUndefined();
  });
});
