import { describe, expect, it, vi } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { openStore, StoreError } from '../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { Wire } from '../../support/wire.ts';
import { onServers, type Site } from './sites.ts';
import { makeTask, START, settled } from './stage.ts';

/** The lease. A fifth of it must be enough for a request on a busy machine. */
const LEASE_MS = 12_000;
/** A request without a response within a fifth of the lease is aborted. */
const LIMIT_MS = LEASE_MS / 5;

async function wired(site: Site): Promise<{ wire: Wire; store: StoredTasks }> {
  const wire = await Wire.to(site.url);
  const { scheme, log, clock } = site;
  const store = await openStore({ url: wire.url, scheme }, { specs: kindSpecs, log, clock, leaseMs: LEASE_MS });
  return { wire, store };
}

const outcomes = async (...works: Promise<unknown>[]) =>
  (await Promise.allSettled(works)).map((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof StoreError ? outcome.reason.kind : outcome,
  );

/** All operations of a bot on its store. */
const everything = (store: StoredTasks, id: string): Promise<unknown>[] => [
  store.put(makeTask()),
  store.put(settled(makeTask())),
  store.get(id),
  store.live(),
  store.page({ of: { memberId: 'ann' }, max: 5 }),
  store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START }),
  store.entries.openSince(),
];

const logCount = ({ logged }: Site, text: string): number => logged.filter((line) => line.includes(text)).length;

describe('A lost connection to the store', () =>
  onServers((stage) => {
    it('After the connection to the store is lost, every request fails without reporting rows as missing, and requests work again when it is back', async () => {
      const site = await stage();
      const { wire, store } = await wired(site);
      const task = makeTask();
      await store.put(task);
      wire.cut();
      const works = everything(store, task.id);
      expect(await outcomes(...works)).toEqual(works.map(() => 'unreachable'));
      expect(store.ownership.trouble()).toMatchObject({ since: site.clock.now() });
      expect(logCount(site, 'cannot be reached')).toBe(1);
      wire.mend();
      await vi.waitFor(() => store.put(settled(task)), { timeout: LEASE_MS });
      expect(store.ownership.trouble()).toBeUndefined();
      expect([logCount(site, 'cannot be reached'), logCount(site, 'responds again')]).toEqual([1, 1]);
      expect(await site.keys('finished')).toContain(task.id);
      await Promise.all(everything(store, task.id));
      store.ownership.mustBeOurs();
      await store.close();
    });

    it('When the connection to the store falls silent, every request fails within its time limit, and none hangs', async () => {
      const site = await stage();
      const { wire, store } = await wired(site);
      const task = makeTask();
      await store.put(task);
      wire.silence();
      const start = performance.now();
      const works = [store.put({ ...task, polls: 7 }), store.get(task.id)];
      expect(await outcomes(...works)).toEqual(works.map(() => 'unreachable'));
      // A put is several requests, of which the first one fails.
      expect(performance.now() - start).toBeLessThan(2 * LIMIT_MS);
      wire.mend();
      await vi.waitFor(() => store.put(settled(task)), { timeout: LEASE_MS });
      // An aborted request does not arrive after a later one.
      expect((await store.get(task.id))?.state).toBe('delivered');
      store.ownership.mustBeOurs();
      await store.close();
    });

    it('When the connection to the store does not come back in time, the lease of the store ends', async () => {
      const site = await stage();
      const { wire, store } = await wired(site);
      wire.cut();
      const error = await store.ownership.lost;
      expect(error.message).toContain('was not renewed in time');
      expect(error.message).not.toContain(new URL(site.url).password);
      wire.mend();
      expect(() => store.ownership.mustBeOurs()).toThrow(error);
      await store.close();
    });
  }));
