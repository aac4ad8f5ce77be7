import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { standingOf } from '../../../src/services/money/entry.ts';
import { EMPTY_BUDGET } from '../../../src/services/money/server-budget.ts';
import type { TaskStore } from '../../../src/services/orders/task-store.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import type { Gather } from '../../../src/services/tasks/materials.ts';
import { kindOfferName } from '../../../src/services/tasks/offers.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { minute, order } from './builders.ts';
import {
  createFixture,
  type Fixture,
  noCredit,
  POLL,
  refused,
  running,
  SUBMIT,
  SUBMIT_IMAGE,
  saturated,
  succeeded,
} from './fixture.ts';

const OTHER_MEMBER = '100000000000000002';
const { kind: _kind, request: _request, ...origin } = order;
const imageOrder = { ...order, kind: 'image' as const, request: { prompt: 'a fox', model: 'lumen-image-1' } };

async function standings({ store, tasks }: Fixture): Promise<string[]> {
  await tasks.ledger?.flush();
  return (await Array.fromAsync(store.entries.readRange('', '9999'))).map(standingOf).sort();
}

describe('An order', () => {
  it('An order is stored before it is submitted, and its job is followed to the result', async () => {
    const { tasks, store, gateway, until, changes } = await createFixture();
    gateway.reply(POLL, running(), succeeded());
    const task = await tasks.orders.submit(order);
    expect(task).toMatchObject({ state: 'accepted', remoteId: '1711' });
    await until(() => changes.find(({ state }) => state === 'ready'));
    expect(await store.get(task.id)).toMatchObject({
      state: 'ready',
      media: [{ address: 'https://cdn.gateway.test/1711.png' }],
    });
    expect(gateway.count(SUBMIT)).toBe(1);
  });

  it('A request is stored before it is submitted', async () => {
    const fixture = await createFixture();
    const stored = Promise.withResolvers<Task[]>();
    fixture.gateway.reply(SUBMIT, async () => {
      stored.resolve(await fixture.store.live());
      return 'reset' as const;
    });
    expect((await fixture.tasks.orders.submit(order)).state).toBe('unconfirmed');
    expect(await stored.promise).toMatchObject([{ state: 'submitting', request: { prompt: 'a fox' } }]);
    expect(fixture.gateway.count(SUBMIT)).toBe(1);
  });

  it('A request leaves nothing behind when it is refused', async () => {
    const fixture = await createFixture();
    fixture.gateway.reply(SUBMIT, noCredit);
    await expect(fixture.tasks.orders.submit(order)).rejects.toBeInstanceOf(GatewayError);
    expect(await fixture.store.live()).toEqual([]);
    expect(await fixture.store.page({ of: { memberId: order.requesterId }, max: 10 })).toEqual({
      summaries: [],
      next: undefined,
    });
    expect(fixture.changes).toEqual([]);
  });

  it('A request counts as a duplicate only for a moment', async () => {
    const fixture = await createFixture();
    await fixture.tasks.orders.submit(order);
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    fixture.clock.advance(3_000);
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A failed order can be repeated immediately', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.tasks.orders.submit(order);
    const failure = { cause: 'failed' as const };
    await fixture.tasks.book.change(id, (task) => ({ ...task, state: 'failed', failure }));
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    fixture.clock.advance(3_000);
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A request whose result is shown can be repeated immediately', async () => {
    const fixture = await createFixture();
    const { id } = await fixture.tasks.orders.submit(order);
    await fixture.tasks.book.change(id, (task) => ({ ...task, state: 'ready' }));
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    await fixture.tasks.book.change(id, (task) => markDelivered(task, undefined, fixture.clock.now()));
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A request does not count as a duplicate for longer because the clock was set back', async () => {
    const fixture = await createFixture();
    await fixture.tasks.orders.submit(order);
    fixture.clock.setBack(3_600_000);
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    fixture.clock.advance(3_000);
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A request that is too large leaves nothing behind when smaller files cannot be gathered', async () => {
    const gather: Gather = async (_, { shouldShrink }) => {
      if (shouldShrink) throw new GatewayError('The upload failed.', { kind: 'unavailable' });
      return { images: ['data:image/png;base64,AAAA'] };
    };
    const fixture = await createFixture({ gather });
    fixture.gateway.reply(SUBMIT, refused(413, 'too_large'));
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ status: 413 });
    expect(await fixture.store.live()).toEqual([]);
  });

  it("An order is not sent when the gateway's client refuses its prompt", async () => {
    const fixture = await createFixture();
    await expect(fixture.tasks.orders.submit({ ...order, request: { prompt: '   ' } })).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(fixture.gateway.count(SUBMIT)).toBe(0);
    expect(await fixture.store.live()).toEqual([]);
  });

  it('A request with an unknown outcome can be repeated after a moment only', async () => {
    const { tasks, gateway, clock } = await createFixture();
    gateway.reply(SUBMIT, 'reset');
    expect((await tasks.orders.submit(order)).state).toBe('unconfirmed');
    await expect(tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
    clock.advance(3_000);
    expect((await tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A refused request can be repeated immediately', async () => {
    const { tasks, gateway } = await createFixture();
    gateway.reply(SUBMIT, refused(400, 'invalid_value'));
    await expect(tasks.orders.submit(order)).rejects.toBeInstanceOf(GatewayError);
    expect((await tasks.orders.submit(order)).state).toBe('accepted');
  });

  it('A request that failed because of a bug cannot be repeated at once', async () => {
    let isBroken = true;
    const gather = async () => {
      if (isBroken) throw new Error('a bug');
      return {};
    };
    const { tasks } = await createFixture({ gather });
    await expect(tasks.orders.submit(order)).rejects.toThrow('a bug');
    isBroken = false;
    await expect(tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.duplicateRequest' });
  });

  it('An order is not sent if its task cannot be stored, and its reservation is refunded', async () => {
    const fixture = await createFixture({
      storeFor: (store) => withOverrides(store, { put: () => Promise.reject(new Error('The disk is full.')) }),
    });
    await expect(fixture.tasks.orders.submit(order)).rejects.toThrow('The disk is full.');
    expect(fixture.gateway.count(SUBMIT)).toBe(0);
    expect(await standings(fixture)).toEqual(['refunded']);
  });

  it('A refused order that cannot be removed from the store keeps its reservation, and the reason is logged', async () => {
    const fixture = await createFixture({
      storeFor: (store) => withOverrides(store, { remove: () => Promise.reject(new Error('The disk is full.')) }),
    });
    fixture.gateway.reply(SUBMIT, refused(400, 'invalid_value'));
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await standings(fixture)).toEqual(['reserved']);
    expect(fixture.logged()).toContain('could not be removed from the store');
  });

  it('A kind that cannot be ordered is refused like a forged button', async () => {
    const { tasks } = await createFixture();
    const album = { ...order, kind: 'music' as const, request: {} };
    await expect(tasks.orders.submit(album)).rejects.toMatchObject({ key: 'refusals.unknownButton' });
  });

  it('A kind that the gateway has refused is not ordered', async () => {
    const { tasks, gateway } = await createFixture();
    tasks.offers.markRefused(kindOfferName('imagine'));
    await expect(tasks.orders.submit(order)).rejects.toMatchObject({ key: 'refusals.kindNotSupported' });
    expect(gateway.requests).toEqual([]);
    expect((await tasks.orders.submit(imageOrder)).state).toBe('accepted');
  });

  it('An order carries the estimate of its price, and what would exceed a limit is refused before anything is fetched', async () => {
    let gathered = 0;
    const gather = async () => {
      gathered += 1;
      return {};
    };
    const amounts = ['0.6', '0.5', '0.4'];
    const fixture = await createFixture({
      gather,
      memberLimits: { day: { amount: '1' } },
      estimateOf: () => ({ amount: amounts.at(0) ?? '0', source: 'operator', at: 0 }),
    });
    const nextOrder = (prompt: string) => ({ ...order, request: { prompt } });
    expect(await fixture.tasks.orders.submit(nextOrder('a'))).toMatchObject({ estimate: { amount: '0.6' } });
    amounts.shift();
    await expect(fixture.tasks.orders.submit(nextOrder('b'))).rejects.toMatchObject({
      key: 'refusals.overBudget.member',
    });
    amounts.shift();
    expect(gathered).toBe(1);
    expect((await fixture.tasks.orders.submit(nextOrder('c'))).state).toBe('accepted');
    expect(await standings(fixture)).toEqual(['reserved', 'reserved']);
  });

  it('The price of what costs nothing is not estimated, but a pause applies to it as well', async () => {
    const { tasks, money } = await createFixture({
      memberLimits: { day: { tasks: 0 } },
      estimateOf: () => expect.unreachable(),
    });
    const free = { ...order, kind: 'talk' as const, request: { model: 'a-voice', who: 'me' as const } };
    expect(tasks.orders.check(free)).toBeUndefined();
    await money.budgets.change(order.guildId ?? '', (budget) => ({ ...budget, isPaused: true }));
    expect(() => tasks.orders.check(free)).toThrow('refusals.paused.server');
  });

  it('Without credit at the gateway, a kind is refused for two minutes', async () => {
    const notified: string[] = [];
    const { tasks, gateway, clock } = await createFixture();
    tasks.orders.onCredit((kind, isAvailable) => void (isAvailable || notified.push(kind)));
    gateway.reply(SUBMIT, noCredit);
    await expect(tasks.orders.submit(order)).rejects.toMatchObject({ kind: 'quota' });
    clock.advance(2 * minute - 1);
    expect(() => tasks.orders.check(order)).toThrow('refusals.noCredit');
    expect(() => tasks.orders.check(imageOrder)).not.toThrow();
    clock.advance(1);
    expect(() => tasks.orders.check(order)).not.toThrow();
    expect(notified).toEqual(['imagine']);
  });

  it('A task that is refused after it waited fails with the reason, and its reservation is refunded', async () => {
    const fixture = await createFixture({});
    fixture.gateway.reply(SUBMIT, saturated, refused(400, 'invalid_value'));
    const { id, state } = await fixture.tasks.orders.submit(order);
    expect(state).toBe('waiting');
    const task = await fixture.until(() => fixture.changes.findLast((one) => one.id === id && one.state === 'failed'));
    expect(task.failure).toMatchObject({ cause: 'refused', code: 'invalid_value' });
    expect(await standings(fixture)).toEqual(['refunded']);
  });

  it('A waiting task is not sent if its server is paused when its turn comes', async () => {
    const { tasks, money, gateway, until, changes } = await createFixture({ jobsAtOnce: 1 });
    await tasks.orders.submit(order);
    const { id } = await tasks.orders.submit({ ...order, request: { prompt: 'a hare' } });
    await money.budgets.change(order.guildId ?? '', () => ({ ...EMPTY_BUDGET, isPaused: true }));
    const task = await until(() => changes.findLast((one) => one.id === id && one.state === 'failed'));
    expect(task.failure).toEqual({
      cause: 'refused',
      refusal: { key: 'refusals.paused.server', variables: {} },
    });
    expect(gateway.count(SUBMIT)).toBe(1);
  });

  it('A waiting task whose sending hits a bug is logged as an error, waits and is sent later', async () => {
    let failures = 0;
    const gather: Gather = async (files) => {
      if ('prompt' in files && files.prompt === 'a hare' && fixture.jobs.ids.length === 1 && failures === 0 && isDue) {
        failures += 1;
        throw new Error('a bug');
      }
      return {};
    };
    let isDue = false;
    const fixture = await createFixture({ jobsAtOnce: 1, gather });
    await fixture.tasks.orders.submit(order);
    const { id } = await fixture.tasks.orders.submit({ ...order, request: { prompt: 'a hare' } });
    isDue = true;
    const task = await fixture.until(() => fixture.changes.findLast((one) => one.id === id && one.state === 'ready'));
    expect(task.returns).toBe(1);
    expect(fixture.logged()).toMatch(/"level":50.*A waiting task could not be sent/);
  });
});

describe('A decision about an unknown outcome', () => {
  async function lose(options: Parameters<typeof createFixture>[0] = {}) {
    const fixture = await createFixture({ ...options });
    fixture.gateway.reply(SUBMIT, 'reset');
    return { fixture, lost: await fixture.tasks.orders.submit(order) };
  }

  it('Only the owner decides, and only once', async () => {
    const { fixture, lost } = await lose();
    const { orders } = fixture.tasks;
    const notYours = { key: 'refusals.notYours' };
    await expect(orders.dismiss(lost.id, OTHER_MEMBER)).rejects.toMatchObject(notYours);
    await expect(orders.tryAgain(lost.id, { ...origin, requesterId: OTHER_MEMBER })).rejects.toMatchObject(notYours);
    expect(await standings(fixture)).toEqual(['unconfirmed']);
    expect(await orders.dismiss(lost.id, lost.requesterId)).toMatchObject({
      state: 'cancelled',
      failure: { cause: 'dismissed' },
    });
    expect(await standings(fixture)).toEqual(['settled']);
    const decided = { key: 'refusals.alreadyDecided' };
    await expect(orders.dismiss(lost.id, lost.requesterId)).rejects.toMatchObject(decided);
    await expect(orders.tryAgain(lost.id, origin)).rejects.toMatchObject(decided);
    await expect(orders.dismiss('01k3v9x2mabcdefgh', lost.requesterId)).rejects.toMatchObject({
      key: 'refusals.unknownTask',
    });
  });

  it('A second press submits nothing, whether the first is under way or stored', async () => {
    const { fixture, lost } = await lose();
    const { orders } = fixture.tasks;
    const presses = await Promise.allSettled([orders.tryAgain(lost.id, origin), orders.tryAgain(lost.id, origin)]);
    expect(presses.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await expect(orders.tryAgain(lost.id, origin)).rejects.toMatchObject({ key: 'refusals.alreadyResubmitted' });
    expect(fixture.gateway.count(SUBMIT)).toBe(2);
    expect(await standings(fixture)).toEqual(['reserved', 'settled']);
    const successor = fixture.tasks.book.live(({ state }) => state === 'accepted');
    expect(successor.map(({ id }) => id)).toEqual([(await fixture.tasks.book.get(lost.id))?.successorId]);
    expect(successor[0]?.predecessorId).toBeUndefined();
  });

  it('After a refusal the owner can decide again', async () => {
    const { fixture, lost } = await lose();
    const { orders, book } = fixture.tasks;
    fixture.gateway.reply(SUBMIT, refused(400, 'invalid_value'));
    await expect(orders.tryAgain(lost.id, origin)).rejects.toMatchObject({ kind: 'invalid' });
    expect(await book.get(lost.id)).toMatchObject({ state: 'unconfirmed', successorId: undefined });
    expect(await standings(fixture)).toEqual(['refunded', 'unconfirmed']);
    expect((await orders.tryAgain(lost.id, origin)).state).toBe('accepted');
  });

  it('A successor that was never stored, as after a crash, does not keep the owner from trying again', async () => {
    const { fixture, lost } = await lose();
    const { orders, book } = fixture.tasks;
    await book.change(lost.id, (task) => ({ ...task, successorId: '01k3v9x2mabcdefgh' }));
    const { id } = await orders.tryAgain(lost.id, origin);
    expect((await book.get(lost.id))?.successorId).toBe(id);
  });

  it('The unknown outcome keeps the reason', async () => {
    const { lost } = await lose();
    expect(lost.failure).toMatchObject({ cause: 'unconfirmed', reason: { name: 'dropped', variables: {} } });
  });
});

describe('An order under an idempotency key', () => {
  const sentBodies = ({ gateway }: Fixture) =>
    gateway.requestsTo(SUBMIT_IMAGE).map(({ headers, body }) => ({ key: headers['idempotency-key'], body }));

  async function lose(options: Parameters<typeof createFixture>[0] = {}) {
    let times = 0;
    const gather: Gather = async () => {
      times += 1;
      return { references: [{ medium: 'image', uri: `https://files.example/fox.png?signed=${times}` }] };
    };
    const fixture = await createFixture({ gather, ...options });
    fixture.gateway.reply(SUBMIT_IMAGE, 'reset');
    return { fixture, lost: await fixture.tasks.orders.submit(imageOrder) };
  }

  it('The order is repeated unchanged under its key, and its task is handed over to the new one', async () => {
    const { fixture, lost } = await lose();
    const { orders, book } = fixture.tasks;
    const repeated = await orders.tryAgain(lost.id, origin);
    expect(repeated).toMatchObject({ state: 'accepted', predecessorId: lost.id, idempotencyKey: lost.idempotencyKey });
    const [first, second] = sentBodies(fixture);
    expect(first).toEqual({ key: lost.idempotencyKey, body: expect.objectContaining({ prompt: 'a fox' }) });
    expect(second).toEqual(first);
    expect(await book.get(lost.id)).toMatchObject({ handedOver: true, successorId: repeated.id });
  });

  it('The body is stored before it is sent, moves to the task that repeats it, and is dropped once it is accepted', async () => {
    const { fixture, lost } = await lose();
    const { store, tasks, gateway } = fixture;
    const body = await store.sentOrders.read(lost.id);
    expect(body).toMatchObject({ idempotencyKey: lost.idempotencyKey, body: expect.stringContaining('signed=1') });
    gateway.reply(SUBMIT_IMAGE, 'reset');
    const second = await tasks.orders.tryAgain(lost.id, origin);
    expect(second.state).toBe('unconfirmed');
    expect(await store.sentOrders.read(second.id)).toEqual(body);
    expect(await store.sentOrders.read(lost.id)).toBeUndefined();
    const third = await tasks.orders.tryAgain(second.id, origin);
    expect(third.state).toBe('accepted');
    expect(await store.sentOrders.read(third.id)).toBeUndefined();
  });

  it('Without the stored body, the order is sent again under its key', async () => {
    const { fixture, lost } = await lose({
      storeFor: (store) =>
        withOverrides(store, {
          sentOrders: { put: (...row) => store.sentOrders.put(...row), read: async () => undefined },
        }),
    });
    await fixture.tasks.orders.tryAgain(lost.id, origin);
    const [first, second] = sentBodies(fixture);
    expect(second?.key).toBe(first?.key);
    expect(JSON.stringify(second?.body)).toContain('signed=2');
  });

  it('An order that waited when its store was backed up gets a new key', async () => {
    const { fixture, lost } = await lose();
    const restored = { at: 0, wasWaiting: true as const };
    await fixture.tasks.book.change(lost.id, (task) => ({ ...task, restored }));
    const repeated = await fixture.tasks.orders.tryAgain(lost.id, origin);
    expect(repeated.idempotencyKey).not.toBe(lost.idempotencyKey);
    expect(repeated.predecessorId).toBeUndefined();
  });

  it('An order that repeats another one does not wait for its turn', async () => {
    const { fixture, lost } = await lose({ jobsAtOnce: 1 });
    expect((await fixture.tasks.orders.submit(order)).state).toBe('accepted');
    expect((await fixture.tasks.orders.submit({ ...order, request: { prompt: 'x' } })).state).toBe('waiting');
    expect((await fixture.tasks.orders.tryAgain(lost.id, origin)).state).toBe('accepted');
  });

  it('A body that a crash left with the predecessor is copied at the next start', async () => {
    const { fixture, lost } = await lose();
    const { store, tasks } = fixture;
    const body = await store.sentOrders.read(lost.id);
    const successor = { ...lost, id: `${lost.id.slice(0, -1)}x`, predecessorId: lost.id };
    await tasks.book.add(successor);
    await tasks.orders.takeOverPredecessor(successor);
    expect(await store.sentOrders.read(successor.id)).toEqual(body);
    expect((await tasks.book.get(lost.id))?.handedOver).toBe(true);
  });

  it('An order without a predecessor, or whose predecessor was erased, takes nothing over', async () => {
    const { fixture, lost } = await lose();
    const { store, tasks } = fixture;
    await tasks.orders.takeOverPredecessor(lost);
    await tasks.orders.takeOverPredecessor({ ...lost, id: 'a', predecessorId: '01k3v9x2mabcdefgh' });
    expect(await store.sentOrders.read('a')).toBeUndefined();
    expect(fixture.logged()).not.toContain('could not replace the first one');
  });

  it('A predecessor that cannot be changed is only logged, because the order has been sent', async () => {
    const { fixture, lost } = await lose({
      storeFor: (store) =>
        withOverrides(store, {
          sentOrders: {
            put: (...row) => store.sentOrders.put(...row),
            read: () => Promise.reject(new Error('The disk is broken.')),
          },
        }),
    });
    await fixture.tasks.orders.takeOverPredecessor({ ...lost, id: 'a', predecessorId: lost.id });
    expect(fixture.logged()).toContain('could not replace the first one');
  });
});

it('A stop waits for the orders that are being sent', async () => {
  const { tasks, gateway } = await createFixture();
  const held = Promise.withResolvers<void>();
  gateway.reply(SUBMIT, async () => {
    await held.promise;
    return refused(400, 'invalid_value');
  });
  const events: string[] = [];
  const submission = tasks.orders.submit(order).catch(() => events.push('refused'));
  const finished = tasks.orders.finish().then(() => events.push('finished'));
  await new Promise(setImmediate);
  held.resolve();
  await Promise.all([submission, finished]);
  expect(events).toEqual(['refused', 'finished']);
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
