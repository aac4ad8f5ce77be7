import { describe, expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { openBackend, openStore } from '../../../src/services/store/open-store.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { TcpProxy } from '../../support/wire.ts';
import { onServers, type TestStore } from './sites.ts';
import { manualLeaseClock, SuspendedClock } from './standing.ts';
import { makeTask, START, settled } from './store-fixture.ts';

/** So long that a fifth of it is enough for a request on a busy machine. */
const LEASE_MS = 12_000;
/** For tests that wait until a request is aborted. */
const SHORT_LEASE_MS = 6_000;
/** A request without a response within a fifth of the lease is aborted. */
const REQUEST_LIMIT_MS = LEASE_MS / 5;

async function openThroughProxy(
  testStore: TestStore,
  leaseClock?: LeaseClock,
): Promise<{ proxy: TcpProxy; store: StoredTasks }> {
  const proxy = await TcpProxy.open(testStore.url);
  const { scheme, log, clock } = testStore;
  const parts = { specs: kindSpecs, log, clock, leaseMs: LEASE_MS, leaseClock };
  const store = await openStore({ url: proxy.url, scheme }, parts);
  return { proxy, store };
}

const outcomes = async (...operations: Promise<unknown>[]) =>
  (await Promise.allSettled(operations)).map((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof StoreError ? outcome.reason.kind : outcome,
  );

/** All operations of a bot on its store. */
const allOperations = (store: StoredTasks, id: string): Promise<unknown>[] => [
  store.put(makeTask()),
  store.put(settled(makeTask())),
  store.get(id),
  store.live(),
  store.page({ of: { memberId: 'ann' }, max: 5 }),
  store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START }),
  store.entries.openSince(),
];

const logCount = ({ logged }: TestStore, text: string): number => logged.filter((line) => line.includes(text)).length;

describe('A lost connection to the store', () =>
  onServers((createTestStore) => {
    it('After the connection to the store is lost, every request fails without reporting rows as missing, and requests work again when it is back', async () => {
      const testStore = await createTestStore();
      const { proxy, store } = await openThroughProxy(testStore);
      const task = makeTask();
      await store.put(task);
      proxy.disconnect();
      const operations = allOperations(store, task.id);
      expect(await outcomes(...operations)).toEqual(operations.map(() => 'unreachable'));
      expect(store.ownership.trouble()).toMatchObject({ since: testStore.clock.now() });
      expect(logCount(testStore, 'cannot be reached')).toBe(1);
      proxy.restore();
      await expect.poll(() => store.put(settled(task))).toBeUndefined();
      expect(store.ownership.trouble()).toBeUndefined();
      expect([logCount(testStore, 'cannot be reached'), logCount(testStore, 'responds again')]).toEqual([1, 1]);
      expect(await testStore.keys('finished')).toContain(task.id);
      await Promise.all(allOperations(store, task.id));
      store.ownership.assertOwned();
      await store.close();
    });

    it('When the connection to the store falls silent, every request fails within its time limit, and none hangs', async () => {
      const testStore = await createTestStore();
      const { proxy, store } = await openThroughProxy(testStore);
      const task = makeTask();
      await store.put(task);
      proxy.silence();
      const start = performance.now();
      const operations = [store.put({ ...task, polls: 7 }), store.get(task.id)];
      expect(await outcomes(...operations)).toEqual(operations.map(() => 'unreachable'));
      // A put is several requests, of which the first one fails.
      expect(performance.now() - start).toBeLessThan(2 * REQUEST_LIMIT_MS);
      proxy.restore();
      await expect.poll(() => store.put(settled(task))).toBeUndefined();
      // An aborted request does not arrive after a later one.
      expect((await store.get(task.id))?.state).toBe('delivered');
      store.ownership.assertOwned();
      await store.close();
    });

    it('A write whose outcome is unknown is not carried out after a later one, however late it reaches the server', async () => {
      const testStore = await createTestStore();
      const { url, scheme, log, clock } = testStore;
      const proxy = await TcpProxy.open(url);
      const { backend, close } = await openBackend(
        { url: proxy.url, scheme },
        // Without renewals, which might use one of the connections.
        { log, clock, leaseMs: SHORT_LEASE_MS, leaseClock: new SuspendedClock() },
      );
      onTestFinished(close);
      const rows = backend.adapter('live');
      await Promise.all([rows.set('kept', 'first'), rows.set('removed', 'first')]);

      proxy.holdBack();
      const writes = [rows.set('removed', 'late'), rows.set('kept', 'late')];
      expect(await outcomes(...writes)).toEqual(['unreachable', 'unreachable']);
      proxy.cutHeldClients();
      await expect.poll(() => rows.delete('removed')).toEqual(expect.anything());
      await rows.set('kept', 'second');
      await proxy.deliverLate();
      expect((await testStore.rows('live')).map(({ key, text }) => [key, text])).toEqual([['kept', 'second']]);
    });

    it('When the connection to the store does not come back in time, the lease of the store ends', async () => {
      const testStore = await createTestStore();
      const clock = new ManualClock();
      const { proxy, store } = await openThroughProxy(testStore, manualLeaseClock(clock));
      proxy.disconnect();
      let isLost = false;
      const lost = store.ownership.lost.finally(() => {
        isLost = true;
      });
      const waitALittle = (): boolean => {
        clock.advance(LEASE_MS / 20);
        return isLost;
      };
      await expect.poll(waitALittle).toBe(true);
      const error = await lost;
      expect(error.message).toContain('was not renewed in time');
      expect(error.message).not.toContain(new URL(testStore.url).password);
      proxy.restore();
      expect(() => store.ownership.assertOwned()).toThrow(error);
      await store.close();
    });
  }));
