import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeLists, expandLists, MAX_COUNTED } from '../../src/lib/expand-lists.ts';

const MAX = 40;

const cases: readonly (readonly [text: string, ...texts: string[]])[] = [
  // Lists.
  ['a {red, green} bird', 'a red bird', 'a green bird'],
  ['{red,green}', 'red', 'green'],
  ['{ red , green }', 'red', 'green'],
  ['{red, green, blue} fox', 'red fox', 'green fox', 'blue fox'],
  ['a {b, c} {d, e}', 'a b d', 'a b e', 'a c d', 'a c e'],
  ['{a, b}{c, d}', 'ac', 'ad', 'bc', 'bd'],
  ['{a, b}, {c, d}', 'a, c', 'a, d', 'b, c', 'b, d'],
  ['{a, b} x {c, d, e}', 'a x c', 'a x d', 'a x e', 'b x c', 'b x d', 'b x e'],
  ['{a, a}', 'a', 'a'],
  ['{,}', '', ''],
  ['a{, big} cat', 'a cat', 'abig cat'],
  ['a {big,} cat', 'a big cat', 'a  cat'],
  ['{a,,b}', 'a', '', 'b'],
  ['{a b, c d}', 'a b', 'c d'],
  ['{a\nb, c}', 'a\nb', 'c'],
  ['x{a, b}y', 'xay', 'xby'],
  ['{🦊, 🐦} in the snow', '🦊 in the snow', '🐦 in the snow'],
  ['{Привет, 你好}', 'Привет', '你好'],
  ['{\u200b,b}', '\u200b', 'b'],
  ['{"a", \'b\'}', '"a"', "'b'"],
  // Flags.
  ['a fox --ar {1:1, 16:9}', 'a fox --ar 1:1', 'a fox --ar 16:9'],
  ['a fox --{tile, niji 6}', 'a fox --tile', 'a fox --niji 6'],
  ['a fox {--tile, --v 6}', 'a fox --tile', 'a fox --v 6'],
  [
    'a fox --s {50, 100} --c {1, 2}',
    'a fox --s 50 --c 1',
    'a fox --s 50 --c 2',
    'a fox --s 100 --c 1',
    'a fox --s 100 --c 2',
  ],
  ['a fox --no {a, b}', 'a fox --no a', 'a fox --no b'],
  [
    '{https://a.example/1.png, https://a.example/2.png} cat',
    'https://a.example/1.png cat',
    'https://a.example/2.png cat',
  ],
  // Nesting.
  ['{a, {b, c}}', 'a', 'b', 'c'],
  ['{{a, b}, c}', 'a', 'b', 'c'],
  ['{{a, b}, {c, d}}', 'a', 'b', 'c', 'd'],
  ['{x {a, b}, y}', 'x a', 'x b', 'y'],
  ['{a {1, 2} b {3, 4}, c}', 'a 1 b 3', 'a 1 b 4', 'a 2 b 3', 'a 2 b 4', 'c'],
  ['{a, {b, {c, {d, e}}}}', 'a', 'b', 'c', 'd', 'e'],
  ['{red {fox, hare}, {old, young} owl}', 'red fox', 'red hare', 'old owl', 'young owl'],
  ['{{{a, b}}}', '{{a}}', '{{b}}'],
  ['{x {a, b}}', '{x a}', '{x b}'],
  ['{{a}, b}', '{a}', 'b'],
  ['{{}, b}', '{}', 'b'],
  // Braces without a comma, and braces without a partner.
  ['a fox', 'a fox'],
  ['', ''],
  ['a {fox}', 'a {fox}'],
  ['a {prompt} of {b}', 'a {prompt} of {b}'],
  ['{}', '{}'],
  ['a, b, c', 'a, b, c'],
  ['{a, b', '{a, b'],
  ['a, b}', 'a, b}'],
  ['}a, b{', '}a, b{'],
  ['{a}, {b}', '{a}, {b}'],
  ['{a, {b, c}', '{a, b', '{a, c'],
  ['{b, c}, d}', 'b, d}', 'c, d}'],
  ['{a, b}}', 'a}', 'b}'],
  ['{{a, b}', '{a', '{b'],
  ['}{a, b}{', '}a{', '}b{'],
  ['[a, b] (c, d) <e, f>', '[a, b] (c, d) <e, f>'],
  ['{prompt}, {red, green}', '{prompt}, red', '{prompt}, green'],
  // Escapes, which are read only where there is a list to escape.
  ['\\{a, b\\}', '{a, b}'],
  ['\\{a, b}', '{a, b}'],
  ['{a, b\\}', '{a, b}'],
  ['{a\\, b}', '{a, b}'],
  ['{a\\, b, c}', 'a, b', 'c'],
  ['{red\\, green, blue}', 'red, green', 'blue'],
  ['{a\\{, b\\}}', 'a{', 'b}'],
  ['{\\{a\\, b\\}, c}', '{a, b}', 'c'],
  ['{a\\\\, b}', 'a\\', 'b'],
  ['{C:\\dir, D:\\dir}', 'C:\\dir', 'D:\\dir'],
  ['{a, b}\\', 'a\\', 'b\\'],
  ['{a, b} \\n', 'a \\n', 'b \\n'],
  ['{a, b}\\, c', 'a, c', 'b, c'],
  ['a\\, b', 'a\\, b'],
  ['\\{a\\}', '\\{a\\}'],
  ['\\\\', '\\\\'],
  ['a \\{ b', 'a \\{ b'],
  ['$\\frac{a}{b}$, {c}', '$\\frac{a}{b}$, {c}'],
  ['\\\\{a, b}', '\\a', '\\b'],
  ['\\{{a, b}\\}', '{a}', '{b}'],
];

describe('Lists in braces', () => {
  it('There are at least 60 cases, each with its own text', () => {
    expect(new Set(cases.map(([text]) => text)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  it.each(cases)('%j expands as written', (text, ...texts) => {
    expect(expandLists(text, MAX)).toEqual({ count: texts.length, texts });
  });

  const piece = fc.oneof(
    fc.constantFrom('{', '}', ',', '\\', ' ', '{a, b}', '{x,', '--ar '),
    fc.string({ maxLength: 3 }),
  );
  const anyText = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

  it('The count is the number of texts, or there are none', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, max) => {
        const { count, texts } = expandLists(text, max);
        expect(texts).toHaveLength(count > max ? 0 : count);
        expect(count).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  it('An escaped text stands for itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(expandLists(escapeLists(text), MAX)).toEqual({ count: 1, texts: [text] });
      }),
    );
  });

  it('A text without a comma stays as it is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const withoutComma = text.replaceAll(',', '');
        expect(expandLists(withoutComma, MAX)).toEqual({ count: 1, texts: [withoutComma] });
      }),
    );
  });

  it('Lists beside each other multiply, alternatives add up', () => {
    const sizes = fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 5 });
    const list = (size: number): string => `{${Array.from({ length: size }, (_, index) => `v${index}`).join(', ')}}`;
    fc.assert(
      fc.property(sizes, (all) => {
        expect(expandLists(all.map(list).join(' '), 1).count).toBe(all.reduce((product, size) => product * size));
        const sum = all.reduce((total, size) => total + size, 1);
        expect(expandLists(`{x, ${all.map(list).join(', ')}}`, 1).count).toBe(sum);
      }),
    );
  });

  it.each([
    ['many lists', '{a, b} '.repeat(30)],
    ['thousands of lists', '{a, b}'.repeat(20_000)],
    ['deep nesting', `${'{a, '.repeat(10_000)}b${'}'.repeat(10_000)}`.repeat(2)],
  ])('%s are counted, and not expanded', (_name, text) => {
    expect(expandLists(text, 10)).toEqual({ count: Number.POSITIVE_INFINITY, texts: [] });
  });

  it.each([
    ['braces that are never closed', '{a, '.repeat(50_000)],
    ['braces without a comma', `${'{'.repeat(50_000)}${'}'.repeat(50_000)}`],
    ['backslashes', `{a, b\\${'\\'.repeat(50_000)}`],
  ])('A long run of %s is plain text', (_name, text) => {
    expect(expandLists(text, 10)).toEqual({ count: 1, texts: [text] });
  });

  it('A long run of plain braces around a list is expanded', () => {
    const depth = 50_000;
    const { count, texts } = expandLists(`${'{'.repeat(depth)}{a, b}${'}'.repeat(depth)}`, 10);
    expect(count).toBe(2);
    expect(texts.map(({ length }) => length)).toEqual([2 * depth + 1, 2 * depth + 1]);
  });

  it('A list of a hundred thousand alternatives is counted', () => {
    expect(expandLists(`{${','.repeat(100_000)}}`, 10)).toEqual({ count: 100_001, texts: [] });
  });

  it('A count up to a million is exact', () => {
    const digit = '{0,1,2,3,4,5,6,7,8,9}';
    expect(expandLists(digit.repeat(6), 10).count).toBe(MAX_COUNTED);
    expect(expandLists(`${digit.repeat(6)}{a,b}`, 10).count).toBe(Number.POSITIVE_INFINITY);
  });
});
