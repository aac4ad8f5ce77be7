import { expect, it } from 'vitest';
import { Once } from '../../src/lib/once.ts';

it('`Once` remembers the thousand newest keys and forgets older ones', () => {
  const once = new Once();
  expect([once.isFirst('a'), once.isFirst('b'), once.isFirst('a')]).toEqual([true, true, false]);
  for (let number = 0; number < 999; number++) once.isFirst(String(number));
  expect([once.isFirst('b'), once.isFirst('a')]).toEqual([false, true]);
});
