import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/lib/log.ts';
import { Refusal } from '../../../src/lib/refusal.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { markAccepted } from '../../../src/services/tasks/transitions.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { acceptedSubmit, buildTask, start } from './builders.ts';

const task = markAccepted(buildTask(), acceptedSubmit, start);
const { id } = task;
const full = new StoreError('full', 'The disk is full.');
const unreachable = new StoreError('unreachable', 'The store cannot be reached.');

/** A book on a store of rows, whose writes fail while `failure` is set. */
async function createFixture(...stored: Task[]) {
  const rows = new Map(stored.map((one) => [one.id, one]));
  const repeatable: unknown[] = [];
  const store = { puts: 0, failure: undefined as Error | undefined, removalFailure: undefined as Error | undefined };
  const lines: string[] = [];
  const clock = new ManualClock();
  const book = new TaskBook(
    {
      live: async () => [...rows.values()].filter(({ times }) => times.settled === undefined),
      get: async (key) => rows.get(key),
      async put(one, isRepeatable) {
        repeatable.push(isRepeatable);
        if (store.failure) throw store.failure;
        store.puts += 1;
        rows.set(one.id, one);
      },
      async remove(one) {
        if (store.removalFailure) throw store.removalFailure;
        rows.delete(one.id);
      },
    },
    createLogger({ level: 'debug', secrets: [], isPretty: false, write: (line) => lines.push(line) }),
    clock,
    async (key) => (key === 'elsewhere' ? { ...task, id: key } : undefined),
  );
  const announced: (readonly [Task, Task | undefined])[] = [];
  book.onChange((current, previous) => announced.push([current, previous]));
  await book.open();
  return { book, rows, store, repeatable, announced, clock, logged: () => lines.join('') };
}

const setProgress = (current: Task): Task => ({ ...current, progress: 40 });
const setState = (current: Task): Task => ({ ...current, state: 'running' });

describe('The live tasks', () => {
  it('The live tasks are those of the store, and of them those that match', async () => {
    const settled = markDelivered({ ...task, id: 'b', state: 'ready' }, undefined, start);
    const { book } = await createFixture(task, settled);
    expect(book.live()).toEqual([task]);
    expect(book.live(({ state }) => state === 'running')).toEqual([]);
    expect([book.live().length, book.find(id), book.find('b')]).toEqual([1, task, undefined]);
    expect(await book.get('b')).toEqual(settled);
  });

  it('A task of another partition can be read but not changed', async () => {
    const { book } = await createFixture();
    expect(await book.get('elsewhere')).toMatchObject({ id: 'elsewhere' });
    expect(await book.get('nowhere')).toBeUndefined();
    await expect(book.change('elsewhere', setState)).rejects.toEqual(new Refusal('refusals.unknownTask'));
  });

  it('A task that was added is stored before it is announced as new', async () => {
    const { book, rows } = await createFixture();
    const added: unknown[] = [];
    book.onAdd((one) => added.push([one, rows.get(id), book.find(id)]));
    await book.add(task);
    expect(added).toEqual([[task, task, task]]);
    expect([book.live().length, book.unsavedCount]).toEqual([1, 0]);
  });

  it('A task that is removed leaves the book and the store, and is announced only if it existed', async () => {
    const { book, rows, announced } = await createFixture(task);
    const removed: Task[] = [];
    book.onRemove((one) => removed.push(one));
    await book.remove(id);
    await book.remove(id);
    expect([removed, rows.size, book.live().length, announced]).toEqual([[task], 0, 0, []]);
  });

  it('A settled task leaves the book but not the store', async () => {
    const { book, rows } = await createFixture(task);
    await book.change(id, (current) => markDelivered({ ...current, state: 'ready' }, undefined, start));
    expect(book.find(id)).toBeUndefined();
    expect(rows.get(id)).toMatchObject({ state: 'delivered' });
  });
});

describe('A change', () => {
  it('A change is stored and announced with the task before it, and its result is returned', async () => {
    const { book, rows, announced } = await createFixture(task);
    const changed = await book.change(id, setState);
    expect(changed).toMatchObject({ state: 'running' });
    expect([rows.get(id), book.find(id)]).toEqual([changed, changed]);
    expect(announced).toEqual([[changed, task]]);
  });

  it('A transition that changes nothing writes and announces nothing, and returns the task', async () => {
    const { book, store, announced } = await createFixture(task);
    expect(await book.change(id, (current) => current)).toBe(task);
    expect(await book.change(id, (current) => ({ ...current }))).toEqual(task);
    expect(await book.change(id, (current) => ({ ...current, actions: [], times: { ...current.times } }))).toEqual(
      task,
    );
    expect([store.puts, announced]).toEqual([0, []]);
  });

  it.each([
    ['progress', setProgress, 0, 1],
    ['the number of polls', (one: Task): Task => ({ ...one, polls: 7 }), 0, 0],
    ['the time of the last poll', (one: Task): Task => ({ ...one, times: { ...one.times, lastPending: 9 } }), 0, 0],
    ['the page', (one: Task): Task => ({ ...one, page: 2 }), 0, 0],
    ['the place in the queue', (one: Task): Task => ({ ...one, place: 2 }), 0, 1],
    ['the word of the gateway', (one: Task): Task => ({ ...one, word: 'GOING' }), 0, 0],
    ['the message', (one: Task): Task => ({ ...one, message: { channelId: '3', id: '7' } }), 1, 0],
    ['the count of edits', (one: Task): Task => ({ ...one, delivery: { ...one.delivery, progressEdits: 3 } }), 0, 0],
    [
      'the time of a ping',
      (one: Task): Task => ({ ...one, delivery: { ...one.delivery, call: { shownAt: 1, goingAt: 2 } } }),
      1,
      0,
    ],
    ['a button', (one: Task): Task => ({ ...one, actions: [{ customId: 'x', label: 'U1', emoji: '' }] }), 1, 1],
    ['the route', (one: Task): Task => ({ ...one, route: { ...one.route, mayPost: false } }), 1, 1],
    ['a removed field', ({ remoteId: _, ...one }: Task): Task => one as Task, 1, 1],
  ])('A change of %s is stored or announced only as far as that matters', async (_, transition, stored, shown) => {
    const first = { ...task, delivery: { ...task.delivery, call: { shownAt: 1 } } };
    const { book, store, announced } = await createFixture(first);
    await book.change(id, transition);
    expect([store.puts, announced.length > 0 ? 1 : 0]).toEqual([stored, shown]);
    expect(book.find(id)).toEqual(transition(first));
  });

  it('A change waits for the one before it, and sees its result', async () => {
    const { book } = await createFixture(task);
    const count = (one: Task): Task => ({ ...one, returns: (one.returns ?? 0) + 1 });
    await Promise.all(Array.from({ length: 20 }, () => book.change(id, count)));
    expect(book.find(id)?.returns).toBe(20);
  });

  it('A change that cannot be stored does not happen', async () => {
    const { book, store, announced } = await createFixture(task);
    store.failure = full;
    await expect(book.change(id, setState)).rejects.toBe(full);
    expect([book.find(id), announced, book.unsavedCount]).toEqual([task, [], 0]);
  });

  it('An announcement calls the listeners with the task alone', async () => {
    const { book, announced } = await createFixture(task);
    book.announce(id);
    expect(announced).toEqual([[task, undefined]]);
  });
});

describe('A change that must not be lost', () => {
  it('It happens although the store fails, is logged once, and is written with the next change that matters or not', async () => {
    const { book, store, announced, rows, logged } = await createFixture(task);
    store.failure = full;
    await book.change(id, setState, { mustHold: true });
    await book.change(id, (one) => ({ ...one, returns: 1 }), { mustHold: true });
    expect(book.find(id)).toMatchObject({ state: 'running', returns: 1 });
    expect([announced.length, book.unsavedCount, rows.get(id)]).toEqual([2, 1, task]);
    expect(logged().split('could not write a task')).toHaveLength(2);
    store.failure = undefined;
    await book.change(id, setProgress);
    expect(rows.get(id)).toMatchObject({ state: 'running', returns: 1, progress: 40 });
    expect(book.unsavedCount).toBe(0);
    expect(logged()).toContain('has now written the task');
  });

  it('It is written by the next attempt to save, and a task that has settled stays in memory until then', async () => {
    const { book, store, rows } = await createFixture(task);
    store.failure = full;
    const settle = (one: Task): Task => markDelivered({ ...one, state: 'ready' }, undefined, start);
    await book.change(id, settle, { mustHold: true });
    expect(book.find(id)?.state).toBe('delivered');
    await book.saveUnsaved();
    expect([book.unsavedCount, book.find(id)?.state]).toEqual([1, 'delivered']);
    store.failure = undefined;
    await book.saveUnsaved();
    expect(rows.get(id)?.state).toBe('delivered');
    expect([book.unsavedCount, book.find(id)]).toEqual([0, undefined]);
  });

  it('It has to be on the disk, even if it is written with a change that a power cut may undo', async () => {
    const { book, store, repeatable } = await createFixture(task);
    const isRepeatable = ({ state }: Task): boolean => state === 'running';
    await book.change(id, setState, { isRepeatable });
    await book.change(id, (one) => ({ ...one, state: 'ready' }), { isRepeatable });
    await book.change(id, setState);
    expect(repeatable.splice(0)).toEqual([true, false, undefined]);
    store.failure = full;
    await book.change(id, (one) => ({ ...one, returns: 1 }), { mustHold: true });
    store.failure = undefined;
    await book.change(id, setProgress, { isRepeatable });
    await book.change(id, (one) => ({ ...one, returns: 2 }), { isRepeatable });
    expect(repeatable).toEqual([undefined, false, true]);
  });

  it('It is forgotten if the task is removed in the meantime', async () => {
    const { book, store, rows } = await createFixture(task);
    store.failure = full;
    await book.change(id, setState, { mustHold: true });
    await book.remove(id);
    store.failure = undefined;
    await book.saveUnsaved();
    expect([book.unsavedCount, rows.size]).toEqual([0, 0]);
  });
});

describe('A new task that the store reports as not written', () => {
  it('It is not added, and is removed from the store later in case it was written', async () => {
    const { book, store, rows } = await createFixture();
    store.failure = full;
    await expect(book.add(task)).rejects.toBe(full);
    expect([book.live().length, book.unsavedCount]).toEqual([0, 1]);
    rows.set(id, task);
    store.removalFailure = full;
    await book.saveUnsaved();
    expect([rows.size, book.unsavedCount]).toEqual([1, 1]);
    store.removalFailure = undefined;
    await book.saveUnsaved();
    expect([rows.size, book.unsavedCount]).toEqual([0, 0]);
  });

  it('If the store cannot be reached, its member waits until the task is certainly not stored, up to 20 seconds', async () => {
    const { book, store, clock, logged } = await createFixture();
    store.failure = unreachable;
    store.removalFailure = unreachable;
    const outcomes: unknown[] = [];
    const add = (): Promise<unknown> => book.add(task).catch((error: unknown) => outcomes.push(error));
    const adding = add();
    await passTime(clock, 19_500);
    expect(outcomes).toEqual([]);
    await passTime(clock, 500);
    await adding;
    expect(outcomes).toEqual([new Refusal('refusals.notConfirmed')]);
    expect(logged()).toContain('may still be in the store');
    store.removalFailure = undefined;
    const again = add();
    await passTime(clock, 500);
    await again;
    expect(outcomes[1]).toBe(unreachable);
  });
});

/** Half a second at a time, so that what waits for one pause can start the next. */
async function passTime(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await new Promise(setImmediate);
    clock.advance(500);
    await new Promise(setImmediate);
  }
}
