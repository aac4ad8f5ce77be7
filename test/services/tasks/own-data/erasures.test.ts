import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { GatewayError } from '../../../../src/services/gateway/index.ts';
import { examine } from '../../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import type { ErasureOutcome } from '../../../../src/services/tasks/task-store.ts';
import { DAY_MS, keysIn, MINUTE_MS, makeTask, START, type Stage, settled, sql, stage } from '../../store/stage.ts';
import { madeSnapshot, order, type taken } from '../made.ts';
import { clear, entriesOf, type Requests, type RequestsOptions, requests } from './scene.ts';

const ann = order.requesterId;
const bob = '100000000000000002';

interface Scene extends Requests, Stage {
  store: StoredTasks;
  /** The messages to the member who pressed the button. */
  received: ErasureOutcome[];
  forget(memberId?: string): Promise<void>;
  isOver(): Promise<boolean>;
}

async function scene(before: readonly Task[], options: Partial<RequestsOptions> = {}, on = stage()): Promise<Scene> {
  const store = (await on.open()) as StoredTasks;
  for (const task of before) await store.put(task);
  const running = await requests({ ...on, store, ...options });
  onTestFinished(() => running.stop());
  const received: ErasureOutcome[] = [];
  return {
    ...on,
    ...running,
    store,
    received,
    forget: (memberId = ann) =>
      running.tasks.erasure.begin(memberId, async (forgotten) => {
        received.push(forgotten);
        return true;
      }),
    isOver: async () => (await store.openErasures()).length === 0,
  };
}

const done = (ms: number, over: Parameters<typeof makeTask>[0] = {}): Task =>
  settled(makeTask({ requesterId: ann, times: { created: START + ms - MINUTE_MS }, ...over }), START);

const listed = async ({ store }: Pick<Scene, 'store'>, memberId = ann): Promise<string[]> =>
  (await store.page({ of: { memberId }, max: 1_000 })).summaries.map(({ id }) => id);

describe('An erasure', () => {
  it('An erasure follows running tasks to their ends without showing them, and keeps later orders', async () => {
    let isDone = false;
    const says = () => madeSnapshot(isDone ? { state: 'succeeded' } : {});
    const here = await scene([done(1)], { says });
    const running = await here.tasks.orders.submit(order);
    await here.forget();
    await here.waitFor(() => here.received.length > 0);
    expect(here.received).toMatchObject([{ tasks: 1, running: 1, stays: 0 }]);
    expect(await listed(here)).toEqual([running.id]);
    here.clock.advance(5_000);
    const later = await here.tasks.orders.submit({ ...order, request: { prompt: 'an owl' } });
    isDone = true;
    await here.waitFor(here.isOver);
    expect(await listed(here)).toEqual([later.id]);
    expect(here.shown).not.toContain(running.id);
    expect((await entriesOf(here.store)).filter(({ memberId }) => memberId === ann)).toMatchObject([{ id: later.id }]);
    expect(here.directMessages).toEqual([]);
  });

  it('An erasure runs once when it is requested twice, and does not delay other members', async () => {
    const gate = Promise.withResolvers<void>();
    const removal = async ({ requesterId }: Task) => {
      if (requesterId === ann) await gate.promise;
      return { ...clear, removed: 1 };
    };
    const theirs = [done(1), done(2), done(3, { requesterId: bob })];
    const here = await scene(theirs, { removal });
    await here.forget();
    await here.waitFor(() => here.removed.length === 1);
    await here.forget();
    await here.forget(bob);
    await here.waitFor(async () => (await listed(here, bob)).length === 0);
    expect(await listed(here)).toHaveLength(2);
    gate.resolve();
    await here.waitFor(here.isOver);
    expect(here.received.at(-1)).toMatchObject({ tasks: 2, messages: 2 });
    expect(await listed(here)).toEqual([]);
    expect((await entriesOf(here.store)).map(({ memberId }) => memberId)).toEqual([undefined, undefined, undefined]);
  });

  it('An erasure continues after a restart during a Discord outage, and is then confirmed in a direct message', async () => {
    const here = await scene([done(1), done(2)], { removal: () => new Promise(() => undefined) });
    await here.forget();
    await here.waitFor(() => here.removed.length === 1);
    await here.stop();
    await here.store.close();
    expect(here.received).toEqual([]);
    const again = await scene([], { removal: async () => ({ ...clear, removed: 1 }) }, here);
    await again.waitFor(again.isOver);
    expect(again.directMessages).toMatchObject([{ memberId: ann, forgotten: { tasks: 2, messages: 2, running: 0 } }]);
  });

  it('An erasure waits for Discord to recover, and keeps every task whose message may still be deleted', async () => {
    let isFailing = true;
    const removal = async () => (isFailing ? { ...clear, needsRetry: true } : { ...clear, removed: 1 });
    const here = await scene(
      Array.from({ length: 30 }, (_, index) => done(index)),
      { removal },
    );
    await here.forget();
    await here.waitFor(() => here.removed.length > 5);
    expect(here.removed.length).toBeLessThan(30);
    expect(await listed(here)).toHaveLength(30);
    expect(here.received).toEqual([]);
    isFailing = false;
    await here.waitFor(here.isOver);
    expect(here.received).toMatchObject([{ tasks: 30, messages: 30, stays: 0 }]);
  });

  it('An erasure removes what it can without waiting for the rest', async () => {
    const stuck = new Set(['m1', 'm2', 'm3', 'm4']);
    const removal = async ({ message }: Task) => ({ ...clear, needsRetry: stuck.has(message?.id ?? '') });
    const tasks = Array.from({ length: 9 }, (_, index) =>
      done(-index, { message: { channelId: 'c1', id: `m${index}` } }),
    );
    const here = await scene(tasks, { removal });
    await here.forget();
    await here.waitFor(async () => (await listed(here)).length === stuck.size);
    stuck.clear();
    await here.waitFor(here.isOver);
    expect(here.received).toMatchObject([{ tasks: 9 }]);
  });

  it('An erasure gives up on a message after a day, and reports where it is', async () => {
    const here = await scene([done(1, { message: { channelId: 'c1', id: 'm1' }, channelId: 'c1' })], {
      removal: async () => ({ ...clear, needsRetry: true }),
    });
    await here.forget();
    await here.waitFor(() => here.removed.length > 1);
    here.clock.advance(DAY_MS);
    await here.waitFor(here.isOver);
    expect(here.received).toMatchObject([{ tasks: 1, stays: 1, left: [{ channelId: 'c1', id: 'm1' }] }]);
  });

  it('An erasure reports in a direct message as soon as one can be delivered', async () => {
    let isAccepted = false;
    const left = [{ guildId: 'den', channelId: 'c1', id: 'm1' }];
    const here = await scene([done(1)], { removal: async () => ({ ...clear, left }), isHeard: () => isAccepted });
    await here.tasks.erasure.begin(ann, async () => false);
    await here.waitFor(() => here.directMessages.length > 1);
    expect(await here.isOver()).toBe(false);
    isAccepted = true;
    await here.waitFor(here.isOver);
    expect(here.directMessages.at(-1)).toMatchObject({ memberId: ann, forgotten: { tasks: 1, stays: 1, left } });
  });

  it('An erasure counts all remaining messages, and lists the first hundred', async () => {
    let count = 0;
    const removal = async () => ({ ...clear, left: [{ channelId: 'c1', id: `m${count++}` }] });
    const here = await scene(
      Array.from({ length: 120 }, (_, index) => done(index)),
      { removal },
    );
    await here.forget();
    await here.waitFor(here.isOver);
    expect(here.received).toMatchObject([{ tasks: 120, stays: 120 }]);
    expect(here.received[0]?.left).toHaveLength(100);
  });

  it('An erasure removes the member from a request that the gateway refuses in the meantime', async () => {
    const gate = Promise.withResolvers<typeof taken>();
    const here = await scene([], { submits: () => gate.promise });
    const refused = here.tasks.orders.submit(order).catch((error: unknown) => error);
    await here.waitFor(async () => (await listed(here)).length === 1);
    await here.forget();
    await here.waitFor(() => here.received.length > 0);
    gate.reject(new GatewayError('no', { kind: 'invalid', mayHaveTakenEffect: false }));
    expect(await refused).toBeInstanceOf(GatewayError);
    await here.waitFor(here.isOver);
    const [entry, ...others] = await entriesOf(here.store);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ kind: 'imagine', facts: [{ standing: 'reserved' }, { standing: 'refunded' }] });
    expect(entry).not.toHaveProperty('memberId');
  });

  it('An unreadable row of an erasure is set aside and does not stop the bot', async () => {
    const on = stage();
    await (await on.open()).close();
    sql(
      on.file,
      `INSERT INTO atelier (key, namespace, value) VALUES ('ann', 'forgetting', '{"value":{"memberId":7}}')`,
    );
    const here = await scene([done(1)], {}, on);
    expect(keysIn(on.file, 'forgetting')).toEqual([]);
    expect(keysIn(on.file, 'quarantine')).toHaveLength(1);
    expect(await listed(here)).toHaveLength(1);
  });

  it('An erasure without remaining tasks is not reported by the doctor, and is closed at the next start', async () => {
    const on = stage();
    const store = await on.open();
    await store.putErasure({
      memberId: ann,
      until: START,
      secret: 's',
      tasks: 3,
      messages: 3,
      stays: 0,
      left: [],
      told: 0,
    });
    await store.close();
    const address = { url: `sqlite://${on.file}`, scheme: 'sqlite' } as const;
    expect((await examine(address, { specs: kindSpecs, ...on, repair: false })).findings).toEqual([]);
    const here = await scene([], {}, on);
    await here.waitFor(here.isOver);
    expect(here.directMessages).toEqual([]);
  });
});
