import { expect, it } from 'vitest';
import { onEveryStore } from './sites.ts';
import { makeTask } from './store-fixture.ts';

onEveryStore((createTestStore) => {
  it('A task with an unreadable request is kept unchanged, is not polled, and is reported to its owner once', async () => {
    const testStore = await createTestStore();
    const store = await testStore.open();
    const [unreadable, readable] = [makeTask({ requesterId: 'ann' }), makeTask({ requesterId: 'bob' })];
    await store.put(unreadable);
    await store.put(readable);
    await testStore.rewrite(({ namespace, key, text }) =>
      namespace === 'live' && key === unreadable.id ? text.replace('"prompt":"', '"prompt":7,"was":"') : undefined,
    );
    const [row] = (await testStore.rows('live')).filter(({ key }) => key === unreadable.id);
    await store.close();

    const nextStore = await testStore.open();
    expect((await nextStore.live()).map(({ id }) => id)).toEqual([readable.id]);
    const [quarantinedRow] = await testStore.rows('quarantine');
    const { value } = JSON.parse(quarantinedRow?.text ?? '{}');
    expect(JSON.parse(value.text)).toEqual(JSON.parse(row?.text ?? '{}').value);
    expect(value).toMatchObject({
      from: 'live',
      key: unreadable.id,
      owner: 'ann',
      why: 'is invalid at request.prompt',
    });

    const notified: string[] = [];
    await nextStore.quarantine.notifyOwners(async () => false);
    for (let start = 0; start < 2; start++)
      await nextStore.quarantine.notifyOwners(async (memberId) => {
        notified.push(memberId);
        return true;
      });
    expect(notified).toEqual(['ann']);
  });
});
