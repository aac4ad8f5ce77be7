import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import type { ErasureOutcome } from '../../../../src/services/orders/task-store.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import type { StoredTasks } from '../../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { putWithEntry } from '../../../support/ledger-tasks.ts';
import {
  createStoreFixture,
  DAY_MS,
  keysIn,
  MINUTE_MS,
  makeTask,
  START,
  type StoreFixture,
  settled,
  sql,
} from '../../store/store-fixture.ts';
import { type acceptedSubmit, buildSnapshot, order } from '../builders.ts';
import { type EngineOptions, entriesOf, NOTHING_REMOVED, type RunningEngine, startEngine } from './fixture.ts';

const ann = order.requesterId;
const bob = '100000000000000002';

interface Fixture extends RunningEngine, StoreFixture {
  store: StoredTasks;
  /** The messages to the member who pressed the button. */
  received: ErasureOutcome[];
  erase(memberId?: string): Promise<void>;
  isOver(): Promise<boolean>;
}

async function startFixture(
  storedTasks: readonly Task[],
  options: Partial<EngineOptions> = {},
  setup = createStoreFixture(),
): Promise<Fixture> {
  const store = (await setup.open()) as StoredTasks;
  for (const task of storedTasks) await putWithEntry(store, task);
  const engine = await startEngine({ ...setup, store, ...options });
  onTestFinished(() => engine.stop());
  const received: ErasureOutcome[] = [];
  return {
    ...setup,
    ...engine,
    store,
    received,
    erase: (memberId = ann) =>
      engine.tasks.erasure.begin(memberId, async (outcome) => {
        received.push(outcome);
        return true;
      }),
    isOver: async () => (await store.erasures.all()).length === 0,
  };
}

const doneTask = (ms: number, overrides: Parameters<typeof makeTask>[0] = {}): Task =>
  settled(makeTask({ requesterId: ann, times: { created: START + ms - MINUTE_MS }, ...overrides }), START);

const listedIds = async ({ store }: Pick<Fixture, 'store'>, memberId = ann): Promise<string[]> =>
  (await store.page({ of: { memberId }, max: 1_000 })).summaries.map(({ id }) => id);

describe('An erasure', () => {
  it('An erasure polls running tasks until they end without showing their results, and keeps later orders', async () => {
    let isDone = false;
    const pollResponse = () => buildSnapshot(isDone ? { state: 'succeeded' } : {});
    const bot = await startFixture([doneTask(1)], { pollResponse });
    const runningTask = await bot.tasks.orders.submit(order);
    await bot.erase();
    await bot.waitFor(() => bot.received.length > 0);
    expect(bot.received).toMatchObject([{ tasks: 1, running: 1, stays: 0 }]);
    expect(await listedIds(bot)).toEqual([runningTask.id]);
    bot.clock.advance(5_000);
    const laterTask = await bot.tasks.orders.submit({ ...order, request: { prompt: 'an owl' } });
    isDone = true;
    await bot.waitFor(bot.isOver);
    expect(await listedIds(bot)).toEqual([laterTask.id]);
    expect(bot.shown).not.toContain(runningTask.id);
    expect((await entriesOf(bot.store)).filter(({ memberId }) => memberId === ann)).toMatchObject([
      { id: laterTask.id },
    ]);
    expect(bot.directMessages).toEqual([]);
  });

  it('An erasure runs once when it is requested twice, and does not delay other members', async () => {
    const gate = Promise.withResolvers<void>();
    const removal = async ({ requesterId }: Task) => {
      if (requesterId === ann) await gate.promise;
      return { ...NOTHING_REMOVED, removed: 1 };
    };
    const tasks = [doneTask(1), doneTask(2), doneTask(3, { requesterId: bob })];
    const bot = await startFixture(tasks, { removal });
    await bot.erase();
    await bot.waitFor(() => bot.removed.length === 1);
    await bot.erase();
    await bot.erase(bob);
    await bot.waitFor(async () => (await listedIds(bot, bob)).length === 0);
    expect(await listedIds(bot)).toHaveLength(2);
    gate.resolve();
    await bot.waitFor(bot.isOver);
    expect(bot.received.at(-1)).toMatchObject({ tasks: 2, messages: 2 });
    expect(await listedIds(bot)).toEqual([]);
    expect((await entriesOf(bot.store)).map(({ memberId }) => memberId)).toEqual([undefined, undefined, undefined]);
  });

  it('An erasure continues after a restart during a Discord outage, and is then confirmed in a direct message', async () => {
    const bot = await startFixture([doneTask(1), doneTask(2)], { removal: () => new Promise(() => undefined) });
    await bot.erase();
    await bot.waitFor(() => bot.removed.length === 1);
    await bot.stop();
    await bot.store.close();
    expect(bot.received).toEqual([]);
    const restarted = await startFixture([], { removal: async () => ({ ...NOTHING_REMOVED, removed: 1 }) }, bot);
    await restarted.waitFor(restarted.isOver);
    expect(restarted.directMessages).toMatchObject([{ memberId: ann, outcome: { tasks: 2, messages: 2, running: 0 } }]);
  });

  it('An erasure waits for Discord to recover, and keeps every task whose message may still be deleted', async () => {
    let isFailing = true;
    const removal = async () =>
      isFailing ? { ...NOTHING_REMOVED, needsRetry: true } : { ...NOTHING_REMOVED, removed: 1 };
    const bot = await startFixture(
      Array.from({ length: 30 }, (_, index) => doneTask(index)),
      { removal },
    );
    await bot.erase();
    await bot.waitFor(() => bot.removed.length > 5);
    expect(bot.removed.length).toBeLessThan(30);
    expect(await listedIds(bot)).toHaveLength(30);
    expect(bot.received).toEqual([]);
    isFailing = false;
    await bot.waitFor(bot.isOver);
    expect(bot.received).toMatchObject([{ tasks: 30, messages: 30, stays: 0 }]);
  });

  it('An erasure removes what it can without waiting for the rest', async () => {
    const stuckMessageIds = new Set(['m1', 'm2', 'm3', 'm4']);
    const removal = async ({ message }: Task) => ({
      ...NOTHING_REMOVED,
      needsRetry: stuckMessageIds.has(message?.id ?? ''),
    });
    const tasks = Array.from({ length: 9 }, (_, index) =>
      doneTask(-index, { message: { channelId: 'c1', id: `m${index}` } }),
    );
    const bot = await startFixture(tasks, { removal });
    await bot.erase();
    await bot.waitFor(async () => (await listedIds(bot)).length === stuckMessageIds.size);
    stuckMessageIds.clear();
    await bot.waitFor(bot.isOver);
    expect(bot.received).toMatchObject([{ tasks: 9 }]);
  });

  it('An erasure gives up on a message after a day, and reports where it is', async () => {
    const bot = await startFixture([doneTask(1, { message: { channelId: 'c1', id: 'm1' }, channelId: 'c1' })], {
      removal: async () => ({ ...NOTHING_REMOVED, needsRetry: true }),
    });
    await bot.erase();
    await bot.waitFor(() => bot.removed.length > 1);
    bot.clock.advance(DAY_MS);
    await bot.waitFor(bot.isOver);
    expect(bot.received).toMatchObject([{ tasks: 1, stays: 1, left: [{ channelId: 'c1', id: 'm1' }] }]);
  });

  it('An erasure reports in a direct message as soon as one can be delivered', async () => {
    let isAccepted = false;
    const left = [{ guildId: 'den', channelId: 'c1', id: 'm1' }];
    const bot = await startFixture([doneTask(1)], {
      removal: async () => ({ ...NOTHING_REMOVED, left }),
      canSendDirectMessage: () => isAccepted,
    });
    await bot.tasks.erasure.begin(ann, async () => false);
    await bot.waitFor(() => bot.directMessages.length > 1);
    expect(await bot.isOver()).toBe(false);
    isAccepted = true;
    await bot.waitFor(bot.isOver);
    expect(bot.directMessages.at(-1)).toMatchObject({ memberId: ann, outcome: { tasks: 1, stays: 1, left } });
  });

  it('An erasure counts all remaining messages, and lists the first hundred', async () => {
    let count = 0;
    const removal = async () => ({ ...NOTHING_REMOVED, left: [{ channelId: 'c1', id: `m${count++}` }] });
    const bot = await startFixture(
      Array.from({ length: 120 }, (_, index) => doneTask(index)),
      { removal },
    );
    await bot.erase();
    await bot.waitFor(bot.isOver);
    expect(bot.received).toMatchObject([{ tasks: 120, stays: 120 }]);
    expect(bot.received[0]?.left).toHaveLength(100);
  });

  it('An erasure removes the member from a request that the gateway refuses in the meantime', async () => {
    const gate = Promise.withResolvers<typeof acceptedSubmit>();
    const bot = await startFixture([], { submitOrder: () => gate.promise });
    const rejection = bot.tasks.orders.submit(order).catch((error: unknown) => error);
    await bot.waitFor(async () => (await listedIds(bot)).length === 1);
    await bot.erase();
    await bot.waitFor(() => bot.received.length > 0);
    gate.reject(new GatewayError('no', { kind: 'invalid', mayHaveTakenEffect: false }));
    expect(await rejection).toBeInstanceOf(GatewayError);
    await bot.waitFor(bot.isOver);
    const [entry, ...others] = await entriesOf(bot.store);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ kind: 'imagine', facts: [{ standing: 'reserved' }, { standing: 'refunded' }] });
    expect(entry).not.toHaveProperty('memberId');
  });

  it('An unreadable row of an erasure is set aside and does not stop the bot', async () => {
    const setup = createStoreFixture();
    await (await setup.open()).close();
    sql(
      setup.file,
      `INSERT INTO atelier (key, namespace, value) VALUES ('ann', 'forgetting', '{"value":{"memberId":7}}')`,
    );
    const bot = await startFixture([doneTask(1)], {}, setup);
    expect(keysIn(setup.file, 'forgetting')).toEqual([]);
    expect(keysIn(setup.file, 'quarantine')).toHaveLength(1);
    expect(await listedIds(bot)).toHaveLength(1);
  });

  it('An erasure without remaining tasks is not reported by the doctor, and is closed at the next start', async () => {
    const setup = createStoreFixture();
    const store = await setup.open();
    await store.erasures.put({
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
    const address = { url: `sqlite://${setup.file}`, scheme: 'sqlite' } as const;
    expect((await examine(address, { specs: kindSpecs, ...setup, repair: false })).findings).toEqual([]);
    const bot = await startFixture([], {}, setup);
    await bot.waitFor(bot.isOver);
    expect(bot.directMessages).toEqual([]);
  });
});
