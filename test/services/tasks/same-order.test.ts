import { describe, expect, it } from 'vitest';
import { standingOf } from '../../../src/services/ledger/entry.ts';
import { StoreError } from '../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { defineKind } from '../../../src/services/tasks/kind.ts';
import type { Gather } from '../../../src/services/tasks/materials.ts';
import { hasEnded, type Task } from '../../../src/services/tasks/task.ts';
import type { TaskStore } from '../../../src/services/tasks/task-store.ts';
import { keysIn, sql } from '../store/stage.ts';
import { type Engine, engine } from './engine.ts';
import { order as imagine } from './made.ts';

const PATH = '/v1/images/generations/jobs';
const MODEL = 'lumen-image-1';
/** Only occurs in what is sent, never in a request as the member made it. */
const SIGNED = 'signed-for-one-day';
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

/** Signs the URL anew on each call, as Discord does. */
function signing(): { gather: Gather; times(): number } {
  let times = 0;
  const gather: Gather = async () => {
    times += 1;
    return { references: [{ medium: 'image', given: `https://files.example/fox.png?${SIGNED}=${times}` }] };
  };
  return { gather, times: () => times };
}

/**
 * Orders as they reached the gateway. Our JSON has no spaces, so serializing the parsed body gives the same text;
 * the length proves it.
 */
const sent = ({ gateway }: Engine) =>
  gateway.heard
    .filter(({ method, path }) => method === 'POST' && path === PATH)
    .map(({ headers, body }) => {
      const text = JSON.stringify(body);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
      return { key: headers['idempotency-key'], text };
    });

const isThere = <T>(value: T | undefined): T => value ?? expect.unreachable();

const faulty = (side: Engine, name: 'reset' | 'accepted-then-reset' | 'accepted-then-hang' | 'quota' | 'too-large') =>
  side.gateway.faults.add({ on: { method: 'POST', path: PATH }, do: name });

/** The ledger states of the requests that count. */
async function counted({ store }: Engine): Promise<string[]> {
  const standings: string[] = [];
  for await (const entry of store.entries.between('', '9999')) standings.push(standingOf(entry));
  return standings.filter((standing) => standing !== 'refunded');
}

async function unknown(name: 'reset' | 'accepted-then-reset' = 'accepted-then-reset') {
  const signs = signing();
  const side = await engine({}, undefined, { gather: signs.gather, hasLedger: true });
  faulty(side, name);
  const lost = await side.tasks.orders.submit(order);
  expect(lost.state).toBe('unconfirmed');
  return { side, lost, signs };
}

describe('An unconfirmed image order that is tried again', () => {
  it.each(['accepted-then-reset', 'reset'] as const)(
    'An unconfirmed image order is sent again byte for byte under the same key, and creates one job (%s)',
    async (name) => {
      const { side, lost, signs } = await unknown(name);
      const again = await side.tasks.orders.tryAgain(lost.id, order);
      expect(again.state).toBe('accepted');
      const [first, second, ...more] = sent(side);
      expect(second).toEqual(first);
      expect(first?.text).toContain(`${SIGNED}=1`);
      expect(more).toEqual([]);
      expect(side.gateway.jobs.list()).toHaveLength(1);
      expect(signs.times()).toBe(1);
    },
  );

  it('An unconfirmed image order is counted once, whatever its outcome', async () => {
    const side = await engine({}, undefined, { hasLedger: true });
    faulty(side, 'accepted-then-reset');
    const lost = await side.tasks.orders.submit(order);
    const again = await side.tasks.orders.tryAgain(lost.id, order);
    await side.until(() => side.news.findLast(({ id, state }) => id === again.id && state === 'ready'));
    await side.leave();
    const next = await engine({}, side, { hasLedger: true });
    expect(await counted(next)).toEqual(['settled']);
  });

  it('An unconfirmed image order stays one order after any number of unknown outcomes', async () => {
    const { side, lost } = await unknown();
    faulty(side, 'accepted-then-reset');
    const second = await side.tasks.orders.tryAgain(lost.id, order);
    expect(second.state).toBe('unconfirmed');
    const third = await side.tasks.orders.tryAgain(second.id, order);
    expect(third.state).toBe('accepted');
    expect(new Set(sent(side).map((one) => JSON.stringify(one))).size).toBe(1);
    expect(side.gateway.jobs.list()).toHaveLength(1);
    expect(await counted(side)).toEqual(['reserved']);
  });

  it('An unconfirmed image order can be tried again unchanged after a definite refusal', async () => {
    const { side, lost } = await unknown();
    faulty(side, 'quota');
    await expect(side.tasks.orders.tryAgain(lost.id, order)).rejects.toMatchObject({ kind: 'quota' });
    expect(await counted(side)).toEqual(['unconfirmed']);
    expect((await side.tasks.orders.tryAgain(lost.id, order)).state).toBe('accepted');
    expect(new Set(sent(side).map((one) => JSON.stringify(one))).size).toBe(1);
    expect(await counted(side)).toEqual(['reserved']);
  });

  it('An unconfirmed image order is sent under the same key by a bot that only has the key, so no second job is made', async () => {
    const { side, lost } = await unknown();
    await side.drop();
    sql(side.file, "DELETE FROM atelier WHERE namespace = 'sent'");
    const next = await engine({}, side, { gather: async () => ({}) });
    await next.tasks.orders.tryAgain(lost.id, order).catch(() => undefined);
    expect(new Set(sent(next).map(({ key }) => key)).size).toBe(1);
    expect(next.gateway.jobs.list()).toHaveLength(1);
  });

  it('An unconfirmed image order repeats the smaller body under its own key if a larger one was refused before', async () => {
    const heavy = 'data:image/png;base64,AAAA';
    const parts = {
      gather: async (_: unknown, { isSmaller }: { isSmaller?: boolean }) => ({
        references: [{ medium: 'image' as const, given: isSmaller ? 'https://files.example/light.png' : heavy }],
      }),
      kindsFor: ({ imageJobs }: Parameters<NonNullable<Parameters<typeof engine>[2]>['kindsFor'] & object>[0]) => [
        defineKind({
          name: 'image',
          waitLimit: () => 'image',
          durationKey: () => 'image',
          keyed: {
            bodyOf: ({ prompt, model }, { references = [] }) => {
              const image = references.map(({ given }) =>
                given === heavy ? 'https://files.example/heavy.png' : given,
              );
              return imageJobs.bodyOf({ prompt, model, image });
            },
            send: ({ body, idempotencyKey }) => imageJobs.send(body, { idempotencyKey }),
          },
        }),
      ],
    };
    const side = await engine({}, undefined, parts);
    faulty(side, 'too-large');
    side.gateway.faults.add({ on: { method: 'POST', path: PATH }, do: 'accepted-then-reset' });
    const lost = await side.tasks.orders.submit(order);
    expect(lost.state).toBe('unconfirmed');
    await side.tasks.orders.tryAgain(lost.id, order);
    const [large, small, again] = sent(side);
    expect(large?.text).toContain('heavy');
    expect(small?.text).toContain('light');
    expect(small?.key).not.toBe(large?.key);
    expect(again).toEqual(small);
    expect(side.gateway.jobs.list()).toHaveLength(1);
  });
});

it('An image that is ordered again after its task has ended gets a new key', async () => {
  const side = await engine();
  side.gateway.faults.add({ do: 'fail' });
  const { id } = await side.tasks.orders.submit(order);
  await side.until(() => side.news.find((task) => task.id === id && task.state === 'failed'));
  await side.tasks.orders.submit(order);
  expect(new Set(sent(side).map(({ key }) => key)).size).toBe(2);
  expect(side.gateway.jobs.list()).toHaveLength(2);
});

describe('The sent body of a request', () => {
  const kept = ({ file }: Engine) => keysIn(file, 'sent');

  it('The sent body of a request is stored before the submit, and only while the outcome is unknown', async () => {
    const side = await engine({}, undefined, { gather: signing().gather });
    faulty(side, 'accepted-then-hang');
    const submitted = side.tasks.orders.submit(order);
    await side.until(() => (sent(side).length === 1 ? true : undefined));
    expect(kept(side)).toHaveLength(1);
    const lost = await submitted;
    expect(kept(side)).toEqual([lost.id]);
    const again = await side.tasks.orders.tryAgain(lost.id, order);
    expect(again.state).toBe('accepted');
    expect(kept(side)).toEqual([]);
  });

  it('The sent body of a request is removed if its owner dismisses the task', async () => {
    const { side, lost } = await unknown();
    await side.tasks.book.change(lost.id, (task) => markDelivered(task, undefined, side.clock.now()));
    expect(kept(side)).toEqual([lost.id]);
    await side.tasks.orders.dismiss(lost.id, order.requesterId);
    expect(kept(side)).toEqual([]);
  });

  it('The sent body of a request is removed together with its task', async () => {
    const { side, lost } = await unknown();
    await side.tasks.book.change(lost.id, (task) => markDelivered(task, undefined, side.clock.now()));
    await side.tasks.erasure.begin(order.requesterId, async () => true);
    await side.until(() => (kept(side).length === 0 ? true : undefined));
    expect(sql(side.file, 'SELECT value FROM atelier').some(({ value }) => String(value).includes(SIGNED))).toBe(false);
  });

  it('The sent body of a request is kept after a refusal, and appears in no task, list, export, message or log', async () => {
    const { side, lost } = await unknown();
    faulty(side, 'quota');
    await expect(side.tasks.orders.tryAgain(lost.id, order)).rejects.toThrow();
    const { bytes, release } = await side.tasks.exports.create(order.requesterId, 1_000_000);
    release();
    const seen = [
      await side.tasks.book.get(lost.id),
      side.news,
      await side.tasks.lists.page({ of: { memberId: order.requesterId }, max: 10 }),
      bytes.toString(),
      side.logged(),
    ];
    expect(JSON.stringify(seen)).not.toContain(SIGNED);
    expect(kept(side)).toEqual([lost.id]);
  });

  it('The sent body of a request prevents its order from being submitted if it cannot be stored', async () => {
    const full = (store: StoredTasks): TaskStore =>
      overlaid(store, { putSentOrder: () => Promise.reject(new StoreError('full', 'The disk is full.')) });
    const side = await engine({}, undefined, { storeFor: full, hasLedger: true });
    await expect(side.tasks.orders.submit(order)).rejects.toMatchObject({ kind: 'full' });
    expect(sent(side)).toEqual([]);
    expect(side.tasks.book.liveCount).toBe(0);
    expect(await counted(side)).toEqual([]);
  });
});

function overlaid(store: StoredTasks, over: Partial<TaskStore>): TaskStore {
  return new Proxy(store, {
    get(target, name) {
      if (name in over) return Reflect.get(over, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The process dies once this many writes have reached the store. */
function mortal(after: number) {
  let left = after;
  return (store: StoredTasks): TaskStore => {
    const written = async <T>(write: () => Promise<T>): Promise<T> => {
      if (left <= 0) throw new StoreError('failed', 'no power');
      const result = await write();
      left -= 1;
      if (left === 0) await store.close();
      return result;
    };
    return overlaid(store, {
      put: (task) => written(() => store.put(task)),
      remove: (task) => written(() => store.remove(task)),
      putSentOrder: (id, body) => written(() => store.putSentOrder(id, body)),
    });
  };
}

describe('An image order of a bot that dies at any write', () => {
  const isImage = ({ kind: name }: Task): boolean => name === 'image';
  const all = async ({ store, tasks }: Engine): Promise<Task[]> => {
    const { summaries } = await store.page({ of: { memberId: order.requesterId }, max: 50 });
    return Promise.all(summaries.map(async ({ id }) => isThere(await tasks.book.get(id))));
  };

  /** Waits for every task to end, and shows the results. */
  async function ended(side: Engine): Promise<void> {
    await side.until(() => (side.tasks.book.live(isImage).every(hasEnded) ? true : undefined));
    for (const { id } of side.tasks.book.live(isImage))
      await side.tasks.book.change(id, (task) => markDelivered(task, undefined, side.clock.now()));
  }

  /** Tries again as a member would, until the outcome of the request is known. */
  async function settle(side: Engine): Promise<Engine> {
    for (;;) {
      const open = (await all(side)).find((task) => task.state === 'unconfirmed' && task.handedOver === undefined);
      if (!open) return side;
      await side.tasks.orders.tryAgain(open.id, order);
    }
  }

  it.each([1, 2, 3, 4, 5])(
    'An image order of a bot that dies at any write creates at most one job, which is counted once (%i writes)',
    async (writes) => {
      const first = await engine({}, undefined, { storeFor: mortal(writes), hasLedger: true });
      await first.tasks.orders.submit(order).catch(() => undefined);
      await first.drop();
      const next = await settle(await engine({}, first, { hasLedger: true }));
      expect(next.gateway.jobs.list().length).toBeLessThanOrEqual(1);
      await ended(next);
      expect(await counted(next)).toEqual(next.gateway.jobs.list().map(() => 'settled'));
      expect(keysIn(next.file, 'sent')).toEqual([]);
    },
  );

  it.each([1, 2, 3, 4, 5, 6])(
    'An image order of a bot that dies at any write creates at most one job even if it is tried again (%i writes)',
    async (writes) => {
      const first = await engine({}, undefined, { hasLedger: true });
      faulty(first, 'accepted-then-reset');
      const lost = await first.tasks.orders.submit(order);
      await first.drop();
      const second = await engine({}, first, { storeFor: mortal(writes), hasLedger: true });
      await second.tasks.orders.tryAgain(lost.id, order).catch(() => undefined);
      await second.drop();
      const next = await settle(await engine({}, second, { hasLedger: true }));
      expect(next.gateway.jobs.list()).toHaveLength(1);
      expect(new Set(sent(next).map((one) => JSON.stringify(one))).size).toBe(1);
      await ended(next);
      await next.leave();
      const last = await engine({}, next, { hasLedger: true });
      expect(await counted(last)).toEqual(['settled']);
      expect(keysIn(last.file, 'sent')).toEqual([]);
    },
  );
});
