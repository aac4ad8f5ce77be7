import { expect, it } from 'vitest';
import { createPseudonyms } from '../../../src/services/orders/pseudonyms.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { createStoreFixture } from '../store/store-fixture.ts';

it('A pseudonym survives a restart, and erasure leaves nothing that links the old one to the member', async () => {
  const setup = createStoreFixture();
  const store = (await setup.open()) as StoredTasks;
  const pseudonyms = createPseudonyms(store);
  const [first, second] = await Promise.all([pseudonyms.getOrCreate('member'), pseudonyms.getOrCreate('member')]);
  expect(second).toBe(first);
  expect(await pseudonyms.getOrCreate('other')).not.toBe(first);
  await store.close();
  const reopenedStore = (await setup.open()) as StoredTasks;
  const reloaded = createPseudonyms(reopenedStore);
  expect(await reloaded.current('member')).toBe(first);
  await reloaded.erase('member');
  expect(await reloaded.current('member')).toBeUndefined();
  expect(await reloaded.getOrCreate('member')).not.toBe(first);
  await reopenedStore.close();
});

it('A member has the same pseudonym in all partitions, but a new one while an erasure is under way', async () => {
  const setups = [createStoreFixture(), createStoreFixture(), createStoreFixture()];
  const stores = (await Promise.all(setups.map((setup) => setup.open()))) as StoredTasks[];
  const [home, other, last] = stores.map((own) =>
    createPseudonyms(own, { all: async () => stores.filter((store) => store !== own) }),
  );
  const pseudonym = await home?.getOrCreate('member');
  expect(await other?.getOrCreate('member')).toBe(pseudonym);
  expect(await other?.getOrCreate('another member')).not.toBe(pseudonym);
  const mark = { memberId: 'member', until: 0, secret: '', tasks: 0, messages: 0, stays: 0, left: [] };
  await stores[0]?.erasures.put(mark);
  const erased = await last?.getOrCreate('member');
  expect(erased).toMatch(/^atelier-/);
  expect(erased).not.toBe(pseudonym);
  for (const store of stores) await store.close();
});
