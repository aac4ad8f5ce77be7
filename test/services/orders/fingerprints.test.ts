import { describe, expect, it, vi } from 'vitest';
import { type Fingerprint, joinFingerprints, MAX_DIFFERENT_BITS } from '../../../src/services/media/fingerprint.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import { FingerprintIndex } from '../../../src/services/orders/fingerprint-index.ts';
import { createFingerprints, type Fingerprints } from '../../../src/services/orders/fingerprints.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { onEveryStore, type TestStore } from '../store/sites.ts';
import { makeTask, START, settled } from '../store/store-fixture.ts';

const hashOf = (character: string): string => character.repeat(64);
const likeness = 'f0f0f0f0f0f0f0f0';

/** The likeness with this many bits flipped. */
const withFlippedBits = (bits: number): string =>
  Array.from({ length: bits }, (_, number) => 1n << BigInt(number * 9))
    .reduce((value, bit) => value ^ bit, BigInt(`0x${likeness}`))
    .toString(16)
    .padStart(16, '0');

async function openFingerprints(testStore: TestStore, maxFiles?: number) {
  const store = await testStore.open();
  const book = new TaskBook(store, testStore.log);
  await book.open();
  return { store, book, fingerprints: createFingerprints(book, store.fingerprints, maxFiles) };
}

const idsOf = (found: { tasks: readonly Task[] } | undefined): string[] | undefined => found?.tasks.map(({ id }) => id);

describe('A delivered file', () =>
  onEveryStore((createTestStore) => {
    it('A delivered file is on the disk before it is shown, unless a power cut would repeat its delivery', async () => {
      const { store, book, fingerprints } = await openFingerprints(await createTestStore());
      const put = vi.spyOn(store, 'put');
      const task = { ...makeTask(), state: 'ready' as const };
      await book.add(task);
      await fingerprints.record(task.id, [{ hash: hashOf('a'), likeness }]);
      await book.change(task.id, (one) => markDelivered(one, undefined, START));
      await fingerprints.record(task.id, [{ hash: hashOf('b'), likeness }]);
      expect(put.mock.calls.map(([, isRepeatable]) => isRepeatable)).toEqual([undefined, true, undefined, false]);
    });

    it('A delivered file is recognized by its bytes or its appearance, whether its task is live or settled, and after a restart', async () => {
      const testStore = await createTestStore();
      const { store, book, fingerprints } = await openFingerprints(testStore);
      const task = { ...makeTask(), state: 'ready' as const };
      await book.add(task);
      expect(await fingerprints.recognise({ hash: hashOf('a') })).toBeUndefined();
      await fingerprints.record(task.id, [{ hash: hashOf('a'), likeness }]);
      const checkAll = async (current: Fingerprints) => {
        const exactMatch = await current.recognise({ hash: hashOf('a') });
        expect([exactMatch?.how, idsOf(exactMatch)]).toEqual(['same', [task.id]]);
        const similarMatch = await current.recognise({
          hash: hashOf('b'),
          likeness: withFlippedBits(MAX_DIFFERENT_BITS),
        });
        expect([similarMatch?.how, idsOf(similarMatch)]).toEqual(['alike', [task.id]]);
        expect(
          await current.recognise({ hash: hashOf('b'), likeness: withFlippedBits(MAX_DIFFERENT_BITS + 1) }),
        ).toBeUndefined();
        expect(await current.recognise({ hash: hashOf('b') })).toBeUndefined();
      };
      await checkAll(fingerprints);
      await store.close();
      // The task is still live, as after a crash between storing and delivering.
      const second = await openFingerprints(testStore);
      await checkAll(second.fingerprints);
      await second.book.change(task.id, (storedTask) => markDelivered(storedTask, undefined, START));
      await checkAll(second.fingerprints);
      await second.store.close();
      await checkAll((await openFingerprints(testStore)).fingerprints);
    });

    it('A delivered file is no longer recognized after its task was removed, and a hash that only starts with the same characters does not match', async () => {
      const testStore = await createTestStore();
      const { book, fingerprints } = await openFingerprints(testStore);
      const [first, second] = [settled(makeTask()), settled(makeTask())];
      for (const task of [first, second]) {
        await book.add(task);
        await fingerprints.record(task.id, [{ hash: hashOf('a'), likeness }]);
      }
      expect(idsOf(await fingerprints.recognise({ hash: hashOf('a') }))).toHaveLength(2);
      expect(await fingerprints.recognise({ hash: `${'a'.repeat(63)}b` })).toBeUndefined();
      await book.remove(first.id);
      expect(idsOf(await fingerprints.recognise({ hash: hashOf('a') }))).toEqual([second.id]);
      expect(await testStore.keys('fingerprints')).toEqual([second.id]);
      await book.change(second.id, (task) => ({ ...task, unwanted: true as const }));
      expect(await fingerprints.recognise({ hash: hashOf('b'), likeness })).toBeUndefined();
      // This happens if a result is shown after its task was erased.
      await fingerprints.record(first.id, [{ hash: hashOf('a') }]);
      expect(await testStore.keys('fingerprints')).toEqual([second.id]);
    });

    it('A file that is delivered again takes no further place in the index, so it displaces no other', async () => {
      // A full index drops a quarter of its files.
      const { book, fingerprints } = await openFingerprints(await createTestStore(), 4);
      const [old, again] = [settled(makeTask()), settled(makeTask())];
      for (const task of [old, again]) await book.add(task);
      expect(await fingerprints.recognise({ hash: hashOf('a') })).toBeUndefined();
      await fingerprints.record(old.id, [{ hash: hashOf('a') }]);
      for (let delivery = 0; delivery < 10; delivery++) await fingerprints.record(again.id, [{ hash: hashOf('b') }]);
      expect(idsOf(await fingerprints.recognise({ hash: hashOf('a') }))).toEqual([old.id]);
    });

    it('A stored fingerprint that cannot be read does not hide the others', async () => {
      const testStore = await createTestStore();
      const first = await openFingerprints(testStore);
      const task = settled(makeTask());
      await first.book.add(task);
      await first.fingerprints.record(task.id, [{ hash: hashOf('a') }]);
      await first.store.close();
      await testStore.write({ namespace: 'fingerprints', key: 'rubbish', text: 'rubbish' });
      const { fingerprints } = await openFingerprints(testStore);
      expect(idsOf(await fingerprints.recognise({ hash: hashOf('a') }))).toEqual([task.id]);
    });
  }));

describe('The fingerprints of a task', () => {
  it('The fingerprints of a task are stored without duplicates, completed with a perceptual hash that is computed later, and limited to the latest fifty', () => {
    const fingerprint = { hash: hashOf('a') };
    expect(joinFingerprints([fingerprint], [fingerprint])).toBeUndefined();
    expect(joinFingerprints([fingerprint], [{ ...fingerprint, likeness }])).toEqual([{ ...fingerprint, likeness }]);
    expect(joinFingerprints([{ ...fingerprint, likeness }], [fingerprint])).toBeUndefined();
    const fingerprints = Array.from({ length: 60 }, (_, number): Fingerprint => ({ hash: String(number) }));
    expect(joinFingerprints([fingerprint], fingerprints)).toEqual(fingerprints.slice(-50));
  });
});

describe('The index of fingerprints', () => {
  const hex = (value: number, length: number): string =>
    value
      .toString(16)
      .padStart(8, '0')
      .repeat(length / 8);

  it('The index of fingerprints returns the most similar tasks first, and each task once', () => {
    const index = new FingerprintIndex();
    index.add('far', [{ hash: hashOf('1'), likeness: withFlippedBits(4) }]);
    index.add('near', [
      { hash: hashOf('2'), likeness: withFlippedBits(2) },
      { hash: hashOf('3'), likeness },
    ]);
    index.add('other', [{ hash: hashOf('4'), likeness: '0000000000000000' }, { hash: hashOf('5') }]);
    expect(index.findSimilar(likeness, 9)).toEqual(['near', 'far']);
    expect(index.findSimilar(likeness, 1)).toEqual(['near']);
    expect(index.findByHash(hashOf('5'), 9)).toEqual(['other']);
  });

  it('The index of fingerprints drops the oldest files when it is full, and the files of removed tasks', () => {
    const index = new FingerprintIndex(2_000);
    for (let number = 0; number < 5_000; number++)
      index.add(`t${number}`, [{ hash: hex(number, 64), likeness: hex(number, 16) }]);
    expect(index.size).toBeLessThanOrEqual(2_000);
    expect([index.findByHash(hex(0, 64), 1), index.findByHash(hex(4_999, 64), 1)]).toEqual([[], ['t4999']]);
    index.remove('t4999');
    expect(index.findByHash(hex(4_999, 64), 1)).toEqual([]);
    expect(index.findByHash(hex(4_998, 64), 1)).toEqual(['t4998']);
  });

  it('A search among a million files in the index of fingerprints takes less than a tenth of a second', {
    tags: ['breadth'],
  }, () => {
    const index = new FingerprintIndex();
    for (let number = 0; number < 1_000_000; number++)
      index.add(`t${number >> 2}`, [
        { hash: hex(number, 64), likeness: hex(Math.imul(number, 0x9e37_79b1) >>> 0, 16) },
      ]);
    const fastestMs = (work: () => unknown): number => {
      const times = Array.from({ length: 5 }, () => {
        const start = cpuMs();
        work();
        return cpuMs() - start;
      });
      return Math.min(...times);
    };
    expect(fastestMs(() => index.findSimilar(likeness, 20))).toBeLessThan(100);
    expect(fastestMs(() => index.findByHash(hex(1, 64), 20))).toBeLessThan(100);
  });
});
