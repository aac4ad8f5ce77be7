import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRecord, type Json, parseExact } from '../../src/lib/exact-json.ts';
import { runs } from '../support/runs.ts';

/** The parsed value, with every number as text, so that both representations of a number are comparable. */
function withNumbersAsText(value: Json): Json {
  if (typeof value === 'number') return `#${Object.is(value, -0) ? '-0' : value}`;
  if (Array.isArray(value)) return value.map(withNumbersAsText);
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNumbersAsText(inner)]));
  return value;
}

describe('A JSON number', () => {
  it.each([
    ['an id beyond 2^53', '1320098173412546123'],
    ['just beyond 2^53', '9007199254740993'],
    ['just beyond -2^53', '-9007199254740993'],
    ['beyond 2^64', '18446744073709551617'],
    ['trailing zeros', '1.10'],
    ['a fraction of zero', '2500.0'],
    ['a long decimal', '0.1234567890123456789'],
    ['a small decimal', '0.0000000001'],
    ['a negative decimal', '-12.3400'],
    ['an exponent', '1E5'],
    ['an exponent with a sign', '1.5e+10'],
    ['a negative exponent', '25e-3'],
    ['more than the largest number', '1e400'],
    ['thirty digits', '123456789012345678901234567890'],
  ])('A JSON number keeps its digits: %s', (_name, text) => {
    expect(parseExact(text)).toBe(text);
    expect(parseExact(` ${text}\n`)).toBe(text);
    expect(parseExact(`[${text}]`)).toEqual([text]);
    expect(parseExact(`{"a":${text},"b":"x"}`)).toEqual({ a: text, b: 'x' });
    expect(parseExact(`{"a":[{"b":[1,\n\t${text} ]}]}`)).toEqual({ a: [{ b: [1, text] }] });
    expect(parseExact(`[[1,2,"x"],${text}]`)).toEqual([[1, 2, 'x'], text]);
  });

  it('A JSON number keeps its digits in a list between ordinary numbers', () => {
    expect(parseExact('[1,-2,30,9007199254740993,4.50,5]')).toEqual([1, -2, 30, '9007199254740993', '4.50', 5]);
  });
});

describe('JSON without long numbers', () => {
  it.each([
    ['0', 0],
    ['42', 42],
    ['-7', -7],
    ['4.5', 4.5],
    ['9007199254740992', 9007199254740992],
    ['1711217942120', 1711217942120],
    ['true', true],
    ['null', null],
    ['""', ''],
    ['"1.10"', '1.10'],
    ['"a: 1.10, [2.50]"', 'a: 1.10, [2.50]'],
    ['{}', {}],
    ['[]', []],
    ['{"a":{"b":[null,false,"x"]}}', { a: { b: [null, false, 'x'] } }],
  ])('JSON without long numbers is parsed as usual: %s', (text, expected) => {
    expect(parseExact(text)).toEqual(expected);
    expect(parseExact(`[${text},1.10]`)).toEqual([expected, '1.10']);
  });

  it('Names that are special in JavaScript are treated like any other name', () => {
    for (const text of ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":{"a":1.10},"constructor":2}']) {
      const value = parseExact(text);
      expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  it.each(['', ' ', '{', '[1,]', '01', '1.', '.5', '+1', 'NaN', '{a:1}', "'x'", '1 2', '[1.10'])(
    'Text that is not JSON is refused with an error: %j',
    (text) => {
      expect(() => parseExact(text)).toThrow(SyntaxError);
    },
  );
});

describe('Any JSON text', () => {
  it('Any JSON text is read as JSON.parse reads it, except for numbers', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false } as object),
        fc.constantFrom(undefined, 2),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          const exact = withNumbersAsText(parseExact(text));
          const plain = withNumbersAsText(JSON.parse(text) as Json);
          // A number that was kept as text must have the same value.
          const alignNumbers = (left: Json, right: Json): Json => {
            if (typeof left === 'string' && typeof right === 'string' && right.startsWith('#') && !left.startsWith('#'))
              return Object.is(Number(left), Number(right.slice(1))) ? right : left;
            if (Array.isArray(left) && Array.isArray(right))
              return left.map((item, index) => alignNumbers(item, right[index] ?? null));
            if (isRecord(left) && isRecord(right))
              return Object.fromEntries(
                Object.entries(left).map(([key, item]) => [
                  key,
                  alignNumbers(item as Json, (right[key] ?? null) as Json),
                ]),
              );
            return left;
          };
          expect(alignNumbers(exact, plain)).toEqual(plain);
        },
      ),
      { numRuns: runs(500, 60) },
    );
  });

  const integer = fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }))
    .map(([sign, digits]) => sign + digits.toString());

  const decimal = fc
    .tuple(integer, fc.stringMatching(/^\d{1,30}$/), fc.constantFrom('', 'e7', 'E-12', 'e+3'))
    .map(([integerPart, fraction, exponent]) => `${integerPart}.${fraction}${exponent}`);

  it('Any JSON text keeps every whole number of up to thirty digits and every decimal at any position', () => {
    fc.assert(
      fc.property(
        fc.oneof(integer, decimal).filter((text) => text !== '-0'),
        fc.constantFrom('%', '[%]', '[1,%]', '{"a":%}', '{ "a" : { "b" : [ 0 , % ] } }', '[[[%]],"1.0"]'),
        (text, template) => {
          const written = JSON.stringify(parseExact(template.replace('%', text)));
          const kept = String(Number(text)) === text ? text : `"${text}"`;
          expect(written).toBe(template.replaceAll(' ', '').replace('%', kept));
        },
      ),
      { numRuns: runs(1_000, 150) },
    );
  });
});

describe('Deep nesting', () => {
  it.each([
    ['lists', '[', ']'],
    ['records', '{"a":', '}'],
    ['records with quotes in their names', '{"\\"[[":', '}'],
  ])(
    'Nesting of more than 500 levels is refused as invalid JSON: %s around any kind of number',
    (_name, open, close) => {
      const nest = (levels: number, core: string): string => open.repeat(levels) + core + close.repeat(levels);
      for (const core of ['1', '1.50']) {
        expect(() => parseExact(nest(5_000, core))).toThrow(SyntaxError);
        expect(() => parseExact(nest(501, core))).toThrow(SyntaxError);
        expect(() => parseExact(nest(500, core))).not.toThrow();
      }
    },
  );

  it('Brackets within strings do not count as nesting', () => {
    const text = JSON.stringify({ a: '[{'.repeat(1_000), b: '\\"[['.repeat(1_000) });
    expect(parseExact(text)).toEqual(JSON.parse(text));
  });
});
