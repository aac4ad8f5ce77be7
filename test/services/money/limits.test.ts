import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalMessage } from '../../../src/discord/funnel.ts';
import { allowanceText, limitsWords } from '../../../src/discord/limit-words.ts';
import { sayIn } from '../../../src/locales/index.ts';
import { remainingText } from '../../../src/messages/money.ts';
import { tightestAllowance } from '../../../src/services/money/allowance.ts';
import { mostGenerousLimits } from '../../../src/services/money/limits.ts';
import { limitsText, parseGrant, parseLimits, refusalFor } from '../../../src/services/money/limits-text.ts';

const say = sayIn('en');
const kinds = ['imagine', 'video'];

describe('Limits as text', () => {
  it('Limits as text contain amounts, numbers of tasks, kinds and numbers of concurrent tasks', () => {
    expect(parseLimits('$5 a day, 100 tasks/day, $40.50 per month, video: 1 task a week, 3 at once', kinds)).toEqual({
      day: { amount: '5', tasks: 100 },
      month: { amount: '40.50' },
      atOnce: 3,
      kinds: { video: { week: { tasks: 1 } } },
    });
    expect(parseLimits(' None ', kinds)).toEqual({});
  });

  it.each([
    ...[
      '',
      '5 a day',
      '$5',
      '$5 a year',
      '-1 tasks a day',
      '$1e9 a day',
      '5 tasks a day, 6 tasks a day',
      'none, $5 a day',
    ],
    ...['talk: 5 tasks a day', '$5 a day,', '3 at once, 4 at once', `${'1 task a day,'.repeat(200)}`, '١ tasks a day'],
  ])('"%s" is not accepted as a limit', (text) => {
    expect(parseLimits(text, kinds)).toBeUndefined();
  });

  it('Any limits that are formatted as text are parsed to the same limits', () => {
    const cap = fc
      .record({ amount: fc.nat(1_000_000).map(String), tasks: fc.nat(1_000_000) }, { requiredKeys: [] })
      .filter((one) => Object.keys(one).length > 0);
    const caps = fc.record({ day: cap, week: cap, month: cap }, { requiredKeys: [] });
    const nonEmptyCaps = caps.filter((one) => Object.keys(one).length > 0);
    const anyLimits = fc.tuple(caps, fc.option(fc.nat(100)), fc.dictionary(fc.constantFrom(...kinds), nonEmptyCaps));
    fc.assert(
      fc.property(anyLimits, ([base, atOnce, byKind]) => {
        const limits = {
          ...base,
          ...(atOnce !== null && { atOnce }),
          ...(Object.keys(byKind).length > 0 && { kinds: { ...byKind } }),
        };
        expect(parseLimits(limitsText(limits), kinds)).toEqual(limits);
        expect(limitsWords(limits, say)).toBe(limitsText(limits));
      }),
    );
  });
});

describe('A limit in a sentence', () => {
  it.each([
    ['2,000 tasks a day', { unit: 'tasks', limit: '2000', period: 'day', kind: undefined }],
    ['$5 a day', { unit: 'amount', limit: '5', period: 'day', kind: undefined }],
    ['1 task a month', { unit: 'tasks', limit: '1', period: 'month', kind: undefined }],
    ['2 tasks a day for Video', { unit: 'tasks', limit: '2', period: 'day', kind: 'video' }],
    ['1 task at once', { unit: 'tasks', limit: '1', period: undefined, kind: undefined }],
    ['3 tasks at once', { unit: 'tasks', limit: '3', period: undefined, kind: undefined }],
  ] as const)('A limit reads as %j in a sentence', (text, allowance) => {
    expect(allowanceText(allowance, say)).toBe(text);
  });
});

it('A limit of no tasks at once does not advise to wait for one', () => {
  const always = { period: undefined, kind: undefined, resetsAt: undefined } as const;
  const allowance = { holder: 'member', unit: 'tasks', limit: '0', left: '0', ...always } as const;
  expect(refusalFor(allowance, { amount: undefined }).key).toBe('refusals.noneAtOnce');
});

it('A limit for one type of task names it as members know it', () => {
  const allowance = { holder: 'member', unit: 'tasks', limit: '2', left: '1', period: 'day', resetsAt: 0 } as const;
  const limitText = '2 tasks a day for Live message';
  expect(remainingText({ ...allowance, kind: 'said' }, say)).toContain(`**1** of ${limitText}`);
  expect(refusalMessage(refusalFor({ ...allowance, kind: 'said' }, { amount: undefined }), say)).toContain(
    `\`${limitText}\``,
  );
});

it('A refusal says if the price is an upper bound, and that of one of several orders that it is the price of a task', () => {
  const allowance = { holder: 'member', unit: 'amount', limit: '1', left: '0.1', period: 'day' } as const;
  const limit = { ...allowance, kind: undefined, resetsAt: 0 };
  const priceOf = (order: { count?: number; isUpperBound?: true }) =>
    refusalMessage(refusalFor(limit, { amount: '0.4', ...order }), say);
  expect(priceOf({})).toContain('(price: `≈ $0.40`)');
  expect(priceOf({ count: 4 })).toContain('(price: `≈ $0.40 per task`)');
  expect(priceOf({ isUpperBound: true })).toContain('(price: `at most $0.40`)');
});

it('What remains is the tightest limit of money, if there is one', () => {
  const allowance = { holder: 'member', period: 'day', kind: undefined, resetsAt: 0, limit: '4' } as const;
  const tasks = { ...allowance, unit: 'tasks', left: '1' } as const;
  const money = { ...allowance, unit: 'amount', left: '3' } as const;
  expect(tightestAllowance([tasks, money])).toBe(money);
  expect(tightestAllowance([tasks])).toBe(tasks);
});

describe('The most generous of several limits', () => {
  it('The most generous limits have the largest value of each limit, and lack a limit that any of the roles lacks', () => {
    const one = { day: { amount: '5', tasks: 10 }, atOnce: 2, kinds: { video: { day: { tasks: 1 } } } };
    const other = { day: { amount: '0.5', tasks: 20 }, week: { tasks: 50 }, atOnce: 1, kinds: {} };
    expect(mostGenerousLimits([one, other])).toEqual({ day: { amount: '5', tasks: 20 }, atOnce: 2 });
    expect(mostGenerousLimits([one])).toEqual(one);
    expect(mostGenerousLimits([one, {}])).toEqual({});
    expect(mostGenerousLimits([])).toBeUndefined();
  });
});

describe('A grant as text', () => {
  it.each([
    ['$5', { amount: '5' }],
    ['20 tasks', { tasks: 20 }],
    [' $0.50, 1 Task ', { amount: '0.50', tasks: 1 }],
    ['$1,000,20,000 tasks', { amount: '1000', tasks: 20_000 }],
    ['$1,000, 20,000 tasks', { amount: '1000', tasks: 20_000 }],
    ['', undefined],
    ['$5, $6', undefined],
    ['a lot', undefined],
    ['$5 a day', undefined],
    ['$0.00', undefined],
    ['$5, 0 tasks', undefined],
  ])('"%s" is parsed as the grant %o', (text, grant) => {
    expect(parseGrant(text)).toEqual(grant);
  });
});
