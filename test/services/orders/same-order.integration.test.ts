import { describe, expect, it } from 'vitest';
import { standingOf } from '../../../src/services/money/entry.ts';
import type { TaskStore } from '../../../src/services/orders/task-store.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { defineKind } from '../../../src/services/tasks/kind.ts';
import type { Gather } from '../../../src/services/tasks/materials.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { hasEnded, type Task } from '../../../src/services/tasks/task.ts';
import { keysIn, sql } from '../store/store-fixture.ts';
import { order as imagine, minute } from './builders.ts';
import { type Engine, startEngine } from './engine.ts';

const PATH = '/v1/images/generations/jobs';
const MODEL = 'lumen-image-1';
/** Occurs only in sent orders, never in the member's request. */
const SIGNATURE_PARAMETER = 'signed-for-one-day';
const reference = {
  address: 'https://files.example/fox.png',
  name: 'fox.png',
  medium: 'image' as const,
  takes: 'address' as const,
};
const order = {
  ...imagine,
  kind: 'image' as const,
  request: { prompt: 'a fox', model: MODEL, references: [reference] },
};

/** Re-signs the URL on each call, as Discord does. */
function createSigner(): { gather: Gather; times(): number } {
  let times = 0;
  const gather: Gather = async () => {
    times += 1;
    return { references: [{ medium: 'image', uri: `https://files.example/fox.png?${SIGNATURE_PARAMETER}=${times}` }] };
  };
  return { gather, times: () => times };
}

/**
 * Orders as they reached the gateway. Our JSON has no spaces, so serializing the parsed body gives the same text;
 * the length proves it.
 */
const sentOrders = ({ gateway }: Engine) =>
  gateway.requests
    .filter(({ method, path }) => method === 'POST' && path === PATH)
    .map(({ headers, body }) => {
      const text = JSON.stringify(body);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
      return { key: headers['idempotency-key'], text };
    });

const expectDefined = <T>(value: T | undefined): T => value ?? expect.unreachable();

const addFault = (
  fixture: Engine,
  name: 'reset' | 'accepted-then-reset' | 'accepted-then-hang' | 'quota' | 'too-large',
) => fixture.gateway.faults.add({ on: { method: 'POST', path: PATH }, do: name });

/** Returns the ledger states of the requests that count. */
async function countedStandings({ store }: Engine): Promise<string[]> {
  const standings: string[] = [];
  for await (const entry of store.entries.readRange('', '9999')) standings.push(standingOf(entry));
  return standings.filter((standing) => standing !== 'refunded').sort();
}

async function submitWithUnknownOutcome(name: 'reset' | 'accepted-then-reset' = 'accepted-then-reset') {
  const signer = createSigner();
  const fixture = await startEngine({}, undefined, { gather: signer.gather });
  addFault(fixture, name);
  const lost = await fixture.tasks.orders.submit(order);
  expect(lost.state).toBe('unconfirmed');
  return { fixture, lost, signer };
}

describe('An unconfirmed image order that is tried again', () => {
  it.each(['accepted-then-reset', 'reset'] as const)(
    'An unconfirmed image order is sent again byte for byte under the same key, and creates one job (%s)',
    async (name) => {
      const { fixture, lost, signer } = await submitWithUnknownOutcome(name);
      const repeated = await fixture.tasks.orders.tryAgain(lost.id, order);
      expect(repeated.state).toBe('accepted');
      const [first, second, ...others] = sentOrders(fixture);
      expect(second).toEqual(first);
      expect(first?.text).toContain(`${SIGNATURE_PARAMETER}=1`);
      expect(others).toEqual([]);
      expect(fixture.gateway.jobs.list()).toHaveLength(1);
      expect(signer.times()).toBe(1);
    },
  );

  it.each([false, true])(
    'An unconfirmed image order counts together with the order that repeats it, because the gateway may ignore the key (%s)',
    async (idempotencyIgnored) => {
      const fixture = await startEngine({ quirks: { idempotencyIgnored } }, undefined, {});
      addFault(fixture, 'accepted-then-reset');
      const lost = await fixture.tasks.orders.submit(order);
      const second = await fixture.tasks.orders.tryAgain(lost.id, order);
      expect(fixture.gateway.jobs.list()).toHaveLength(idempotencyIgnored ? 2 : 1);
      expect(await countedStandings(fixture)).toEqual(['reserved', 'settled']);
      await fixture.until(() => fixture.changes.findLast(({ id, state }) => id === second.id && state === 'ready'));
      await fixture.stop();
      const restarted = await startEngine({}, fixture, {});
      expect(await countedStandings(restarted)).toEqual(['settled', 'settled']);
    },
  );

  it('An unconfirmed image order is taken over at the start even if the order that repeats it has settled', async () => {
    const { fixture, lost } = await submitWithUnknownOutcome();
    const { id } = await fixture.tasks.orders.tryAgain(lost.id, order);
    await fixture.until(() => fixture.changes.find((task) => task.id === id && hasEnded(task)));
    await fixture.tasks.book.change(id, (task) => markDelivered(task, undefined, fixture.clock.now()));
    // As after a store that could not be read when the order was repeated.
    const { handedOver: _, ...notTakenOver } = expectDefined(await fixture.tasks.book.get(lost.id));
    await fixture.store.put(notTakenOver);
    await fixture.kill();
    const restarted = await startEngine({}, fixture);
    expect((await restarted.tasks.book.get(lost.id))?.handedOver).toBe(true);
  });

  it('An unconfirmed image order creates one job after any number of unknown outcomes, and every attempt counts', async () => {
    const { fixture, lost } = await submitWithUnknownOutcome();
    addFault(fixture, 'accepted-then-reset');
    const second = await fixture.tasks.orders.tryAgain(lost.id, order);
    expect(second.state).toBe('unconfirmed');
    const third = await fixture.tasks.orders.tryAgain(second.id, order);
    expect(third.state).toBe('accepted');
    expect(new Set(sentOrders(fixture).map((one) => JSON.stringify(one))).size).toBe(1);
    expect(fixture.gateway.jobs.list()).toHaveLength(1);
    expect(await countedStandings(fixture)).toEqual(['reserved', 'settled', 'settled']);
  });

  it('An unconfirmed image order can be tried again unchanged after a definite refusal', async () => {
    const { fixture, lost } = await submitWithUnknownOutcome();
    addFault(fixture, 'quota');
    await expect(fixture.tasks.orders.tryAgain(lost.id, order)).rejects.toMatchObject({ kind: 'quota' });
    expect(await countedStandings(fixture)).toEqual(['unconfirmed']);
    fixture.clock.advance(2 * minute);
    expect((await fixture.tasks.orders.tryAgain(lost.id, order)).state).toBe('accepted');
    expect(new Set(sentOrders(fixture).map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await countedStandings(fixture)).toEqual(['reserved', 'settled']);
  });

  it('An unconfirmed image order is sent under the same key by a bot that only has the key, so no second job is created', async () => {
    const { fixture, lost } = await submitWithUnknownOutcome();
    await fixture.kill();
    sql(fixture.file, "DELETE FROM atelier WHERE namespace = 'sent'");
    const restarted = await startEngine({}, fixture, { gather: async () => ({}) });
    await restarted.tasks.orders.tryAgain(lost.id, order).catch(() => undefined);
    expect(new Set(sentOrders(restarted).map(({ key }) => key)).size).toBe(1);
    expect(restarted.gateway.jobs.list()).toHaveLength(1);
  });

  it('An unconfirmed image order repeats the smaller body under its own key if a larger one was refused before', async () => {
    const largeImage = 'data:image/png;base64,AAAA';
    const parts = {
      gather: async (_: unknown, { shouldShrink }: { shouldShrink?: boolean }) => ({
        references: [{ medium: 'image' as const, uri: shouldShrink ? 'https://files.example/light.png' : largeImage }],
      }),
      kindsFor: ({ imageJobs }: Parameters<NonNullable<Parameters<typeof startEngine>[2]>['kindsFor'] & object>[0]) => [
        defineKind({
          name: 'image',
          waitLimit: () => 'image',
          durationKey: () => 'image',
          keyedSubmit: {
            bodyOf: ({ prompt, model }, { references = [] }) => {
              const image = references.map(({ uri }) => (uri === largeImage ? 'https://files.example/heavy.png' : uri));
              return imageJobs.bodyOf({ prompt, model, image });
            },
            send: ({ body, idempotencyKey }) => imageJobs.send(body, { idempotencyKey }),
          },
        }),
      ],
    };
    const fixture = await startEngine({}, undefined, parts);
    addFault(fixture, 'too-large');
    fixture.gateway.faults.add({ on: { method: 'POST', path: PATH }, do: 'accepted-then-reset' });
    const lost = await fixture.tasks.orders.submit(order);
    expect(lost.state).toBe('unconfirmed');
    await fixture.tasks.orders.tryAgain(lost.id, order);
    const [largeOrder, smallOrder, repeated] = sentOrders(fixture);
    expect(largeOrder?.text).toContain('heavy');
    expect(smallOrder?.text).toContain('light');
    expect(smallOrder?.key).not.toBe(largeOrder?.key);
    expect(repeated).toEqual(smallOrder);
    expect(fixture.gateway.jobs.list()).toHaveLength(1);
  });
});

it('An image that is ordered again after its task has ended gets a new key', async () => {
  const fixture = await startEngine();
  fixture.gateway.faults.add({ do: 'fail' });
  const { id } = await fixture.tasks.orders.submit(order);
  await fixture.until(() => fixture.changes.find((task) => task.id === id && task.state === 'failed'));
  await fixture.tasks.orders.submit(order);
  expect(new Set(sentOrders(fixture).map(({ key }) => key)).size).toBe(2);
  expect(fixture.gateway.jobs.list()).toHaveLength(2);
});

describe('The sent body of a request', () => {
  const storedBodies = ({ file }: Engine) => keysIn(file, 'sent');

  it('The sent body of a request is stored before the submit, and only while the outcome is unknown', async () => {
    const fixture = await startEngine({}, undefined, { gather: createSigner().gather });
    addFault(fixture, 'accepted-then-hang');
    const submission = fixture.tasks.orders.submit(order);
    await fixture.until(() => (sentOrders(fixture).length === 1 ? true : undefined));
    expect(storedBodies(fixture)).toHaveLength(1);
    const lost = await submission;
    expect(storedBodies(fixture)).toEqual([lost.id]);
    const second = await fixture.tasks.orders.tryAgain(lost.id, order);
    expect(second.state).toBe('accepted');
    expect(storedBodies(fixture)).toEqual([]);
  });

  it('The sent body of a request is removed if its owner dismisses the task', async () => {
    const { fixture, lost } = await submitWithUnknownOutcome();
    await fixture.tasks.book.change(lost.id, (task) => markDelivered(task, undefined, fixture.clock.now()));
    expect(storedBodies(fixture)).toEqual([lost.id]);
    await fixture.tasks.orders.dismiss(lost.id, order.requesterId);
    expect(storedBodies(fixture)).toEqual([]);
  });

  it('The sent body of a request is removed together with its task', async () => {
    const { fixture, lost } = await submitWithUnknownOutcome();
    await fixture.tasks.book.change(lost.id, (task) => markDelivered(task, undefined, fixture.clock.now()));
    await fixture.tasks.erasure.begin(order.requesterId, async () => true);
    await fixture.until(() => (storedBodies(fixture).length === 0 ? true : undefined));
    expect(
      sql(fixture.file, 'SELECT value FROM atelier').some(({ value }) => String(value).includes(SIGNATURE_PARAMETER)),
    ).toBe(false);
  });

  it('The sent body of a request is kept after a refusal, and appears in no task, list, export, message or log', async () => {
    const { fixture, lost } = await submitWithUnknownOutcome();
    addFault(fixture, 'quota');
    await expect(fixture.tasks.orders.tryAgain(lost.id, order)).rejects.toThrow();
    const { bytes, release } = await fixture.tasks.exports.create(order.requesterId, 1_000_000);
    release();
    const visibleData = [
      await fixture.tasks.book.get(lost.id),
      fixture.changes,
      await fixture.tasks.lists.page({ of: { memberId: order.requesterId }, max: 10 }),
      bytes.toString(),
      fixture.logged(),
    ];
    expect(JSON.stringify(visibleData)).not.toContain(SIGNATURE_PARAMETER);
    expect(storedBodies(fixture)).toEqual([lost.id]);
  });

  it('The sent body of a request prevents its order from being submitted if it cannot be stored', async () => {
    const fullStore = (store: StoredTasks) =>
      withOverrides(store, {
        sentOrders: {
          put: () => Promise.reject(new StoreError('full', 'The disk is full.')),
          read: (id) => store.sentOrders.read(id),
        },
      });
    const fixture = await startEngine({}, undefined, { storeFor: fullStore });
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ kind: 'full' });
    expect(sentOrders(fixture)).toEqual([]);
    expect(fixture.tasks.book.live().length).toBe(0);
    expect(await countedStandings(fixture)).toEqual([]);
  });
});

function withOverrides(store: StoredTasks, overrides: Partial<TaskStore>): StoredTasks {
  return new Proxy(store, {
    get(target, name) {
      if (name in overrides) return Reflect.get(overrides, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Wraps a store so that it is closed once this many writes have reached it, as if the process had died. */
function closeAfterWrites(writeCount: number) {
  let writesLeft = writeCount;
  return (store: StoredTasks) => {
    const countWrite = async <T>(write: () => Promise<T>): Promise<T> => {
      if (writesLeft <= 0) throw new StoreError('failed', 'no power');
      const result = await write();
      writesLeft -= 1;
      if (writesLeft === 0) await store.close();
      return result;
    };
    return withOverrides(store, {
      put: (task) => countWrite(() => store.put(task)),
      remove: (task) => countWrite(() => store.remove(task)),
      sentOrders: {
        put: (id, body) => countWrite(() => store.sentOrders.put(id, body)),
        read: (id) => store.sentOrders.read(id),
      },
    });
  };
}

describe('An image order of a bot that dies at any write', () => {
  const isImage = ({ kind: name }: Task): boolean => name === 'image';
  const allTasks = async ({ store, tasks }: Engine): Promise<Task[]> => {
    const { summaries } = await store.page({ of: { memberId: order.requesterId }, max: 50 });
    return Promise.all(summaries.map(async ({ id }) => expectDefined(await tasks.book.get(id))));
  };

  /** Waits for every task to end, and shows the results. */
  async function endAll(fixture: Engine): Promise<void> {
    await fixture.until(() => (fixture.tasks.book.live(isImage).every(hasEnded) ? true : undefined));
    for (const { id } of fixture.tasks.book.live(isImage))
      await fixture.tasks.book.change(id, (task) => markDelivered(task, undefined, fixture.clock.now()));
  }

  /** Tries again as a member would, until the outcome of the request is known. */
  async function retryUntilKnown(fixture: Engine): Promise<Engine> {
    for (;;) {
      const unconfirmed = (await allTasks(fixture)).find(
        (task) => task.state === 'unconfirmed' && task.handedOver === undefined,
      );
      if (!unconfirmed) return fixture;
      await fixture.tasks.orders.tryAgain(unconfirmed.id, order);
    }
  }

  it.each([1, 2, 3, 4, 5])(
    'An image order of a bot that dies at any write creates at most one job, and every attempt counts (%i writes)',
    async (writes) => {
      const first = await startEngine({}, undefined, { storeFor: closeAfterWrites(writes) });
      await first.tasks.orders.submit(order).catch(() => undefined);
      await first.kill();
      const restarted = await retryUntilKnown(await startEngine({}, first, {}));
      expect(restarted.gateway.jobs.list().length).toBeLessThanOrEqual(1);
      await endAll(restarted);
      expect(await countedStandings(restarted)).toEqual((await allTasks(restarted)).map(() => 'settled'));
      expect(keysIn(restarted.file, 'sent')).toEqual([]);
    },
  );

  it.each([1, 2, 3, 4, 5, 6])(
    'An image order of a bot that dies at any write creates at most one job even if it is tried again (%i writes)',
    async (writes) => {
      const first = await startEngine({}, undefined, {});
      addFault(first, 'accepted-then-reset');
      const lost = await first.tasks.orders.submit(order);
      await first.kill();
      const second = await startEngine({}, first, { storeFor: closeAfterWrites(writes) });
      await second.tasks.orders.tryAgain(lost.id, order).catch(() => undefined);
      await second.kill();
      const restarted = await retryUntilKnown(await startEngine({}, second, {}));
      expect(restarted.gateway.jobs.list()).toHaveLength(1);
      expect(new Set(sentOrders(restarted).map((one) => JSON.stringify(one))).size).toBe(1);
      await endAll(restarted);
      await restarted.stop();
      const last = await startEngine({}, restarted, {});
      expect(await countedStandings(last)).toEqual((await allTasks(last)).map(() => 'settled'));
      expect(keysIn(last.file, 'sent')).toEqual([]);
    },
  );
});
