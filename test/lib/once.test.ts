import { expect, it } from 'vitest';
import { RecentNames } from '../../src/lib/once.ts';

it('`Once` remembers the thousand newest keys and forgets older ones', () => {
  const once = new RecentNames();
  expect([once.addIfNew('a'), once.addIfNew('b'), once.addIfNew('a')]).toEqual([true, true, false]);
  for (let number = 0; number < 999; number++) once.addIfNew(String(number));
  expect([once.addIfNew('b'), once.addIfNew('a')]).toEqual([false, true]);
});
