import { expect, it } from 'vitest';
import { Pseudonyms } from '../../src/services/pseudonyms.ts';
import type { StoredTasks } from '../../src/services/store/stored-tasks.ts';
import { createStoreFixture } from './store/store-fixture.ts';

it('A pseudonym survives a restart, and erasure leaves nothing that links the old one to the member', async () => {
  const setup = createStoreFixture();
  const store = (await setup.open()) as StoredTasks;
  const pseudonyms = new Pseudonyms(store.pseudonyms);
  const [first, second] = await Promise.all([pseudonyms.getOrCreate('member'), pseudonyms.getOrCreate('member')]);
  expect(second).toBe(first);
  expect(await pseudonyms.getOrCreate('other')).not.toBe(first);
  await store.close();
  const reopenedStore = (await setup.open()) as StoredTasks;
  const reloaded = new Pseudonyms(reopenedStore.pseudonyms);
  expect(await reloaded.current('member')).toBe(first);
  await reloaded.erase('member');
  expect(await reloaded.current('member')).toBeUndefined();
  expect(await reloaded.getOrCreate('member')).not.toBe(first);
  await reopenedStore.close();
});
