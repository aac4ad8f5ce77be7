import { describe, expect, it } from 'vitest';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { awaitsSubmit, mayBeRetried } from '../../../src/services/orders/batches.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { hasEnded, isLive, type Task } from '../../../src/services/tasks/task.ts';
import { createTaskId } from '../../../src/services/tasks/task-id.ts';
import { markRestored } from '../../../src/services/tasks/transitions.ts';
import { order } from './builders.ts';
import { type Engine, startEngine } from './engine.ts';

const { kind: _, request: __, parent: ___, ...origin } = order;
const PROMPTS = ['a', 'b', 'c'];
const orders = PROMPTS.map((prompt) => ({ kind: 'imagine' as const, request: { prompt } }));
const newBatch = ({ clock }: Engine) => ({ id: createTaskId(clock.now(), 0), origin, orders, typed: '{a, b, c}' });

const submitted = ({ requests }: EmbeddedGateway): string[] =>
  requests.filter(({ path }) => path.includes('/submit/')).map(({ body }) => (body as { prompt: string }).prompt);

/** Shows the ends of tasks at once, as Discord would. */
function deliverAll({ tasks, clock }: Engine): void {
  const deliver = ({ id }: Task) => tasks.book.change(id, (task) => markDelivered(task, undefined, clock.now()));
  const show = (task: Task): void => {
    if (hasEnded(task) && isLive(task)) void deliver(task).catch(() => undefined);
  };
  tasks.book.onChange(show);
  for (const task of tasks.book.live()) show(task);
}

const waitForEnd = ({ tasks, until }: Engine): Promise<boolean> =>
  until(() => (tasks.book.live().length === 0 ? true : undefined));

async function entries({ tasks }: Engine, id: string) {
  const batch = await tasks.book.get(id);
  return batch ? tasks.batches.entriesOf(batch) : [];
}

/** A store that takes no task after this many writes, as if the process had died there. */
const storeThatEndsAfter = (writes: number) => (store: StoredTasks) => {
  let count = 0;
  const put = async (task: Task): Promise<void> => {
    count += 1;
    if (count > writes) throw new Error('The process has ended.');
    await store.put(task);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'put') return put;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

describe('A batch', () => {
  it('A batch submits each order once, in order, and is complete once all are shown', async () => {
    const engine = await startEngine({ speed: 20 });
    deliverAll(engine);
    const batch = newBatch(engine);
    await engine.tasks.batches.create(batch);
    await waitForEnd(engine);
    expect(submitted(engine.gateway)).toEqual(PROMPTS);
    expect(await engine.tasks.book.get(batch.id)).toMatchObject({ kind: 'batch', state: 'delivered' });
    for (const { task } of await entries(engine, batch.id))
      expect(task).toMatchObject({ state: 'delivered', ping: 'never', isShownByParent: true, parentId: batch.id });
    expect(engine.logged()).not.toContain('"level":50');
  });

  it('After a crash between any two writes, a start submits what was not submitted, and nothing twice', async () => {
    let isWhole = false;
    for (let writes = 0; !isWhole; writes += 1) {
      const first = await startEngine({ speed: 20 }, undefined, { storeFor: storeThatEndsAfter(writes) });
      const batch = newBatch(first);
      const isStored = await first.tasks.batches.create(batch).then(
        () => true,
        () => false,
      );
      expect(isStored).toBe(writes > 0);
      const isDone = (): boolean => first.logged().includes('could not be submitted');
      isWhole = await first
        .until(() => {
          if (!isStored || isDone()) return 'crashed';
          const live = first.tasks.book.find(batch.id);
          const children = live?.kind === 'batch' ? live.request.children : [];
          return children.length > 0 && children.every(({ isSubmitted }) => isSubmitted) ? 'whole' : undefined;
        })
        .then((outcome) => outcome === 'whole');
      await first.kill();
      const restarted = await startEngine({}, first);
      deliverAll(restarted);
      await waitForEnd(restarted);
      const all = await entries(restarted, batch.id);
      expect(submitted(restarted.gateway).toSorted(), `${writes} writes`).toEqual(isStored ? PROMPTS : []);
      expect(all.map(({ task }) => task?.request.prompt)).toEqual(isStored ? PROMPTS : []);
      await restarted.kill();
      if (isWhole) expect(writes).toBeGreaterThan(6);
    }
  });

  it('A batch that was restored from a backup submits nothing more, since it may have been submitted in the meantime', async () => {
    const first = await startEngine({ speed: 20 }, undefined, { storeFor: storeThatEndsAfter(1) });
    const batch = newBatch(first);
    await first.tasks.batches.create(batch);
    const stored = await first.store.get(batch.id);
    if (stored) await first.store.put(markRestored(stored, first.clock.now()));
    await first.kill();
    const restarted = await startEngine({}, first);
    deliverAll(restarted);
    await waitForEnd(restarted);
    expect(submitted(restarted.gateway)).toEqual([]);
    const task = await restarted.tasks.book.get(batch.id);
    for (const entry of await entries(restarted, batch.id)) {
      expect(task && awaitsSubmit(task, entry)).toBe(false);
      expect(mayBeRetried(entry)).toBe(false);
    }
  });

  it('Orders whose outcome is unknown have not definitely failed', async () => {
    const engine = await startEngine({ speed: 20 });
    deliverAll(engine);
    engine.gateway.faults.add({ on: { kind: 'imagine' }, do: { type: 'status', status: 502 }, times: 1 });
    engine.gateway.faults.add({ on: { kind: 'imagine' }, do: { type: 'status', status: 400 }, times: 1 });
    const batch = newBatch(engine);
    await engine.tasks.batches.create(batch);
    await waitForEnd(engine);
    const all = await entries(engine, batch.id);
    expect(all.map(({ task, failure }) => task?.state ?? (failure && 'refused'))).toEqual([
      'unconfirmed',
      'refused',
      'delivered',
    ]);
    expect(all.map(mayBeRetried)).toEqual([false, true, false]);
  });

  it('A batch is erased with its tasks, once they have ended', async () => {
    const engine = await startEngine({ speed: 20 });
    deliverAll(engine);
    await engine.tasks.batches.create(newBatch(engine));
    await engine.until(() => (submitted(engine.gateway).length === 3 ? true : undefined));
    const notified = Promise.withResolvers<void>();
    await engine.tasks.erasure.begin(origin.requesterId, async () => {
      notified.resolve();
      return true;
    });
    await engine.until(() => (engine.tasks.book.live().length === 0 ? true : undefined));
    await notified.promise;
    const listed = async () => (await engine.store.page({ of: { memberId: origin.requesterId }, max: 10 })).summaries;
    await expect.poll(listed).toEqual([]);
  });
});
