import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../src/lib/refusal.ts';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import type { Callbacks } from '../../../src/services/orders/callbacks.ts';
import { createOrdersContext, type OrdersSources } from '../../../src/services/orders/orders-context.ts';
import { Sender } from '../../../src/services/orders/sender.ts';
import type { TaskStore } from '../../../src/services/orders/task-store.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { SentOrder } from '../../../src/services/tasks/kind.ts';
import { defineKind, type Kind } from '../../../src/services/tasks/kind.ts';
import type { Gather } from '../../../src/services/tasks/materials.ts';
import { createStoreFixture } from '../store/store-fixture.ts';
import { acceptedSubmit, buildTask } from './builders.ts';
import { ordersSources } from './sources.ts';

const maxWaitMs = { image: 1, video: 2, music: 3, text: 4 };
const task = buildTask();

interface Options {
  gather?: Gather;
  userOf?: OrdersSources['userOf'];
  urlFor?: Callbacks['urlFor'];
  putSentOrder?: TaskStore['sentOrders']['put'];
  assertOwned?: () => void;
}

/** A sender whose files come from `gather`, with everything that was fetched and stored. */
async function createFixture({ gather = async () => ({}), userOf, urlFor, putSentOrder, assertOwned }: Options = {}) {
  const gathered: Parameters<Gather>[] = [];
  const stored: [string, SentOrder][] = [];
  const { log, logged, clock, open } = createStoreFixture();
  const store = (await open()) as StoredTasks;
  store.sentOrders.put = putSentOrder ?? (async (id, sent) => void stored.push([id, sent]));
  const context = { clock, log };
  const sources = ordersSources(context, store, {
    userOf,
    gather: (...args) => {
      gathered.push(args);
      return gather(...args);
    },
  });
  const ordersContext = createOrdersContext(
    context,
    {
      ...sources,
      settings: { ...sources.settings, maxWaitMs },
      store: assertOwned ? Object.assign(store, { ownership: { ...store.ownership, assertOwned } }) : store,
    },
    () => undefined,
  );
  if (urlFor) ordersContext.callbacks.urlFor = urlFor;
  return { sender: new Sender(ordersContext), gathered, stored, logged: () => logged.join('') };
}

/** A kind whose orders reach `submit`. */
const kindThat = (submit: Kind<'imagine'>['submit'], more: Partial<Kind<'imagine'>> = {}): Kind =>
  defineKind({
    name: 'imagine',
    waitLimit: () => 'video',
    durationKey: () => 'imagine',
    ...(submit && { submit }),
    ...more,
  }) as Kind;
const tooLarge = new GatewayError('Too large.', { kind: 'invalid', status: 413, mayHaveTakenEffect: false });

describe('The preparation of an order', () => {
  it('The files are fetched for the member, within the wait limit of the kind and in the form that it sends', async () => {
    const { sender, gathered } = await createFixture({
      gather: async () => ({ images: ['data:a'] }),
      userOf: async (memberId) => `member-${memberId}`,
    });
    const prepared = await sender.prepareOrder(kindThat(undefined, { transfer: 'base64' }), task);
    const context = { memberId: task.requesterId, timeLimitMs: 2, transfer: 'base64' };
    expect(gathered).toEqual([[task.request, context]]);
    expect(prepared).toEqual({
      idempotencyKey: expect.stringMatching(/^[\da-f-]{36}$/),
      body: undefined,
      materials: { images: ['data:a'] },
      context,
      user: `member-${task.requesterId}`,
    });
  });

  it('Each order gets a key of its own, and one that is sent again keeps its key', async () => {
    const { sender } = await createFixture();
    const kind = kindThat(undefined);
    const keys = [await sender.prepareOrder(kind, task), await sender.prepareOrder(kind, task)].map(
      (one) => one.idempotencyKey,
    );
    expect(new Set(keys).size).toBe(2);
    expect((await sender.prepareOrder(kind, task, { idempotencyKey: 'a-key' })).idempotencyKey).toBe('a-key');
  });

  it('A body that was sent before is sent again unchanged, and nothing is fetched for it', async () => {
    const { sender, gathered } = await createFixture();
    const bodyOf = () => 'another body';
    const kind = kindThat(undefined, { keyedSubmit: { bodyOf, send: async () => acceptedSubmit } });
    expect(await sender.prepareOrder(kind, task, { idempotencyKey: 'a-key', body: 'a body' })).toMatchObject({
      idempotencyKey: 'a-key',
      body: 'a body',
      materials: {},
    });
    expect(gathered).toEqual([]);
    expect((await sender.prepareOrder(kind, task, { idempotencyKey: 'a-key' })).body).toBe('another body');
  });
});

describe('The files of an order that moderation sees', () => {
  const pictures = [
    { address: 'https://discord.test/1', name: '1.png' },
    { address: 'https://discord.test/2', name: '2.png' },
  ];
  const reference = (medium: 'image' | 'video' | 'any') => ({
    address: `https://discord.test/${medium}`,
    name: medium,
    medium,
    takes: 'address' as const,
  });
  const documents = [{ address: 'https://discord.test/3', name: '3.pdf' }];

  it('Images are fetched one at a time, and references only if they may be images', async () => {
    const { sender, gathered } = await createFixture({
      gather: async ({ pictures: [file] = [], references: [one] = [] }) => ({
        images: file && [`image ${file.name}`],
        references: one && [
          { medium: 'image', uri: `reference ${one.name}` },
          { medium: 'video', uri: 'no image' },
        ],
      }),
    });
    const references = [reference('image'), reference('video'), reference('any')];
    const { images } = sender.filesOf({ ...task, request: { prompt: 'x', pictures, references } });
    expect(await images()).toEqual(['image 1.png', 'image 2.png', 'reference image', 'reference any']);
    const context = { memberId: task.requesterId, timeLimitMs: 4, transfer: 'base64' };
    expect(gathered).toEqual([
      [{ pictures: [pictures[0]] }, context],
      [{ pictures: [pictures[1]] }, context],
      [{ references: [reference('image')] }, context],
      [{ references: [reference('any')] }, context],
    ]);
  });

  it('An order without files has no images, and a gateway that returns none adds none', async () => {
    const { sender, gathered } = await createFixture();
    expect(await sender.filesOf(task).images()).toEqual([]);
    expect(gathered).toEqual([]);
    const request = { prompt: 'x', pictures, references: [reference('image')] };
    expect(await sender.filesOf({ ...task, request }).images()).toEqual([]);
  });

  it('The text of documents is returned, and those that have only data are left out', async () => {
    const { sender, gathered } = await createFixture({
      gather: async () => ({
        documents: [
          { name: '3.pdf', data: 'data:x' },
          { name: '4.txt', text: 'words' },
        ],
      }),
    });
    expect(await sender.filesOf({ ...task, request: { prompt: 'x', documents } }).documents()).toEqual(['words']);
    expect(gathered).toEqual([[{ documents }, { memberId: task.requesterId, timeLimitMs: 4 }]]);
    const { sender: other } = await createFixture();
    expect(await other.filesOf(task).documents()).toEqual([]);
  });
});

describe('The sending of an order', () => {
  it('The order is submitted with its files, its pseudonym, its callback and its requester', async () => {
    const contexts: unknown[] = [];
    const submit: Kind<'imagine'>['submit'] = async (...args) => {
      contexts.push(args);
      return acceptedSubmit;
    };
    const source = { name: 'images', endpoint: { get: () => expect.unreachable() } };
    const kind = kindThat(submit, { acceptsCallback: true, source });
    const { sender } = await createFixture({
      gather: async () => ({ images: ['data:a'] }),
      userOf: async () => 'a-pseudonym',
      urlFor: (lane, id) => `https://bot.test/${lane}/${id}`,
    });
    const outcome = await sender.send(kind, task, await sender.prepareOrder(kind, task));
    expect(outcome).toEqual({ submission: acceptedSubmit, hasCallback: true });
    expect(contexts).toEqual([
      [
        task.request,
        {
          id: task.id,
          materials: { images: ['data:a'] },
          user: 'a-pseudonym',
          callbackUrl: `https://bot.test/images/${task.id}`,
          requester: task,
        },
      ],
    ]);
  });

  it.each([
    ['its endpoint accepts none', { source: { name: 'images', endpoint: { get: () => expect.unreachable() } } }],
    ['its jobs are not polled', { acceptsCallback: true }],
  ])('An order has no callback if %s', async (_, more) => {
    const kind = kindThat(async () => acceptedSubmit, more);
    const { sender } = await createFixture({ urlFor: () => 'https://bot.test' });
    expect(await sender.send(kind, task, await sender.prepareOrder(kind, task))).toEqual({
      submission: acceptedSubmit,
      hasCallback: false,
    });
  });

  it('The exact body is stored before it is sent under its key', async () => {
    const events: unknown[] = [];
    const keyedSubmit = {
      bodyOf: ({ prompt }: { prompt?: string | undefined }, _: object, user: string | undefined) => `${prompt} ${user}`,
      send: async (sent: SentOrder) => {
        events.push(['sent', sent]);
        return acceptedSubmit;
      },
    };
    const kind = kindThat(() => expect.unreachable(), { keyedSubmit });
    const { sender } = await createFixture({
      userOf: async () => 'a-pseudonym',
      putSentOrder: async (id, sent) => void events.push(['stored', id, sent]),
    });
    const prepared = await sender.prepareOrder(kind, task, { idempotencyKey: 'a-key' });
    expect(await sender.send(kind, task, prepared)).toMatchObject({ submission: acceptedSubmit });
    const sent = { idempotencyKey: 'a-key', body: 'a fox a-pseudonym' };
    expect(events).toEqual([
      ['stored', task.id, sent],
      ['sent', sent],
    ]);
  });

  it('An order whose body cannot be stored is refused and not sent', async () => {
    const error = new Error('The disk is full.');
    const send = () => expect.unreachable();
    const kind = kindThat(undefined, { keyedSubmit: { bodyOf: () => 'a body', send } });
    const { sender } = await createFixture({ putSentOrder: () => Promise.reject(error) });
    expect(await sender.send(kind, task, await sender.prepareOrder(kind, task))).toEqual({ refused: error });
  });

  it('Nothing is stored for a kind without a key, and nothing is sent once the store belongs to another bot', async () => {
    let submits = 0;
    const kind = kindThat(async () => {
      submits += 1;
      return acceptedSubmit;
    });
    const own = await createFixture();
    await own.sender.send(kind, task, await own.sender.prepareOrder(kind, task));
    expect([own.stored, submits]).toEqual([[], 1]);
    const lost = await createFixture({
      assertOwned() {
        throw new Error('lost');
      },
    });
    const prepared = await lost.sender.prepareOrder(kind, task);
    await expect(lost.sender.send(kind, task, prepared)).rejects.toThrow('lost');
    expect(submits).toBe(1);
  });

  it.each([
    ['a refusal before it is sent', new Refusal('refusals.imageGone', { name: 'x' })],
    [
      'a definite refusal of the gateway',
      new GatewayError('No.', { kind: 'invalid', status: 400, mayHaveTakenEffect: false }),
    ],
  ])('The outcome of %s is a refusal', async (_, error) => {
    const kind = kindThat(() => Promise.reject(error));
    const { sender, logged } = await createFixture({ gather: async () => ({ images: ['data:a'] }) });
    expect(await sender.send(kind, task, await sender.prepareOrder(kind, task))).toEqual({ refused: error });
    expect(logged()).toBe('');
  });

  it.each([
    [
      'a lost response',
      new GatewayError('The connection was reset.', { kind: 'unreachable', mayHaveTakenEffect: true }),
      'The connection was reset.',
    ],
    ['a bug', new Error('a bug'), undefined],
  ])('The outcome of %s is unknown, with the reason in the words of the gateway alone', async (_, error, reason) => {
    const kind = kindThat(() => Promise.reject(error));
    const { sender, logged } = await createFixture();
    expect(await sender.send(kind, task, await sender.prepareOrder(kind, task))).toEqual({ reason });
    expect(logged()).toContain('submitted with an unknown outcome');
  });

  it('A kind that cannot be submitted has an unknown outcome and a log line, because that is a bug', async () => {
    const kind = kindThat(undefined);
    const { sender, logged } = await createFixture();
    expect(await sender.send(kind, task, await sender.prepareOrder(kind, task))).toEqual({ reason: undefined });
    expect(logged()).toContain('cannot be ordered');
  });
});

describe('An order that the gateway refuses as too large', () => {
  /** Sends an order that is refused as too large until its files are small. */
  async function sendLarge(
    materials: Awaited<ReturnType<Gather>>,
    shrink: Gather = async () => ({ images: ['small'] }),
  ) {
    const keys: string[] = [];
    const fixture = await createFixture({
      gather: (files, context) => (context.shouldShrink ? shrink(files, context) : Promise.resolve(materials)),
    });
    const { sender } = fixture;
    const kind = kindThat(undefined, {
      keyedSubmit: {
        bodyOf: (_, { images = [] }) => images.join(),
        send: async ({ idempotencyKey, body }) => {
          keys.push(idempotencyKey);
          if (body !== 'small') throw tooLarge;
          return acceptedSubmit;
        },
      },
    });
    return { ...fixture, keys, outcome: await sender.send(kind, task, await sender.prepareOrder(kind, task)) };
  }

  it('It is sent once more with smaller files, under another key', async () => {
    const { outcome, keys, gathered, stored } = await sendLarge({ images: ['large'] });
    expect(outcome).toMatchObject({ submission: acceptedSubmit });
    expect(new Set(keys).size).toBe(2);
    expect(gathered.map(([, context]) => context)).toEqual([
      { memberId: task.requesterId, timeLimitMs: 2, transfer: undefined },
      { memberId: task.requesterId, timeLimitMs: 2, transfer: undefined, shouldShrink: true },
    ]);
    expect(stored.map(([id, { body }]) => [id, body])).toEqual([
      [task.id, 'large'],
      [task.id, 'small'],
    ]);
  });

  it('It is refused if the smaller files are too large as well, or cannot be made', async () => {
    const still = await sendLarge({ images: ['large'] }, async () => ({ images: ['large'] }));
    expect(still.outcome).toEqual({ refused: tooLarge });
    expect(still.keys).toHaveLength(2);
    const broken = await sendLarge({ images: ['large'] }, () => Promise.reject(new Error('no')));
    expect(broken.outcome).toEqual({ refused: tooLarge });
    expect(broken.logged()).toContain('could not be made smaller');
  });

  it('Only files that were sent inside the order can be made smaller', async () => {
    const inline = await sendLarge({ references: [{ medium: 'image', uri: 'data:image/png;base64,AA' }] });
    expect(inline.outcome).toMatchObject({ submission: acceptedSubmit });
    for (const materials of [{}, { references: [{ medium: 'image' as const, uri: 'https://files.test/x' }] }]) {
      const { outcome, keys } = await sendLarge(materials);
      expect(outcome).toEqual({ refused: tooLarge });
      expect(keys).toHaveLength(1);
    }
  });
});
