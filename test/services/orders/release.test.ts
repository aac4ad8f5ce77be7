import { describe, expect, it } from 'vitest';
import { type LedgerEntry, standingOf } from '../../../src/services/money/entry.ts';
import { createOrdersContext } from '../../../src/services/orders/orders-context.ts';
import { startRelease } from '../../../src/services/orders/submission/sweep.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { markDismissed } from '../../../src/services/tasks/transitions.ts';
import { createStoreFixture, makeTask, START, type StoreFixture, settled } from '../store/store-fixture.ts';
import { ordersSources } from './sources.ts';

const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 10 * 60_000;

/** Starts a bot that releases reservations after three hours. */
async function startBot(setup: StoreFixture) {
  const store = (await setup.open()) as StoredTasks;
  const { clock, log } = setup;
  const context = { clock, log };
  const sources = ordersSources(context, store);
  const { book, money } = sources;
  const { ledger } = money;
  book.onChange((task) => ledger.onTaskChange(task));
  await book.open();
  await ledger.open(book.live());
  let stopRelease: (() => Promise<void>) | undefined;
  const release = (): void => {
    stopRelease = startRelease(
      createOrdersContext(context, sources, () => undefined),
      3 * HOUR_MS,
    );
  };
  const entries = async (): Promise<LedgerEntry[]> => {
    await ledger.flush();
    return Array.fromAsync(store.entries.readRange('', '9999'));
  };
  const stop = async () => {
    await stopRelease?.();
    await store.close();
  };
  return { store, ledger, book, release, entries, stop };
}

/** Stores a request with an unknown outcome, about which its owner has been notified. */
async function storeUnconfirmed(
  { store, ledger }: Awaited<ReturnType<typeof startBot>>,
  overrides: Partial<Task> = {},
): Promise<Task> {
  const task = makeTask({ state: 'submitting' });
  await ledger.reserve(task);
  const unconfirmedTask = {
    ...settled(task),
    state: 'unconfirmed',
    failure: { cause: 'unconfirmed' },
    ...overrides,
  } as Task;
  await store.put(unconfirmedTask);
  ledger.onTaskChange(unconfirmedTask);
  await ledger.flush();
  return unconfirmedTask;
}

const standings = (entries: readonly LedgerEntry[]): string[] => entries.map(standingOf);

describe('The release of orders with an unknown outcome', () => {
  it('A reservation is released exactly once, after the time that the operator has configured', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup);
    const { id } = await storeUnconfirmed(first);
    first.release();
    setup.clock.advance(3 * HOUR_MS - 1);
    expect(standings(await first.entries())).toEqual(['unconfirmed']);
    setup.clock.advance(TEN_MINUTES_MS);
    await expect.poll(async () => standings(await first.entries())).toEqual(['refunded']);
    expect((await first.book.get(id))?.releasedAt).toBeGreaterThan(START);
    await first.stop();
    const second = await startBot(setup);
    second.release();
    setup.clock.advance(TEN_MINUTES_MS);
    await second.stop();
    const third = await startBot(setup);
    const [entry] = await third.entries();
    expect(entry?.facts.map(({ standing }) => standing)).toEqual(['reserved', 'unconfirmed', 'refunded']);
    await third.stop();
  });

  it('A crash between the writes of the task and of its ledger entry is repaired at the next start', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup);
    const task = await storeUnconfirmed(first);
    await first.store.put({ ...task, releasedAt: START + 1 });
    await first.stop();
    setup.clock.advance(4 * HOUR_MS);
    const second = await startBot(setup);
    second.release();
    await expect.poll(async () => standings(await second.entries())).toEqual(['refunded']);
    await second.stop();
  });

  it('An owner’s decision before the release of a reservation is kept, and a later decision does not charge the task again', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup);
    await storeUnconfirmed(first, { isRepeated: true, successorId: 'another' });
    const lateTask = await storeUnconfirmed(first);
    setup.clock.advance(4 * HOUR_MS);
    first.release();
    await expect.poll(async () => standings(await first.entries()).sort()).toEqual(['refunded', 'settled']);
    await first.book.change(lateTask.id, (task) => markDismissed(task, setup.clock.now()));
    expect(standings(await first.entries()).sort()).toEqual(['refunded', 'settled']);
    await first.stop();
  });
});
