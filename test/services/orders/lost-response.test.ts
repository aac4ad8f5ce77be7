import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/lib/clock.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { createStoreFixture, makeTask } from '../store/store-fixture.ts';

const unreachable = (): StoreError => new StoreError('unreachable', 'The store cannot be reached.');

/** A clock on which every pause is over at once. */
function createInstantClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after(ms, task) {
      now += ms;
      setImmediate(task);
      return () => undefined;
    },
  };
}

/** A book on a store that writes a new task although its response is lost, and then fails a number of removals. */
async function openBook(failingRemovals: number) {
  const { log, open } = createStoreFixture();
  const store = (await open()) as StoredTasks;
  let removals = 0;
  const book = new TaskBook(
    {
      live: () => store.live(),
      get: (id: string) => store.get(id),
      async put(task: Task) {
        await store.put(task);
        throw unreachable();
      },
      async remove(task: Task) {
        removals += 1;
        if (removals <= failingRemovals) throw unreachable();
        await store.remove(task);
      },
    },
    log,
    createInstantClock(),
  );
  const outcome = await book.add(makeTask({ state: 'waiting' })).catch((error: unknown) => error);
  const stored = (await store.live()).length;
  await store.close();
  return { outcome, stored, removals };
}

describe('A new task whose response from the store is lost', () => {
  it('A new task is removed before its member learns that nothing was done', async () => {
    const { outcome, stored, removals } = await openBook(2);
    expect(outcome).toMatchObject({ message: 'The store cannot be reached.' });
    expect([stored, removals]).toEqual([0, 3]);
  });

  it('If the store stays unreachable, the member learns that the outcome is unknown', async () => {
    const { outcome, stored } = await openBook(Number.POSITIVE_INFINITY);
    expect(outcome).toMatchObject({ key: 'refusals.notConfirmed' });
    expect(stored).toBe(1);
  });
});
