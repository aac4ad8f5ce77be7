import { expect, it } from 'vitest';
import { Listeners } from '../../src/lib/listeners.ts';

it('Every listener gets each event after it was added, in the order of the additions', () => {
  const listeners = new Listeners<[name: string, count?: number]>();
  const calls: unknown[] = [];
  expect(listeners.isEmpty).toBe(true);
  listeners.notify('unheard');
  listeners.add((...event) => calls.push(['first', ...event]));
  listeners.notify('one', 1);
  listeners.add((name) => calls.push(['second', name]));
  listeners.notify('two');
  expect(listeners.isEmpty).toBe(false);
  expect(calls).toEqual([
    ['first', 'one', 1],
    ['first', 'two'],
    ['second', 'two'],
  ]);
});
