import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { openStore, StoreError } from '../../../src/services/store/index.ts';
import { type LeaseClock, leaseClock } from '../../../src/services/store/lease.ts';
import { child, holdsStore, modules } from './child.ts';
import { onServers, type Site } from './sites.ts';
import { makeTask, settled } from './stage.ts';
import { Standing } from './standing.ts';

/** A test waits until a lease has expired, and a busy server has only a fifth of it for each request. */
const LEASE_MS = 5_000;
/**
 * For tests that await the next renewal: a server has a fifth of it for each request, and a busy machine may need most
 * of a second.
 */
const MEDIUM_MS = 6_000;
/** For tests that do not wait for its end. */
const LONG_MS = 20_000;

const refused = async (work: Promise<unknown>): Promise<StoreError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
};

const open = (site: Site, clock?: LeaseClock) => site.open({ leaseMs: LEASE_MS, ...(clock && { leaseClock: clock }) });

/** A second bot that must be refused. Nothing waits for its lease, so its requests may take as long as they need on a busy machine. */
const openRival = (site: Site) => site.open({ leaseMs: LONG_MS });

describe('The lease of a store', () =>
  onServers((stage) => {
    it('The lease of a store keeps a second bot out while the first runs, and lets it in as soon as the first has stopped', async () => {
      const site = await stage();
      const first = await open(site);
      const error = await refused(openRival(site));
      expect(error.kind).toBe('in-use');
      expect(error.message).toContain('Another Atelier is using the store');
      expect(error.message).not.toContain(new URL(site.url).password);
      await first.put(makeTask());
      await first.close();
      expect(await (await open(site)).live()).toHaveLength(1);
    });

    it.skipIf(process.platform !== 'linux')(
      'The lease of a store passes at once from a bot that was killed on this machine (needs /proc)',
      async () => {
        const site = await stage();
        const task = makeTask();
        const killed = await child(holdsStore, site.url, ...modules, JSON.stringify(task));
        expect((await refused(openRival(site))).kind).toBe('in-use');
        await killed.kill();
        // Anything that waits would wait forever on this clock.
        const next = await site.open({ leaseMs: LONG_MS, leaseClock: new Standing() });
        expect(await next.live()).toHaveLength(1);
      },
    );

    it('The lease of a store lasts as long as it is renewed', async () => {
      const site = await stage();
      const store = await open(site);
      // Twice its duration, by the server's clock.
      await pause(2 * LEASE_MS);
      store.ownership.mustBeOurs();
      await store.put(makeTask());
      expect((await refused(openRival(site))).kind).toBe('in-use');
    });

    it('The lease of a store passes to another bot when its holder was suspended for too long, and the old holder writes nothing more', async () => {
      const site = await stage();
      const clock = new Standing();
      const first = await open(site, clock);
      const task = makeTask();
      await first.put(task);
      const second = await open(site);
      await second.put(settled(task));
      const before = await site.rows();

      clock.wake(LEASE_MS);
      expect(() => first.ownership.mustBeOurs()).toThrow(StoreError);
      expect((await first.ownership.lost).message).toContain('another Atelier may be using the store');
      const works = [
        first.put(makeTask()),
        first.remove(task),
        first.addDuration('x', { atLeastMs: 1, atMostMs: 2, at: 3 }),
      ];
      for (const error of await Promise.all(works.map(refused))) expect(error.kind).toBe('lost');
      expect(await site.rows()).toEqual(before);
      // Nor does it release a lease that it no longer holds.
      await first.close();
      second.ownership.mustBeOurs();
      expect((await refused(openRival(site))).kind).toBe('in-use');
    });

    it('The lease of a store is checked by the server with every write, so that a bot suspended after its own check changes nothing', async () => {
      const site = await stage();
      // By this clock the lease is still valid, whatever is stored on the server.
      const first = await open(site, new Standing());
      const task = makeTask();
      await first.put(task);
      await first.addDuration('x', { atLeastMs: 1, atMostMs: 2, at: 3 });
      const second = await open(site);
      await second.put(settled(task));
      const before = await site.rows();

      first.ownership.mustBeOurs();
      const works = [
        first.put({ ...task, remoteId: 'late' }),
        first.put(makeTask()),
        first.remove(task),
        first.addDuration('x', { atLeastMs: 4, atMostMs: 5, at: 6 }),
      ];
      for (const error of await Promise.all(works.map(refused))) expect(error.kind).toBe('lost');
      expect(await site.rows()).toEqual(before);
      expect((await first.ownership.lost).message).toContain('was taken over or deleted');
      expect(() => first.ownership.mustBeOurs()).toThrow(StoreError);
      second.ownership.mustBeOurs();
    });

    it('The lease of a store ends for its holder well before another bot can get it', async () => {
      const site = await stage();
      const clock = new Standing();
      const store = await site.open({ leaseMs: LONG_MS, leaseClock: clock });
      clock.wake(0.79 * LONG_MS);
      await store.put(makeTask());
      clock.wake(0.02 * LONG_MS);
      expect((await refused(store.put(makeTask()))).kind).toBe('lost');
    });

    it('The lease of a store is not trusted if the wall clock has advanced while the steady clock stood still', async () => {
      const site = await stage();
      let asleepMs = 0;
      const suspended: LeaseClock = {
        now: () => leaseClock.now().map((now, at) => (at === 1 ? now + asleepMs : now)),
        after: leaseClock.after,
      };
      const store = await site.open({ leaseMs: LONG_MS, leaseClock: suspended });
      await store.put(makeTask());
      asleepMs = LONG_MS;
      expect((await refused(store.put(makeTask()))).kind).toBe('lost');
    });

    it('The lease of a store is lost at once if the server gives it to another bot', async () => {
      const site = await stage();
      const store = await site.open({ leaseMs: MEDIUM_MS });
      await site.forgetLease();
      const second = await site.open({ leaseMs: MEDIUM_MS });
      expect((await store.ownership.lost).kind).toBe('lost');
      expect((await refused(store.put(makeTask()))).kind).toBe('lost');
      await second.put(makeTask());
    });

    it('The lease of a store has a number that is never used twice', async () => {
      const site = await stage();
      for (let time = 0; time < 3; time++) await (await site.open({ leaseMs: LONG_MS })).close();
      expect(await site.leaseNumber()).toBe(3);
    });

    it('The lease of a store is refused for a wrong host, password or database name, without showing the password', async () => {
      const site = await stage();
      const wrong = new URL(site.url);
      wrong.password = 'a-wrong-password';
      const unreachable = new URL(site.url);
      unreachable.port = '1';
      for (const [url, kind] of [
        [wrong, 'denied'],
        [unreachable, 'unreachable'],
      ] as const) {
        const error = await refused(
          openStore({ url: url.href, scheme: site.scheme }, { specs: kindSpecs, log: site.log, clock: site.clock }),
        );
        expect(error.kind).toBe(kind);
        expect(`${error.message} ${site.logged.join()}`).not.toContain(url.password);
      }
    });
  }));
