import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { type LeaseClock, leaseClock } from '../../../src/services/store/lease.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { HOLD_STORE_PROGRAM, moduleUrls, startChild } from './child.ts';
import { onServers, type TestStore } from './sites.ts';
import { eagerClock, manualLeaseClock, SuspendedClock } from './standing.ts';
import { makeTask, settled } from './store-fixture.ts';

/** Each request may take only a fifth of the lease, which is enough on a busy machine. */
const LEASE_MS = 20_000;

const storeErrorOf = async (work: Promise<unknown>): Promise<StoreError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
};

const open = (testStore: TestStore, clock: LeaseClock = eagerClock) =>
  testStore.open({ leaseMs: LEASE_MS, leaseClock: clock });

describe('The lease of a store', () =>
  onServers((createTestStore) => {
    it('The lease of a store keeps a second bot out while the first runs, and lets it in as soon as the first has stopped', async () => {
      const testStore = await createTestStore();
      const first = await open(testStore);
      const error = await storeErrorOf(open(testStore));
      expect(error.kind).toBe('in-use');
      expect(error.message).toContain('Another Atelier is using the store');
      expect(error.message).not.toContain(new URL(testStore.url).password);
      await first.put(makeTask());
      await first.close();
      expect(await (await open(testStore)).live()).toHaveLength(1);
    });

    it.skipIf(process.platform !== 'linux')(
      'The lease of a store passes immediately from a bot that was killed on this machine (needs /proc)',
      async () => {
        const testStore = await createTestStore();
        const task = makeTask();
        const child = await startChild(HOLD_STORE_PROGRAM, testStore.url, ...moduleUrls, JSON.stringify(task));
        expect((await storeErrorOf(open(testStore))).kind).toBe('in-use');
        await child.kill();
        // Anything that waits would wait forever on this clock.
        const nextStore = await open(testStore, new SuspendedClock());
        expect(await nextStore.live()).toHaveLength(1);
      },
    );

    it('The lease of a store lasts as long as it is renewed', async () => {
      const testStore = await createTestStore();
      const clock = new ManualClock();
      const store = await open(testStore, manualLeaseClock(clock));
      const workForAWhile = async (): Promise<void> => {
        clock.advance(LEASE_MS / 20);
        await store.put(makeTask());
      };
      await testStore.expireLeaseIn(LEASE_MS / 2);
      const end = clock.now() + 2 * LEASE_MS;
      while (clock.now() < end) await workForAWhile();
      expect(await testStore.leaseLeftMs()).toBeGreaterThan(0.75 * LEASE_MS);
      let isRefused = false;
      const rival = storeErrorOf(open(testStore)).finally(() => {
        isRefused = true;
      });
      while (!isRefused) await workForAWhile();
      expect((await rival).kind).toBe('in-use');
      store.ownership.assertOwned();
    });

    it('The lease of a store passes to another bot when its holder was suspended for too long, and the old holder writes nothing more', async () => {
      const testStore = await createTestStore();
      const clock = new SuspendedClock();
      const first = await open(testStore, clock);
      const task = makeTask();
      await first.put(task);
      // The rest of the lease passes by the server's clock.
      await testStore.expireLeaseIn(1_000);
      const second = await open(testStore);
      await second.put(settled(task));
      const rowsBefore = await testStore.rows();

      clock.wake(LEASE_MS);
      expect(() => first.ownership.assertOwned()).toThrow(StoreError);
      expect((await first.ownership.lost).message).toContain('another Atelier may be using the store');
      const operations = [
        first.put(makeTask()),
        first.remove(task),
        first.addDuration('x', { atLeastMs: 1, atMostMs: 2, at: 3 }),
      ];
      for (const error of await Promise.all(operations.map(storeErrorOf))) expect(error.kind).toBe('lost');
      expect(await testStore.rows()).toEqual(rowsBefore);
      // The first bot must not release a lease that it no longer holds.
      await first.close();
      second.ownership.assertOwned();
      expect((await storeErrorOf(open(testStore))).kind).toBe('in-use');
    });

    it('The lease of a store is checked by the server with every write, so that a bot suspended after its own check changes nothing', async () => {
      const testStore = await createTestStore();
      // By this clock the lease is still valid, whatever is stored on the server.
      const first = await open(testStore, new SuspendedClock());
      const task = makeTask();
      await first.put(task);
      await first.addDuration('x', { atLeastMs: 1, atMostMs: 2, at: 3 });
      await testStore.expireLeaseIn(100);
      const second = await open(testStore);
      await second.put(settled(task));
      const rowsBefore = await testStore.rows();

      first.ownership.assertOwned();
      const operations = [
        first.put({ ...task, remoteId: 'late' }),
        first.put(makeTask()),
        first.remove(task),
        first.addDuration('x', { atLeastMs: 4, atMostMs: 5, at: 6 }),
      ];
      for (const error of await Promise.all(operations.map(storeErrorOf))) expect(error.kind).toBe('lost');
      expect(await testStore.rows()).toEqual(rowsBefore);
      expect((await first.ownership.lost).message).toContain('was taken over or deleted');
      expect(() => first.ownership.assertOwned()).toThrow(StoreError);
      second.ownership.assertOwned();
    });

    it('The lease of a store ends for its holder well before another bot can get it', async () => {
      const testStore = await createTestStore();
      const clock = new SuspendedClock();
      const store = await open(testStore, clock);
      clock.wake(0.79 * LEASE_MS);
      await store.put(makeTask());
      clock.wake(0.02 * LEASE_MS);
      expect((await storeErrorOf(store.put(makeTask()))).kind).toBe('lost');
    });

    it('The lease of a store is not trusted if the wall clock has advanced while the steady clock stood still', async () => {
      const testStore = await createTestStore();
      let sleptMs = 0;
      const clockAfterSleep: LeaseClock = {
        now: () => leaseClock.now().map((now, index) => (index === 1 ? now + sleptMs : now)),
        after: leaseClock.after,
      };
      const store = await open(testStore, clockAfterSleep);
      await store.put(makeTask());
      sleptMs = LEASE_MS;
      expect((await storeErrorOf(store.put(makeTask()))).kind).toBe('lost');
    });

    it('The lease of a store is lost immediately if the server gives it to another bot', async () => {
      const testStore = await createTestStore();
      const store = await open(testStore);
      await testStore.forgetLease();
      const second = await open(testStore);
      expect((await store.ownership.lost).kind).toBe('lost');
      expect((await storeErrorOf(store.put(makeTask()))).kind).toBe('lost');
      await second.put(makeTask());
    });

    it('The lease of a store has a number that is never used twice', async () => {
      const testStore = await createTestStore();
      for (let time = 0; time < 3; time++) await (await open(testStore)).close();
      expect(await testStore.leaseNumber()).toBe(3);
    });

    it('The lease of a store is refused for a wrong host, password or database name, without showing the password', async () => {
      const testStore = await createTestStore();
      const wrongPasswordUrl = new URL(testStore.url);
      wrongPasswordUrl.password = 'a-wrong-password';
      const unreachableUrl = new URL(testStore.url);
      unreachableUrl.port = '1';
      for (const [url, kind] of [
        [wrongPasswordUrl, 'denied'],
        [unreachableUrl, 'unreachable'],
      ] as const) {
        const error = await storeErrorOf(
          openStore(
            { url: url.href, scheme: testStore.scheme },
            { specs: kindSpecs, log: testStore.log, clock: testStore.clock },
          ),
        );
        expect(error.kind).toBe(kind);
        expect(`${error.message} ${testStore.logged.join()}`).not.toContain(url.password);
      }
    });
  }));
