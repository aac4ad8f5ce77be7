import { expect, it } from 'vitest';
import { fullTasksOf, isOwnResult } from '../../../src/services/orders/lists.ts';
import { onStores } from '../store/sites.ts';
import { makeTask, settled } from '../store/store-fixture.ts';

onStores(['sqlite'], (createTestStore) => {
  it("A URL is a member's own result if one of the member's tasks, live or settled, has it", async () => {
    const store = await (await createTestStore()).open();
    const withResult = (path: string, requesterId: string) => ({
      ...makeTask(),
      requesterId,
      media: [{ kind: 'image' as const, address: `http://10.0.0.1/${path}`, firstSeenAt: 0 }],
    });
    await store.put(withResult('live.png', 'member'));
    await store.put(settled(withResult('old.png', 'member')));
    await store.put(settled(withResult('other.png', 'other')));
    const isOwn = (path: string) => isOwnResult(store, `http://10.0.0.1/${path}`, 'member');
    expect(await Promise.all(['live.png', 'old.png', 'other.png', 'admin', ''].map(isOwn))).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
  });

  it("All of a member's tasks are read whole from a store, newest first", async () => {
    const store = await (await createTestStore()).open();
    const tasks = [makeTask(), settled(makeTask()), makeTask()].map((task) => ({ ...task, requesterId: 'member' }));
    for (const task of tasks) await store.put(task);
    const read = await Array.fromAsync(fullTasksOf('member', store));
    expect(read.map(({ id }) => id)).toEqual(
      tasks
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    expect(read.every(({ request }) => request.prompt === tasks[0]?.request.prompt)).toBe(true);
  });
});
