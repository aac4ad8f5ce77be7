import { describe, expect, it } from 'vitest';
import { chunkKey, listOwner } from '../../../src/services/store/summary-index.ts';
import { onEveryStore } from './sites.ts';
import { makeTask } from './stage.ts';

describe('List entries without a task', () => {
  onEveryStore((createTestStore) => {
    it('List entries that a crash left without a task are removed, and the others stay', async () => {
      const testStore = await createTestStore();
      const store = await testStore.open();
      const [lost, kept] = [makeTask(), makeTask()];
      const other = makeTask({ requesterId: '100000000000000009' });
      for (const task of [lost, kept, other]) await store.put(task);
      await testStore.drop(({ namespace, key }) => namespace === 'live' && key === lost.id);
      await store.removeStaleSummaries(lost.requesterId);
      const idsOf = async (memberId: string) =>
        (await store.page({ of: { memberId }, max: 10 })).summaries.map(({ id }) => id);
      expect(await idsOf(lost.requesterId)).toEqual([kept.id]);
      expect(await idsOf(other.requesterId)).toEqual([other.id]);
      // A chunk keeps the id with which it began as its key.
      const texts = (await testStore.rows('index')).map(({ text }) => text).join();
      expect(texts).not.toContain(`"id":"${lost.id}"`);
      expect(texts).toContain(`"id":"${kept.id}"`);
    });

    it('Chunks that are in no list are removed', async () => {
      const testStore = await createTestStore();
      const store = await testStore.open();
      const task = makeTask();
      await store.put(task);
      const before = await testStore.keys('index');
      const stray = chunkKey(listOwner({ memberId: task.requesterId }), '0'.repeat(17));
      await testStore.write({ namespace: 'index', key: stray, text: '{"value":{"lines":[]}}' });
      expect(await testStore.keys('index')).toContain(stray);
      await store.removeStaleSummaries(task.requesterId);
      expect((await testStore.keys('index')).toSorted()).toEqual(before.toSorted());
    });
  });
});
