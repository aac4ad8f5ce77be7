import { expect, it } from 'vitest';
import { RecentNames } from '../../src/lib/once.ts';

it('Only the thousand newest names are remembered, and older ones are forgotten', () => {
  const recentNames = new RecentNames();
  expect([recentNames.addIfNew('a'), recentNames.addIfNew('b'), recentNames.addIfNew('a')]).toEqual([
    true,
    true,
    false,
  ]);
  for (let number = 0; number < 999; number++) recentNames.addIfNew(String(number));
  expect([recentNames.addIfNew('b'), recentNames.addIfNew('a')]).toEqual([false, true]);
});
