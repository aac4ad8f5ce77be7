import { describe, expect, it } from 'vitest';
import { onEveryStore } from './sites.ts';
import { makeTask } from './store-fixture.ts';

describe('List entries without a task', () => {
  onEveryStore((createTestStore) => {
    it('List entries that a crash left without a task are removed, and the others stay', async () => {
      const testStore = await createTestStore();
      const store = await testStore.open();
      const [lostTask, keptTask] = [makeTask(), makeTask()];
      const other = makeTask({ requesterId: '100000000000000009' });
      for (const task of [lostTask, keptTask, other]) await store.put(task);
      await testStore.drop(({ namespace, key }) => namespace === 'live' && key === lostTask.id);
      await store.removeStaleSummaries(lostTask.requesterId);
      const idsOf = async (memberId: string) =>
        (await store.page({ of: { memberId }, max: 10 })).summaries.map(({ id }) => id);
      expect(await idsOf(lostTask.requesterId)).toEqual([keptTask.id]);
      expect(await idsOf(other.requesterId)).toEqual([other.id]);
      const texts = (await testStore.rows('index')).map(({ text }) => text).join();
      expect(texts).not.toContain(`"id":"${lostTask.id}"`);
      expect(texts).toContain(`"id":"${keptTask.id}"`);
    });
  });
});
