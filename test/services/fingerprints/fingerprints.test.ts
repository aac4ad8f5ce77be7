import { describe, expect, it } from 'vitest';
import {
  type Fingerprint,
  joinFingerprints,
  MAX_DIFFERENT_BITS,
} from '../../../src/services/fingerprints/fingerprint.ts';
import { FingerprintIndex } from '../../../src/services/fingerprints/fingerprint-index.ts';
import { Fingerprints } from '../../../src/services/fingerprints/fingerprints.ts';
import { TaskBook } from '../../../src/services/tasks/book.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { onEveryStore, type Site } from '../store/sites.ts';
import { makeTask, START, settled } from '../store/stage.ts';

const hashOf = (letter: string): string => letter.repeat(64);
const likeness = 'f0f0f0f0f0f0f0f0';

/** The same likeness with this many bits flipped. */
const changedBy = (bits: number): string =>
  Array.from({ length: bits }, (_, at) => 1n << BigInt(at * 9))
    .reduce((value, bit) => value ^ bit, BigInt(`0x${likeness}`))
    .toString(16)
    .padStart(16, '0');

async function opened(site: Site) {
  const store = await site.open();
  const book = new TaskBook({ store, log: site.log });
  await book.open();
  return { store, book, fingerprints: new Fingerprints({ book, store: store.fingerprints }) };
}

const idsOf = (found: { tasks: readonly Task[] } | undefined): string[] | undefined => found?.tasks.map(({ id }) => id);

describe('A delivered file', () =>
  onEveryStore((stage) => {
    it('A delivered file is recognized by its bytes or its appearance: live, settled and after a restart', async () => {
      const site = await stage();
      const { store, book, fingerprints } = await opened(site);
      const task = { ...makeTask(), state: 'ready' as const };
      await book.add(task);
      expect(await fingerprints.recognise({ hash: hashOf('a') })).toBeUndefined();
      await fingerprints.record(task.id, [{ hash: hashOf('a'), likeness }]);
      const checkAll = async (by: Fingerprints) => {
        const same = await by.recognise({ hash: hashOf('a') });
        expect([same?.how, idsOf(same)]).toEqual(['same', [task.id]]);
        const alike = await by.recognise({ hash: hashOf('b'), likeness: changedBy(MAX_DIFFERENT_BITS) });
        expect([alike?.how, idsOf(alike)]).toEqual(['alike', [task.id]]);
        expect(await by.recognise({ hash: hashOf('b'), likeness: changedBy(MAX_DIFFERENT_BITS + 1) })).toBeUndefined();
        expect(await by.recognise({ hash: hashOf('b') })).toBeUndefined();
      };
      await checkAll(fingerprints);
      await store.close();
      // As if killed between storing and delivering: the task is still live.
      const second = await opened(site);
      await checkAll(second.fingerprints);
      await second.book.change(task.id, (known) => markDelivered(known, undefined, START));
      await checkAll(second.fingerprints);
      await second.store.close();
      await checkAll((await opened(site)).fingerprints);
    });

    it('A delivered file is forgotten with its task, and a hash that only begins the same does not match', async () => {
      const site = await stage();
      const { book, fingerprints } = await opened(site);
      const [first, second] = [settled(makeTask()), settled(makeTask())];
      for (const task of [first, second]) {
        await book.add(task);
        await fingerprints.record(task.id, [{ hash: hashOf('a'), likeness }]);
      }
      expect(idsOf(await fingerprints.recognise({ hash: hashOf('a') }))).toHaveLength(2);
      expect(await fingerprints.recognise({ hash: `${'a'.repeat(63)}b` })).toBeUndefined();
      await book.remove(first.id);
      expect(idsOf(await fingerprints.recognise({ hash: hashOf('a') }))).toEqual([second.id]);
      expect(await site.keys('fingerprints')).toEqual([second.id]);
      await book.change(second.id, (task) => ({ ...task, unwanted: true as const }));
      expect(await fingerprints.recognise({ hash: hashOf('b'), likeness })).toBeUndefined();
      // As for a result that is shown after its task was erased.
      await fingerprints.record(first.id, [{ hash: hashOf('a') }]);
      expect(await site.keys('fingerprints')).toEqual([second.id]);
    });

    it('A row that cannot be read does not hide the others', async () => {
      const site = await stage();
      const first = await opened(site);
      const task = settled(makeTask());
      await first.book.add(task);
      await first.fingerprints.record(task.id, [{ hash: hashOf('a') }]);
      await first.store.close();
      await site.write({ namespace: 'fingerprints', key: 'rubbish', text: 'rubbish' });
      const { fingerprints } = await opened(site);
      expect(idsOf(await fingerprints.recognise({ hash: hashOf('a') }))).toEqual([task.id]);
    });
  }));

describe('The fingerprints of a task', () => {
  it('The fingerprints of a task are stored without duplicates, gain their likeness once it is known, and are limited to the latest fifty', () => {
    const one = { hash: hashOf('a') };
    expect(joinFingerprints([one], [one])).toBeUndefined();
    expect(joinFingerprints([one], [{ ...one, likeness }])).toEqual([{ ...one, likeness }]);
    expect(joinFingerprints([{ ...one, likeness }], [one])).toBeUndefined();
    const many = Array.from({ length: 60 }, (_, at): Fingerprint => ({ hash: String(at) }));
    expect(joinFingerprints([one], many)).toEqual(many.slice(-50));
  });
});

describe('The index of fingerprints', () => {
  const hex = (value: number, letters: number): string =>
    value
      .toString(16)
      .padStart(8, '0')
      .repeat(letters / 8);

  it('The index of fingerprints returns the most similar tasks first, and each task once', () => {
    const index = new FingerprintIndex();
    index.add('far', [{ hash: hashOf('1'), likeness: changedBy(4) }]);
    index.add('near', [
      { hash: hashOf('2'), likeness: changedBy(2) },
      { hash: hashOf('3'), likeness },
    ]);
    index.add('other', [{ hash: hashOf('4'), likeness: '0000000000000000' }, { hash: hashOf('5') }]);
    expect(index.alike(likeness, 9)).toEqual(['near', 'far']);
    expect(index.alike(likeness, 1)).toEqual(['near']);
    expect(index.withHash(hashOf('5'), 9)).toEqual(['other']);
  });

  it('The index of fingerprints forgets the oldest files when it is full, and the files of removed tasks', () => {
    const index = new FingerprintIndex(2_000);
    for (let at = 0; at < 5_000; at++) index.add(`t${at}`, [{ hash: hex(at, 64), likeness: hex(at, 16) }]);
    expect(index.size).toBeLessThanOrEqual(2_000);
    expect([index.withHash(hex(0, 64), 1), index.withHash(hex(4_999, 64), 1)]).toEqual([[], ['t4999']]);
    index.remove('t4999');
    expect(index.withHash(hex(4_999, 64), 1)).toEqual([]);
    expect(index.withHash(hex(4_998, 64), 1)).toEqual(['t4998']);
  });

  it('The index of fingerprints is searched within a tenth of a second for a million files', () => {
    const index = new FingerprintIndex();
    for (let at = 0; at < 1_000_000; at++)
      index.add(`t${at >> 2}`, [{ hash: hex(at, 64), likeness: hex(Math.imul(at, 0x9e37_79b1) >>> 0, 16) }]);
    const took = (work: () => unknown): number => {
      const times = Array.from({ length: 5 }, () => {
        const before = performance.now();
        work();
        return performance.now() - before;
      });
      return Math.min(...times);
    };
    expect(took(() => index.alike(likeness, 20))).toBeLessThan(100);
    expect(took(() => index.withHash(hex(1, 64), 20))).toBeLessThan(100);
  });
});
