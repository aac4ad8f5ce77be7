import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { openLog } from '../../../src/lib/log.ts';
import { StoreError } from '../../../src/services/store/index.ts';
import { openSharedFacts, type SharedFacts } from '../../../src/services/store/remote/shared-facts.ts';
import { Wire } from '../../support/wire.ts';
import { onServers, type Site } from './sites.ts';

/** For claims that last longer than a test. */
const LONG_MS = 60_000;
/** For claims whose end a test waits for. */
const SHORT_MS = 300;
/** The time limit of a request, long enough on a busy machine. */
const LIMIT_MS = 3_000;

async function open({ scheme, log, clock }: Site, url: string): Promise<SharedFacts> {
  const facts = await openSharedFacts({ url, scheme }, { log, clock, limitMs: LIMIT_MS });
  onTestFinished(() => facts.close());
  return facts;
}

const kindOf = async (work: Promise<unknown>): Promise<unknown> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof StoreError ? error.kind : error;
};

describe('Shared facts', () =>
  onServers((stage) => {
    it('Shared facts give a claim to only one of many processes that request it at once', async () => {
      const site = await stage();
      // They also create the table at the same time.
      const processes = await Promise.all(Array.from({ length: 8 }, () => open(site, site.url)));
      for (let round = 0; round < 20; round++) {
        const got = await Promise.all(
          processes.map((facts, at) => facts.claim(`shard:${round}`, `process ${at}`, LONG_MS)),
        );
        expect(got.filter(Boolean)).toHaveLength(1);
        const holder = `process ${got.indexOf(true)}`;
        expect(await processes[0]?.claims(`shard:${round}`)).toEqual(new Map([[`shard:${round}`, holder]]));
      }
    });

    it('Shared facts keep a claim for its holder, which may renew it, until it is released', async () => {
      const site = await stage();
      const facts = await open(site, site.url);
      expect(await facts.claim('worker:a', 'a', LONG_MS)).toBe(true);
      expect(await facts.claim('worker:a', 'a', LONG_MS)).toBe(true);
      expect(await facts.claim('worker:a', 'b', LONG_MS)).toBe(false);
      await facts.release('worker:a', 'b');
      expect(await facts.claim('worker:a', 'b', LONG_MS)).toBe(false);
      await facts.release('worker:a', 'a');
      expect(await facts.claim('worker:a', 'b', LONG_MS)).toBe(true);
    });

    it('Shared facts let only one of many processes that have read a note replace it', async () => {
      const site = await stage();
      const processes = await Promise.all(Array.from({ length: 8 }, () => open(site, site.url)));
      const replaceAll = (before: string | undefined, round: number) =>
        Promise.all(processes.map((facts, at) => facts.replace('use', before, `${round} by ${at}`)));
      let text: string | undefined;
      for (let round = 0; round < 20; round++) {
        const done = await replaceAll(text, round);
        expect(done.filter(Boolean)).toHaveLength(1);
        text = `${round} by ${done.indexOf(true)}`;
        expect(await processes[0]?.read('use')).toBe(text);
      }
      expect(await replaceAll(undefined, 20)).not.toContain(true);
    });

    it('Shared facts end a claim that its holder does not renew, and only that one', async () => {
      const site = await stage();
      const facts = await open(site, site.url);
      await facts.claim('worker:a', 'a', SHORT_MS);
      await facts.claim('worker:b', 'b', SHORT_MS);
      await facts.claim('worker:b', 'b', LONG_MS);
      await vi.waitFor(async () => expect(await facts.claims('worker:')).toEqual(new Map([['worker:b', 'b']])), {
        timeout: LIMIT_MS,
      });
      expect(await facts.write('session:a', 'late', { claim: 'worker:a', holder: 'a' })).toBe(false);
      expect(await facts.claim('worker:a', 'c', LONG_MS)).toBe(true);
      expect(await facts.claim('worker:a', 'a', LONG_MS)).toBe(false);
    });

    it('Shared facts let a claim be taken from the named holder that has ended, and from no other', async () => {
      const site = await stage();
      const facts = await open(site, site.url);
      await facts.claim('shard:1', 'ended', LONG_MS);
      await facts.claim('shard:2', 'alive', LONG_MS);
      expect(await facts.claim('shard:1', 'next', LONG_MS, 'ended')).toBe(true);
      expect(await facts.claim('shard:2', 'next', LONG_MS, 'ended')).toBe(false);
      expect(await facts.claim('shard:1', 'ended', LONG_MS)).toBe(false);
    });

    it('Shared facts list entries that were added since a given time, in order, and drop them when they expire', async () => {
      const site = await stage();
      const [facts, other] = [await open(site, site.url), await open(site, site.url)];
      expect(await facts.addedSince('threads', 0)).toMatchObject({ entries: [] });
      await facts.add('threads', 'one', SHORT_MS);
      await other.add('threads', 'two', LONG_MS);
      const { at: secondAt } = await other.addedSince('threads', 0);
      // Entries of one millisecond have no order.
      await vi.waitFor(async () => expect((await other.addedSince('threads', 0)).at).toBeGreaterThan(secondAt));
      await facts.add('threads', 'three', LONG_MS);
      await facts.claim('worker:a', 'a', LONG_MS);
      const { entries, at } = await other.addedSince('threads', 0);
      expect(entries.filter((entry) => entry !== 'one')).toEqual(['two', 'three']);
      const later = await vi.waitFor(async () => {
        const reading = await other.addedSince('threads', at);
        expect(reading.at).toBeGreaterThan(at);
        return reading;
      });
      await other.add('threads', 'two', LONG_MS);
      expect((await facts.addedSince('threads', later.at)).entries).toEqual(['two']);
      expect(await facts.addedSince('others', 0)).toMatchObject({ entries: [] });
      await vi.waitFor(
        async () => {
          await facts.add('threads', 'three', SHORT_MS);
          expect((await facts.addedSince('threads', 0)).entries).not.toContain('one');
        },
        { timeout: LIMIT_MS },
      );
    });

    it('Shared facts write a note only for the holder of its claim, and keep it beyond the claim', async () => {
      const site = await stage();
      const facts = await open(site, site.url);
      const held = { claim: 'shard:1', holder: 'a' };
      expect(await facts.read('session:1')).toBeUndefined();
      expect(await facts.write('session:1', 'first', held)).toBe(false);
      expect(await facts.read('session:1')).toBeUndefined();
      await facts.claim('shard:1', 'a', LONG_MS);
      expect(await facts.write('session:1', 'first', held)).toBe(true);
      expect(await facts.write('session:1', 'second', held)).toBe(true);
      expect(await facts.write('session:1', 'other', { claim: 'shard:1', holder: 'b' })).toBe(false);
      await facts.release('shard:1', 'a');
      expect(await facts.write('session:1', 'late', held)).toBe(false);
      expect(await (await open(site, site.url)).read('session:1')).toBe('second');
    });

    it('Shared facts list the claims whose names have a given prefix, whatever characters it contains', async () => {
      const site = await stage();
      const facts = await open(site, site.url);
      const names = ['worker:a', 'worker:*', 'worker:%_', 'worker:\u{1F98A}', 'worke:x', 'workers'];
      for (const name of names) await facts.claim(name, `holder of ${name}`, LONG_MS);
      const listed = await facts.claims('worker:');
      expect([...listed.keys()].sort()).toEqual(names.slice(0, 4).sort());
      for (const [name, holder] of listed) expect(holder).toBe(`holder of ${name}`);
      expect((await facts.claims('')).size).toBe(names.length);
      expect(await facts.claims('nothing')).toEqual(new Map());
    });

    it('Shared facts add no row to the store on the same server', async () => {
      const site = await stage();
      const store = await site.open({ leaseMs: LONG_MS });
      const before = await site.rows();
      const facts = await open(site, site.url);
      await facts.claim('shard:1', 'a', LONG_MS);
      await facts.write('session:1', 'text', { claim: 'shard:1', holder: 'a' });
      expect(await site.rows()).toEqual(before);
      await store.close();
    });

    it('Shared facts fail with a store error while the server does not respond, and work when it is back', async () => {
      const site = await stage();
      const wire = await Wire.to(site.url);
      const facts = await open(site, wire.url);
      await facts.claim('worker:a', 'a', LONG_MS);
      const everything = () =>
        Promise.all(
          [
            facts.claim('worker:a', 'a', LONG_MS),
            facts.release('worker:b', 'a'),
            facts.claims('worker:'),
            facts.read('session:1'),
            facts.write('session:1', 'text', { claim: 'worker:a', holder: 'a' }),
          ].map(kindOf),
        );
      wire.cut();
      expect(await everything()).toEqual(Array(5).fill('unreachable'));
      wire.mend();
      await vi.waitFor(async () => expect(await facts.claims('worker:')).toEqual(new Map([['worker:a', 'a']])), {
        timeout: LIMIT_MS,
      });
      wire.silence();
      const began = performance.now();
      expect(await everything()).toEqual(Array(5).fill('unreachable'));
      expect(performance.now() - began).toBeLessThan(2 * LIMIT_MS);
      wire.mend();
      await facts.close();
      expect(await everything()).toEqual(Array(5).fill('failed'));
    });

    it('Shared facts fail at the start if the server does not respond', async () => {
      const { scheme, log, clock, url } = await stage();
      const away = new URL(url);
      away.port = '1';
      expect(await kindOf(openSharedFacts({ url: away.href, scheme }, { log, clock, limitMs: LIMIT_MS }))).toBe(
        'unreachable',
      );
    });
  }));

describe('Shared facts on a file', () => {
  it('Shared facts are refused for a file, which only one process can use', async () => {
    const address = { url: 'sqlite://:memory:', scheme: 'sqlite' };
    const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
    expect(await kindOf(openSharedFacts(address, { log, clock: systemClock, limitMs: LIMIT_MS }))).toBe('unsupported');
  });
});
