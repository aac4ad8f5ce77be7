import { expect, it } from 'vitest';
import { validateBody } from '../../../sandbox/discord/validation/index.ts';
import { usage, usageRangeButton } from '../../../src/commands/usage/feature.ts';
import { customIds, readCustomId } from '../../../src/discord/custom-ids.ts';
import { registrationOf } from '../../../src/discord/registration.ts';
import { Refusal } from '../../../src/lib/refusal.ts';

it('Discord accepts the registration of /usage', () => {
  const body = registrationOf(usage, { userInstall: true });
  expect(validateBody('commands', [body])).toEqual([]);
  expect(body.options?.map(({ name, required }) => [name, required])).toEqual([
    ['start', false],
    ['end', false],
    ['by', false],
    ['of', false],
    ['private', false],
  ]);
});

it('The label of a range button contains only the range, the grouping and whose usage it is', () => {
  const id = customIds.usage.id({ range: 'last', by: 'member', of: 'account' });
  expect(id).toBe('usage.1.last.member.account');
  expect(readCustomId(id)).toEqual({ verb: usageRangeButton.verb, version: 1, args: ['last', 'member', 'account'] });
});

it.each([[[]], [['year', 'day', 'me']], [['week', 'guild', 'me']], [['week', 'day']], [['week', 'day', 'all']]])(
  'A forged id with %j is refused',
  (args) => {
    expect(() => usageRangeButton.read({ verb: 'usage', version: 1, args })).toThrow(
      new Refusal('refusals.unknownButton'),
    );
  },
);
