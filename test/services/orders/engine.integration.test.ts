import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { actionOrder } from '../../../src/commands/imagine/follow-ups.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { isLive, type Task } from '../../../src/services/tasks/task.ts';
import { minute, order } from './builders.ts';
import { type Engine, startEngine } from './engine.ts';

/** Resolves with the task once its result is ready. */
const waitUntilReady = ({ changes, until }: Engine, id: string): Promise<Task> =>
  until(() => changes.findLast((task) => task.id === id && task.state === 'ready'));

const submitCount = ({ gateway }: Engine): number =>
  gateway.requests.filter(({ path }) => path.includes('/submit/')).length;

/** Locks the store as another program would, so that the bot cannot write; returns the function that unlocks it. */
function lockStore({ file }: Engine): () => void {
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
}

describe('An order', () => {
  it('A request is never submitted when it cannot be stored', async () => {
    const fixture = await startEngine();
    const unlock = lockStore(fixture);
    await expect(fixture.tasks.orders.submit(order)).rejects.toMatchObject({ kind: 'locked' });
    unlock();
    expect(submitCount(fixture)).toBe(0);
    expect(fixture.tasks.book.live().length).toBe(0);
    expect((await fixture.tasks.orders.submit({ ...order, request: { prompt: 'another' } })).state).toBe('accepted');
  });

  it('A request is not lost if the gateway has accepted it but the store fails afterwards', async () => {
    const fixture = await startEngine();
    const locked = Promise.withResolvers<() => void>();
    fixture.gateway.jobs.once('change', () => locked.resolve(lockStore(fixture)));
    const task = await fixture.tasks.orders.submit(order);
    const unlock = await locked.promise;
    expect(task.state).toBe('accepted');
    expect(fixture.logged()).toContain('could not write a task');
    unlock();
    await fixture.until(() => (fixture.logged().includes('has now written the task') ? true : undefined));
    expect(await fixture.store.get(task.id)).toMatchObject({ remoteId: task.remoteId });
    expect((await waitUntilReady(fixture, task.id)).media).toHaveLength(1);
    expect(submitCount(fixture)).toBe(1);
  });

  it('A request is unconfirmed if the bot stops during the submit, because the gateway may have accepted it', async () => {
    const fixture = await startEngine();
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-hang' });
    const submission = fixture.tasks.orders.submit(order);
    await fixture.until(() => fixture.gateway.jobs.list()[0]);
    await fixture.stop();
    expect((await submission).state).toBe('unconfirmed');
    const restarted = await startEngine({}, fixture);
    expect(restarted.changes.map(({ state }) => state)).toEqual(['unconfirmed']);
    expect(submitCount(restarted)).toBe(1);
  });

  it('A request that is tried again just before the bot stops is awaited and stored', async () => {
    const fixture = await startEngine();
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-reset' });
    const unconfirmedTask = await fixture.tasks.orders.submit(order);
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-hang' });
    const retry = fixture.tasks.orders.tryAgain(unconfirmedTask.id, order);
    await fixture.until(() => (submitCount(fixture) === 2 ? true : undefined));
    await fixture.stop();
    expect((await retry).state).toBe('unconfirmed');
    const restarted = await startEngine({}, fixture);
    expect(restarted.changes.find(({ id }) => id === unconfirmedTask.id)?.successorId).toBeDefined();
    expect(restarted.changes.map(({ state }) => state)).toEqual(['unconfirmed', 'unconfirmed']);
    expect(restarted.logged()).not.toContain('"level":50');
  });
});

describe('A running task', () => {
  it('A running task reaches its result with everything that the specification requires', async () => {
    const fixture = await startEngine();
    const { id } = await fixture.tasks.orders.submit(order);
    const task = await waitUntilReady(fixture, id);
    expect(await fixture.store.get(id)).toMatchObject({
      id,
      remoteId: task.remoteId,
      request: { prompt: 'a fox' },
      times: { created: task.times.created },
      media: [{ address: expect.stringContaining('http') }],
    });
    const [duration] = await fixture.store.durations('imagine');
    expect(duration?.atMostMs).toBeGreaterThan(duration?.atLeastMs ?? Number.POSITIVE_INFINITY);
  });

  it('A running task is written only if a change has to survive a restart', async () => {
    const fixture = await startEngine();
    const { id } = await fixture.tasks.orders.submit(order);
    await fixture.until(() => ((fixture.changes.at(-1)?.progress ?? 0) > 20 ? true : undefined));
    const storedTask = await fixture.store.get(id);
    expect(storedTask?.state).toBe('running');
    expect(storedTask?.progress ?? 0).toBeLessThan(fixture.changes.at(-1)?.progress ?? 0);
  });

  it('A running task is reported as overdue once, and loses its token once that has expired', async () => {
    const fixture = await startEngine();
    fixture.gateway.faults.add({ do: 'stick' });
    const { id } = await fixture.tasks.orders.submit(order);
    const overdueTask = await fixture.until(() => fixture.changes.find((task) => task.times.overdue !== undefined));
    expect(overdueTask.times.overdue).toBeGreaterThanOrEqual(overdueTask.times.created + 5 * minute);
    await fixture.until(() => fixture.changes.find((task) => task.route.token === undefined));
    expect((await fixture.store.get(id))?.route).not.toHaveProperty('token');
    expect(new Set(fixture.changes.flatMap(({ times }) => times.overdue ?? [])).size).toBe(1);
  });

  it('A running task is polled immediately after a hint', async () => {
    const fixture = await startEngine();
    const { id } = await fixture.tasks.orders.submit(order);
    fixture.gateway.jobs.finish(fixture.gateway.jobs.list()[0]?.id ?? '');
    await fixture.until(() => fixture.changes.at(-1));
    const hintedAt = fixture.clock.now();
    fixture.tasks.scheduler.hint(id);
    const task = await waitUntilReady(fixture, id);
    expect((task.times.ended ?? 0) - hintedAt).toBeLessThan(1_000);
  });

  it.each(['bad-gateway', 'server-error', 'reset', 'empty', 'half'] as const)(
    'A task that runs for 2.5 s is ready within 5 s of its end if one of its polls hits the fault %s',
    async (fault) => {
      for (const profile of ['spec', 'stock'] as const) {
        for (const skippedPolls of [0, 1, 2]) {
          const fixture = await startEngine({ profile });
          const { id, remoteId } = await fixture.tasks.orders.submit(order);
          fixture.gateway.faults.add({ on: { path: /fetch|list/ }, do: fault, after: skippedPolls });
          const endsAt = fixture.clock.now() + 2_500;
          await fixture.until(() => (fixture.clock.now() >= endsAt ? true : undefined));
          fixture.gateway.jobs.finish(remoteId ?? '');
          const task = await waitUntilReady(fixture, id);
          expect((task.times.ended ?? Number.POSITIVE_INFINITY) - endsAt).toBeLessThan(5_000);
          await fixture.stop();
        }
      }
    },
  );

  it('A running task ends with the next response that can be stored, if its end could not be stored at first', async () => {
    const fixture = await startEngine();
    const { id } = await fixture.tasks.orders.submit(order);
    await fixture.until(() => (fixture.changes.at(-1)?.state === 'running' ? true : undefined));
    const unlock = lockStore(fixture);
    fixture.gateway.jobs.finish(fixture.gateway.jobs.list()[0]?.id ?? '');
    await fixture.until(() => (fixture.logged().includes('could not be stored') ? true : undefined));
    expect(fixture.changes.at(-1)?.state).toBe('running');
    unlock();
    expect((await waitUntilReady(fixture, id)).state).toBe('ready');
  });
});

describe('A start of the bot', () => {
  it('A start of the bot marks pending submits as unconfirmed, polls running tasks, and announces ended ones', async () => {
    const first = await startEngine();
    const runningTask = await first.tasks.orders.submit(order);
    const finishedTask = await first.tasks.orders.submit({ ...order, request: { prompt: 'done' } });
    const deliveredTask = await first.tasks.orders.submit({ ...order, request: { prompt: 'told' } });
    await waitUntilReady(first, finishedTask.id);
    await waitUntilReady(first, deliveredTask.id);
    await first.tasks.book.change(deliveredTask.id, (task) => markDelivered(task, undefined, first.clock.now()));
    await first.store.put({ ...runningTask, id: 'submitting0000000', state: 'submitting', remoteId: undefined });
    await first.store.put({ ...runningTask, id: 'running0000000000' });
    await first.kill();

    const second = await startEngine({}, first);
    const states = new Map(second.changes.map((task) => [task.id, task.state]));
    expect(states.get('submitting0000000')).toBe('unconfirmed');
    expect(states.get(finishedTask.id)).toBe('ready');
    expect(states.has(deliveredTask.id)).toBe(false);
    expect((await second.tasks.book.get(deliveredTask.id))?.state).toBe('delivered');
    await waitUntilReady(second, 'running0000000000');
    expect(submitCount(second)).toBe(3);
  });

  it('A start of the bot spreads its polls over one interval', async () => {
    const first = await startEngine();
    const { id } = await first.tasks.orders.submit(order);
    await first.kill();
    const requestCount = first.gateway.requests.length;
    const second = await startEngine({}, first);
    const startedAt = second.clock.now();
    await second.until(() => (second.gateway.requests.length > requestCount ? true : undefined));
    // The random numbers of the test are 0.5, so the delay is half of the interval.
    expect(second.clock.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(isLive((await second.tasks.book.get(id)) as Task)).toBe(true);
  });
});

describe('A change of a task', () => {
  it('A change of a task is refused for an unknown task', async () => {
    const fixture = await startEngine();
    await expect(fixture.tasks.book.change('unknown', (task) => task)).rejects.toBeInstanceOf(Refusal);
  });

  it('A change of a task waits for the previous change', async () => {
    const fixture = await startEngine();
    fixture.gateway.faults.add({ do: 'stick' });
    const { id } = await fixture.tasks.orders.submit(order);
    const countEdit = (task: Task): Task => ({
      ...task,
      delivery: { ...task.delivery, progressEdits: task.delivery.progressEdits + 1 },
    });
    await Promise.all(Array.from({ length: 50 }, () => fixture.tasks.book.change(id, countEdit)));
    expect((await fixture.tasks.book.get(id))?.delivery.progressEdits).toBe(50);
  });
});

describe('A prompt for a task that is waiting for one', () => {
  const isModal = ({ path }: { path: string }): boolean => path.endsWith('/submit/modal');

  /** Requests a custom zoom, whose prompt is part of the order. */
  async function requestZoom(prepare: (fixture: Engine) => void = () => undefined) {
    const setup = await startEngine();
    const { id } = await setup.tasks.orders.submit(order);
    const grid = await waitUntilReady(setup, id);
    await setup.tasks.orders.submit({ ...order, ...actionOrder(grid, 0) });
    const single = await setup.until(() =>
      setup.changes.findLast((task) => task.parentId === id && task.state === 'ready'),
    );
    prepare(setup);
    const index = single.actions.findIndex(({ customId }) => customId.includes('CustomZoom'));
    const task = await setup.tasks.orders.submit({
      ...order,
      ...actionOrder(single, index, { words: 'a fox --zoom 1.5' }),
    });
    return { setup, id: task.id };
  }

  it('A prompt is sent once, and the task that is waiting for it reaches its result', async () => {
    const { setup, id } = await requestZoom();
    expect((await waitUntilReady(setup, id)).times.wordsTaken).toBeDefined();
    expect(setup.gateway.requests.filter(isModal)).toHaveLength(1);
  });

  it('A prompt with an unknown outcome is not repeated by the bot, but may be repeated by its owner', async () => {
    const { setup, id } = await requestZoom(({ gateway }) => {
      gateway.faults.add({ on: { path: /modal$/ }, do: 'server-error' });
    });
    const unconfirmedTask = await setup.until(() =>
      setup.changes.findLast((task) => task.id === id && task.times.wordsLost !== undefined),
    );
    expect(unconfirmedTask.state).toBe('needs-input');
    const deadline = setup.clock.now() + 5 * minute;
    await setup.until(() => (setup.clock.now() > deadline ? true : undefined));
    expect(setup.gateway.requests.filter(isModal)).toHaveLength(1);
    await setup.tasks.words.provide(id, order, { words: 'a fox --zoom 1.7' });
    await waitUntilReady(setup, id);
    expect(setup.gateway.requests.filter(isModal)).toHaveLength(2);
  });

  it('A prompt is sent after a restart only if it was not sent before', async () => {
    const { setup, id } = await requestZoom(({ gateway }) => {
      gateway.faults.add({ on: { path: /modal$/ }, do: 'hang' });
    });
    await setup.until(() => (setup.gateway.requests.some(isModal) ? true : undefined));
    const sentTask = (await setup.store.get(id)) as Task;
    await setup.kill();
    const second = await startEngine({}, setup);
    expect(second.changes.some((task) => task.id === id)).toBe(true);
    await second.until(() => second.changes.findLast((task) => task.id === id && task.times.wordsLost !== undefined));
    expect(second.gateway.requests.filter(isModal)).toHaveLength(1);
    const { wordsSent: _, ...times } = sentTask.times;
    await second.store.put({ ...sentTask, times });
    await second.kill();
    const third = await startEngine({}, second);
    await waitUntilReady(third, id);
    expect(third.gateway.requests.filter(isModal)).toHaveLength(2);
  });
});

describe('A follow-up with an unknown outcome', () => {
  it('A follow-up with an unknown outcome keeps its parent when its owner tries again', async () => {
    const fixture = await startEngine();
    const { id } = await fixture.tasks.orders.submit(order);
    const grid = await waitUntilReady(fixture, id);
    fixture.gateway.faults.add({ on: { path: /submit/ }, do: 'accepted-then-reset' });
    const unconfirmedTask = await fixture.tasks.orders.submit({ ...order, ...actionOrder(grid, 0) });
    expect(unconfirmedTask.state).toBe('unconfirmed');
    const second = await fixture.tasks.orders.tryAgain(unconfirmedTask.id, order);
    expect(second).toMatchObject({ parentId: id, rootId: id, request: unconfirmedTask.request });
  });
});
