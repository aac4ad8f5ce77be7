import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { openSharedFacts } from '../../../src/services/store/partitions.ts';
import type { SharedFacts } from '../../../src/services/store/shared-facts.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import { TcpProxy } from '../../support/wire.ts';
import { onServers, type TestStore } from './sites.ts';

/** For claims that last longer than a test. */
const LONG_CLAIM_MS = 60_000;
/** For tests that wait until a claim has expired. */
const SHORT_CLAIM_MS = 300;
/** The time limit of a request, long enough on a busy machine. */
const REQUEST_LIMIT_MS = 3_000;

async function open({ scheme, log, clock }: TestStore, url: string): Promise<SharedFacts> {
  const facts = await openSharedFacts({ url, scheme }, { log, clock, limitMs: REQUEST_LIMIT_MS });
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
  onServers((createTestStore) => {
    it('Shared facts give a claim to only one of many processes that request it at the same time', async () => {
      const testStore = await createTestStore();
      // They also create the table at the same time.
      const processes = await Promise.all(Array.from({ length: 8 }, () => open(testStore, testStore.url)));
      for (let round = 0; round < 20; round++) {
        const claimResults = await Promise.all(
          processes.map((facts, index) => facts.claim(`shard:${round}`, `process ${index}`, LONG_CLAIM_MS)),
        );
        expect(claimResults.filter(Boolean)).toHaveLength(1);
        const holder = `process ${claimResults.indexOf(true)}`;
        expect(await processes[0]?.claims(`shard:${round}`)).toEqual(new Map([[`shard:${round}`, holder]]));
      }
    });

    it('Shared facts keep a claim for its holder, which may renew it, until it is released', async () => {
      const testStore = await createTestStore();
      const facts = await open(testStore, testStore.url);
      expect(await facts.claim('worker:a', 'a', LONG_CLAIM_MS)).toBe(true);
      expect(await facts.claim('worker:a', 'a', LONG_CLAIM_MS)).toBe(true);
      expect(await facts.claim('worker:a', 'b', LONG_CLAIM_MS)).toBe(false);
      await facts.release('worker:a', 'b');
      expect(await facts.claim('worker:a', 'b', LONG_CLAIM_MS)).toBe(false);
      await facts.release('worker:a', 'a');
      expect(await facts.claim('worker:a', 'b', LONG_CLAIM_MS)).toBe(true);
    });

    it('Shared facts let only one of many processes that have read a note replace it', async () => {
      const testStore = await createTestStore();
      const processes = await Promise.all(Array.from({ length: 8 }, () => open(testStore, testStore.url)));
      const replaceAll = (previousText: string | undefined, round: number) =>
        Promise.all(processes.map((facts, index) => facts.replace('use', previousText, `${round} by ${index}`)));
      let text: string | undefined;
      for (let round = 0; round < 20; round++) {
        const replaceResults = await replaceAll(text, round);
        expect(replaceResults.filter(Boolean)).toHaveLength(1);
        text = `${round} by ${replaceResults.indexOf(true)}`;
        expect(await processes[0]?.read('use')).toBe(text);
      }
      expect(await replaceAll(undefined, 20)).not.toContain(true);
    });

    it('Shared facts end a claim that its holder does not renew, and only that one', async () => {
      const testStore = await createTestStore();
      const facts = await open(testStore, testStore.url);
      await facts.claim('worker:a', 'a', SHORT_CLAIM_MS);
      await facts.claim('worker:b', 'b', SHORT_CLAIM_MS);
      await facts.claim('worker:b', 'b', LONG_CLAIM_MS);
      await expect.poll(() => facts.claims('worker:')).toEqual(new Map([['worker:b', 'b']]));
      expect(await facts.write('session:a', 'late', { claim: 'worker:a', holder: 'a' })).toBe(false);
      expect(await facts.claim('worker:a', 'c', LONG_CLAIM_MS)).toBe(true);
      expect(await facts.claim('worker:a', 'a', LONG_CLAIM_MS)).toBe(false);
    });

    it('Shared facts let a claim be taken over from the holder that is named as ended, and from no other', async () => {
      const testStore = await createTestStore();
      const facts = await open(testStore, testStore.url);
      await facts.claim('shard:1', 'ended', LONG_CLAIM_MS);
      await facts.claim('shard:2', 'alive', LONG_CLAIM_MS);
      expect(await facts.claim('shard:1', 'next', LONG_CLAIM_MS, 'ended')).toBe(true);
      expect(await facts.claim('shard:2', 'next', LONG_CLAIM_MS, 'ended')).toBe(false);
      expect(await facts.claim('shard:1', 'ended', LONG_CLAIM_MS)).toBe(false);
    });

    it('Shared facts list entries that were added since a given time, in order, and drop them when they expire', async () => {
      const testStore = await createTestStore();
      const [facts, other] = [await open(testStore, testStore.url), await open(testStore, testStore.url)];
      expect(await facts.addedSince('threads', 0)).toMatchObject({ entries: [] });
      await facts.add('threads', 'one', SHORT_CLAIM_MS);
      await other.add('threads', 'two', LONG_CLAIM_MS);
      const { at: secondAt } = await other.addedSince('threads', 0);
      // Entries that are added in the same millisecond have no order.
      await expect.poll(async () => (await other.addedSince('threads', 0)).at).toBeGreaterThan(secondAt);
      await facts.add('threads', 'three', LONG_CLAIM_MS);
      await facts.claim('worker:a', 'a', LONG_CLAIM_MS);
      const { entries, at } = await other.addedSince('threads', 0);
      expect(entries.filter((entry) => entry !== 'one')).toEqual(['two', 'three']);
      await expect.poll(async () => (await other.addedSince('threads', at)).at).toBeGreaterThan(at);
      const laterReading = await other.addedSince('threads', at);
      await other.add('threads', 'two', LONG_CLAIM_MS);
      expect((await facts.addedSince('threads', laterReading.at)).entries).toEqual(['two']);
      expect(await facts.addedSince('others', 0)).toMatchObject({ entries: [] });
      const entriesAfterAdding = async () => {
        await facts.add('threads', 'three', SHORT_CLAIM_MS);
        return (await facts.addedSince('threads', 0)).entries;
      };
      await expect.poll(entriesAfterAdding).not.toContain('one');
    });

    it('Shared facts write a note only for the holder of its claim, and keep it beyond the claim', async () => {
      const testStore = await createTestStore();
      const facts = await open(testStore, testStore.url);
      const ownClaim = { claim: 'shard:1', holder: 'a' };
      expect(await facts.read('session:1')).toBeUndefined();
      expect(await facts.write('session:1', 'first', ownClaim)).toBe(false);
      expect(await facts.read('session:1')).toBeUndefined();
      await facts.claim('shard:1', 'a', LONG_CLAIM_MS);
      expect(await facts.write('session:1', 'first', ownClaim)).toBe(true);
      expect(await facts.write('session:1', 'second', ownClaim)).toBe(true);
      expect(await facts.write('session:1', 'other', { claim: 'shard:1', holder: 'b' })).toBe(false);
      await facts.release('shard:1', 'a');
      expect(await facts.write('session:1', 'late', ownClaim)).toBe(false);
      expect(await (await open(testStore, testStore.url)).read('session:1')).toBe('second');
    });

    it('Shared facts list the claims whose names have a given prefix, whatever characters it contains', async () => {
      const testStore = await createTestStore();
      const facts = await open(testStore, testStore.url);
      const names = ['worker:a', 'worker:*', 'worker:%_', 'worker:\u{1F98A}', 'worke:x', 'workers'];
      for (const name of names) await facts.claim(name, `holder of ${name}`, LONG_CLAIM_MS);
      const listed = await facts.claims('worker:');
      expect([...listed.keys()].sort()).toEqual(names.slice(0, 4).sort());
      for (const [name, holder] of listed) expect(holder).toBe(`holder of ${name}`);
      expect((await facts.claims('')).size).toBe(names.length);
      expect(await facts.claims('nothing')).toEqual(new Map());
    });

    it('Shared facts add no row to the store on the same server', async () => {
      const testStore = await createTestStore();
      const store = await testStore.open({ leaseMs: LONG_CLAIM_MS });
      const rowsBefore = await testStore.rows();
      const facts = await open(testStore, testStore.url);
      await facts.claim('shard:1', 'a', LONG_CLAIM_MS);
      await facts.write('session:1', 'text', { claim: 'shard:1', holder: 'a' });
      expect(await testStore.rows()).toEqual(rowsBefore);
      await store.close();
    });

    it('Shared facts fail with a store error while the server does not respond, and work when it is back', async () => {
      const testStore = await createTestStore();
      const proxy = await TcpProxy.open(testStore.url);
      const facts = await open(testStore, proxy.url);
      await facts.claim('worker:a', 'a', LONG_CLAIM_MS);
      const allOperations = () =>
        Promise.all(
          [
            facts.claim('worker:a', 'a', LONG_CLAIM_MS),
            facts.release('worker:b', 'a'),
            facts.claims('worker:'),
            facts.read('session:1'),
            facts.write('session:1', 'text', { claim: 'worker:a', holder: 'a' }),
          ].map(kindOf),
        );
      proxy.disconnect();
      expect(await allOperations()).toEqual(Array(5).fill('unreachable'));
      proxy.restore();
      await expect.poll(() => facts.claims('worker:')).toEqual(new Map([['worker:a', 'a']]));
      proxy.silence();
      const startedAt = performance.now();
      expect(await allOperations()).toEqual(Array(5).fill('unreachable'));
      expect(performance.now() - startedAt).toBeLessThan(2 * REQUEST_LIMIT_MS);
      proxy.restore();
      await facts.close();
      expect(await allOperations()).toEqual(Array(5).fill('failed'));
    });

    it('Shared facts fail to open if the server does not respond', async () => {
      const { scheme, log, clock, url } = await createTestStore();
      const unreachableUrl = new URL(url);
      unreachableUrl.port = '1';
      expect(
        await kindOf(openSharedFacts({ url: unreachableUrl.href, scheme }, { log, clock, limitMs: REQUEST_LIMIT_MS })),
      ).toBe('unreachable');
    });
  }));

describe('Shared facts on a file', () => {
  it('Shared facts are refused for a file, which only one process can use', async () => {
    const address = { url: 'sqlite://:memory:', scheme: 'sqlite' };
    const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
    expect(await kindOf(openSharedFacts(address, { log, clock: systemClock, limitMs: REQUEST_LIMIT_MS }))).toBe(
      'unsupported',
    );
  });
});
