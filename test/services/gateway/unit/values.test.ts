import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../src/lib/exact-json.ts';
import { asAmount, asNumber, asProgress, asText, asTime } from '../../../../src/services/gateway/places.ts';

describe('The progress of a task', () => {
  it.each([
    ['"45%"', 45],
    ['"45"', 45],
    ['45', 45],
    ['45.5', 45.5],
    ['"45.5%"', 45.5],
    ['" 45 % "', 45],
    ['0.45', 45],
    ['"0.45"', 45],
    ['"0.45%"', 0.45],
    ['1', 1],
    ['"1%"', 1],
    ['"1"', 1],
    ['1.0', 100],
    ['0', 0],
    ['"0%"', 0],
    ['0.0', 0],
    ['100', 100],
    ['"100%"', 100],
    ['150', 100],
    ['-3', 0],
    ['""', undefined],
    ['"%"', undefined],
    ['" "', undefined],
    ['null', undefined],
    ['true', undefined],
    ['"half"', undefined],
    ['"Infinity"', undefined],
    ['"NaN%"', undefined],
    ['1e400', undefined],
    ['{}', undefined],
    ['[]', undefined],
  ])('The progress of a task is read: %s becomes %s', (text, expected) => {
    expect(asProgress(parseExact(text))).toBe(expected);
  });

  it('The progress of a task is a whole percentage if it is sent as a fraction with two decimal places', () => {
    for (let percent = 1; percent < 100; percent++) expect(asProgress(percent / 100)).toBe(percent);
  });
});

describe('A time in a response', () => {
  const timestamp = Date.UTC(2024, 2, 23, 18, 19, 2, 120);
  it.each([
    ['milliseconds', '1711217942120', timestamp],
    ['milliseconds as text', '"1711217942120"', timestamp],
    ['seconds', '1711217942', timestamp - 120],
    ['seconds with a fraction', '1711217942.12', timestamp],
    ['seconds as text', '"1711217942"', timestamp - 120],
    ['a date', '"2024-03-23T18:19:02.120Z"', timestamp],
    ['a date with a zone', '"2024-03-23T19:19:02.12+01:00"', timestamp],
    ['zero, which is ignored', '0', undefined],
    ['a negative number, which is ignored', '-1', undefined],
    ['an empty string', '""', undefined],
    ['null', 'null', undefined],
    ['a word', '"now"', undefined],
    ['a boolean', 'true', undefined],
    ['a number beyond the range of valid dates', '1e300', undefined],
  ])('A time in a response is read from %s', (_what, text, expected) => {
    expect(asTime(parseExact(text))).toBe(expected);
  });

  it('A time in nanoseconds is ignored or becomes a valid date', () => {
    const time = asTime(parseExact('1711217942120000000'));
    expect(time === undefined || !Number.isNaN(new Date(time).getTime())).toBe(true);
  });
});

describe('Text in a response', () => {
  it.each([
    ['" a "', 'a'],
    ['""', undefined],
    ['"  "', undefined],
    ['17', '17'],
    ['0', '0'],
    ['1320098173412546123', '1320098173412546123'],
    ['1.10', '1.10'],
    ['1E2', '1E2'],
    ['null', undefined],
    ['false', undefined],
    ['[]', undefined],
    ['{}', undefined],
  ])('Text in a response is read: %s becomes %s', (text, expected) => {
    expect(asText(parseExact(text))).toBe(expected);
  });
});

describe('A number in a response', () => {
  it.each([
    ['"17"', 17],
    ['17.50', 17.5],
    ['" 5.1 "', 5.1],
    ['""', undefined],
    ['"x"', undefined],
    ['null', undefined],
    ['true', undefined],
    ['[1]', undefined],
    ['1e999', undefined],
  ])('A number in a response is read: %s becomes %s', (text, expected) => {
    expect(asNumber(parseExact(text))).toBe(expected);
  });
});

describe('An amount in a response', () => {
  it.each([
    ['0.10', '0.10'],
    ['"0.10"', '0.10'],
    ['2500.0', '2500.0'],
    ['12', '12'],
    ['-0.000000000000000000001', '-0.000000000000000000001'],
    ['1e-7', '1e-7'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['"12 USD"', undefined],
    ['""', undefined],
    ['null', undefined],
    ['"0x10"', undefined],
    ['"1,000"', undefined],
  ])('An amount in a response keeps its digits: %s', (text, expected) => {
    expect(asAmount(parseExact(text))).toBe(expected);
  });
});
