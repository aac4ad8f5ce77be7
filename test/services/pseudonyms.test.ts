import { expect, it } from 'vitest';
import { Pseudonyms } from '../../src/services/pseudonyms.ts';
import type { StoredTasks } from '../../src/services/store/stored-tasks.ts';
import { stage } from './store/stage.ts';

it('A pseudonym survives a restart, and erasure leaves nothing that links the old one to the member', async () => {
  const on = stage();
  const store = (await on.open()) as StoredTasks;
  const pseudonyms = new Pseudonyms(store.pseudonyms);
  const [first, again] = await Promise.all([pseudonyms.of('member'), pseudonyms.of('member')]);
  expect(again).toBe(first);
  expect(await pseudonyms.of('other')).not.toBe(first);
  await store.close();
  const next = (await on.open()) as StoredTasks;
  const later = new Pseudonyms(next.pseudonyms);
  expect(await later.known('member')).toBe(first);
  await later.erase('member');
  expect(await later.known('member')).toBeUndefined();
  expect(await later.of('member')).not.toBe(first);
  await next.close();
});
