import { expect, it } from 'vitest';
import { firstOf, levels } from '../../../src/services/tasks/levels.ts';

it('The first level that has a value decides: flag, option, conversation, member, channel, server, bot', () => {
  const all = Object.fromEntries(levels.map((level) => [level, `by ${level}`]));
  for (const level of levels) {
    expect(firstOf<string>(all)).toEqual({ value: `by ${level}`, from: level });
    delete all[level];
  }
  expect(firstOf(all)).toBeUndefined();
});

it('A value that is off, zero or empty decides like any other', () => {
  expect(firstOf({ member: false, channel: true })).toEqual({ value: false, from: 'member' });
  expect(firstOf({ option: 0, server: 7 })).toEqual({ value: 0, from: 'option' });
  expect(firstOf({ flag: '', bot: 'x' })).toEqual({ value: '', from: 'flag' });
});
