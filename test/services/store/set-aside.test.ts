import { expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { entryKey, standingOf } from '../../../src/services/money/entry.ts';
import { Ledger } from '../../../src/services/money/ledger.ts';
import { examine } from '../../../src/services/store/examination/examination.ts';
import { LONG_LEASE_MS, onEveryStore, onStores, type TestStore } from './sites.ts';
import { makeTask } from './store-fixture.ts';

/** Reserves two tasks, one of which was never stored, and the other cannot be read any more. Returns their standings after `work`. */
async function standingsAfter(testStore: TestStore, work: () => Promise<unknown>) {
  const { clock, log } = testStore;
  const [unreadable, lost] = [makeTask(), makeTask()];
  const store = await testStore.open();
  const ledger = new Ledger({ clock, log }, store.entries);
  await ledger.open([]);
  for (const task of [unreadable, lost]) await ledger.reserve(task);
  await store.put(unreadable);
  await store.close();
  await testStore.rewrite(({ namespace, text }) =>
    namespace === 'live' ? text.replace('"prompt":"', '"prompt":7,"was":"') : undefined,
  );
  await work();
  const { entries } = await testStore.open();
  return await Promise.all(
    [unreadable, lost].map(async ({ id, times }) => {
      const entry = await entries.find(entryKey({ id, at: times.created }));
      return entry && standingOf(entry);
    }),
  );
}

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

  it('The start counts the estimate of a task that cannot be read, since the gateway may have accepted it', async () => {
    const testStore = await createTestStore();
    const { clock, log } = testStore;
    const standings = await standingsAfter(testStore, async () => {
      const store = await testStore.open();
      await new Ledger({ clock, log }, store.entries).open(await store.live());
      await store.close();
    });
    expect(standings).toEqual(['settled', 'refunded']);
  });
});

onStores(['sqlite', 'redis', 'postgres'], (createTestStore) => {
  it('The doctor counts the estimate of a task that cannot be read', async () => {
    const testStore = await createTestStore();
    const { url, scheme, clock, log } = testStore;
    const standings = await standingsAfter(testStore, () =>
      examine({ url, scheme }, { specs: kindSpecs, clock, log, leaseMs: LONG_LEASE_MS, repair: true }),
    );
    expect(standings).toEqual(['settled', 'refunded']);
  });
});
