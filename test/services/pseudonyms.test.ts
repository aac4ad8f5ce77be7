import { expect, it } from 'vitest';
import { Pseudonyms } from '../../src/services/pseudonyms.ts';
import type { StoredTasks } from '../../src/services/store/stored-tasks.ts';
import { stage } from './store/stage.ts';

it('A pseudonym survives a restart, and erasure leaves nothing that links the old one to the member', async () => {
  const setup = stage();
  const store = (await setup.open()) as StoredTasks;
  const pseudonyms = new Pseudonyms(store.pseudonyms);
  const [first, again] = await Promise.all([pseudonyms.getOrCreate('member'), pseudonyms.getOrCreate('member')]);
  expect(again).toBe(first);
  expect(await pseudonyms.getOrCreate('other')).not.toBe(first);
  await store.close();
  const next = (await setup.open()) as StoredTasks;
  const later = new Pseudonyms(next.pseudonyms);
  expect(await later.current('member')).toBe(first);
  await later.erase('member');
  expect(await later.current('member')).toBeUndefined();
  expect(await later.getOrCreate('member')).not.toBe(first);
  await next.close();
});
