import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import type { LeaseClock } from '../../../src/services/store/lease.ts';
import { onStores, type TestStore } from './sites.ts';
import { makeTask } from './store-fixture.ts';

/** For tests in which no request is aborted. */
const LONG_LEASE_MS = 60_000;
/** For tests that wait until a request is aborted. */
const SHORT_LEASE_MS = 5_000;

async function connect({ url }: TestStore): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Keeps the row of a live task locked, so that a bot's write of it stalls after it has checked the lease. */
async function lockLiveRow(testStore: TestStore, id: string): Promise<{ unlock(): Promise<unknown> }> {
  const client = await connect(testStore);
  await client.query('BEGIN');
  await client.query("INSERT INTO atelier (namespace, key, value) VALUES ('live', $1, '')", [id]);
  return { unlock: () => client.query('ROLLBACK') };
}

const countStatements = async (client: pg.Client, condition: string): Promise<number> => {
  const { rows } = await client.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`,
  );
  return rows[0].count;
};

const untilStalled = (client: pg.Client, table: string): Promise<void> =>
  expect
    .poll(() => countStatements(client, `wait_event_type = 'Lock' AND query ~ 'INSERT INTO ${table} '`))
    .toBeGreaterThan(0);

/** A clock whose timers run when the test says so. */
class TimerClock implements LeaseClock {
  readonly timers: (() => void)[] = [];

  now(): readonly number[] {
    return [0];
  }

  after(_ms: number, task: () => void): () => void {
    this.timers.push(task);
    return () => undefined;
  }
}

describe('The lease of a store in Postgres', () =>
  onStores(['postgres'], (createTestStore) => {
    it('A new task whose write stalls in the server does not reappear after its member has learned that nothing was done', async () => {
      const testStore = await createTestStore();
      const store = await testStore.open({ leaseMs: SHORT_LEASE_MS });
      const book = new TaskBook(store, testStore.log, systemClock);
      const task = makeTask({ state: 'waiting' });
      const lock = await lockLiveRow(testStore, task.id);
      await expect(book.add(task)).rejects.toMatchObject({ kind: 'unreachable' });
      await lock.unlock();
      const observer = await connect(testStore);
      await expect.poll(() => countStatements(observer, "state = 'active' AND query ~ 'written AS'")).toBe(0);
      expect(await testStore.keys('live')).toEqual([]);
      await store.put(task);
    });

    it('The lease is renewed while writes are being carried out', async () => {
      const testStore = await createTestStore();
      const clock = new TimerClock();
      const store = await testStore.open({ leaseMs: LONG_LEASE_MS, leaseClock: clock });
      const task = makeTask();
      const lock = await lockLiveRow(testStore, task.id);
      const put = store.put(task);
      const observer = await connect(testStore);
      await untilStalled(observer, 'atelier');
      for (const renewals of ['1', '2']) {
        clock.timers.shift()?.();
        const read = async () => (await observer.query('SELECT renewals FROM atelier_lease')).rows[0].renewals;
        await expect.poll(read).toBe(renewals);
        await expect.poll(() => clock.timers).toHaveLength(1);
      }
      await lock.unlock();
      await put;
    });

    it('Another bot gets the lease only after the writes that the server has begun', async () => {
      const testStore = await createTestStore();
      const first = await testStore.open({ leaseMs: LONG_LEASE_MS });
      const task = makeTask();
      const lock = await lockLiveRow(testStore, task.id);
      const put = first.put(task).catch((error: unknown) => error);
      const observer = await connect(testStore);
      await untilStalled(observer, 'atelier');
      await testStore.forgetLease();
      const opening = testStore.open({ leaseMs: LONG_LEASE_MS });
      await untilStalled(observer, 'atelier_lease');
      await lock.unlock();
      const second = await opening;
      expect((await second.get(task.id))?.id).toBe(task.id);
      await put;
    });

    it('A statement that began before another bot got the lease, and reaches the lease afterwards, is refused', async () => {
      const testStore = await createTestStore();
      await testStore.open({ leaseMs: LONG_LEASE_MS });
      const suspended = await connect(testStore);
      const { rows } = await suspended.query('SELECT holder FROM atelier_lease');
      await suspended.query('BEGIN');
      // It sees the table as of now, and locks the row when it is fetched.
      const sql = `SELECT 1 FROM atelier_lease WHERE id = 1 AND holder = '${rows[0].holder}' FOR KEY SHARE`;
      await suspended.query(`DECLARE held CURSOR FOR ${sql}`);
      await testStore.forgetLease();
      await testStore.open({ leaseMs: LONG_LEASE_MS });
      expect((await suspended.query('FETCH held')).rows).toEqual([]);
    });
  }));
