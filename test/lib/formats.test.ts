import { describe, expect, it } from 'vitest';
import { grantWords, limitsWords } from '../../src/discord/limit-words.ts';
import {
  clausesText,
  countText,
  daysText,
  dollarsText,
  durationText,
  exactDollars,
  listText,
  percentText,
  sentencesText,
  shortDayText,
  utcTimeText,
} from '../../src/lib/formats.ts';
import { sayIn } from '../../src/locales/index.ts';

const english = sayIn('en');
const [german, japanese] = [{ language: 'de' }, { language: 'ja' }];

describe('What members read has the format of its language', () => {
  it('Amounts have every digit and at least two decimals', () => {
    expect(exactDollars('1234.5', english)).toBe('$1,234.50');
    expect(exactDollars('1234.5', german)).toBe('1.234,50\u00a0$');
    expect(exactDollars('0.0012345678901234567890123', english)).toBe('$0.0012345678901234567890123');
    expect(exactDollars('-1', english)).toBe('-$1.00');
    expect(dollarsText('5', english)).toBe('$5');
  });

  it('What is no amount stays as it is', () => {
    expect(dollarsText('many', german)).toBe('many');
  });

  it('Counts, shares and lists follow the language', () => {
    expect([countText(12_345, english), countText('12345', german)]).toEqual(['12,345', '12.345']);
    expect([percentText(29, english), percentText(29, german)]).toEqual(['29%', '29\u00a0%']);
    expect(['a', 'b', 'c'].map((_, index, all) => listText(all.slice(0, index + 1), english))).toEqual([
      'a',
      'a, b',
      'a, b, c',
    ]);
    expect([clausesText(['a', 'b'], german), clausesText(['a', 'b'], japanese)]).toEqual(['a; b', 'a；b']);
    expect([listText(['a', 'b'], german), listText(['a', 'b'], japanese)]).toEqual(['a und b', 'a、b']);
  });

  it.each([
    ['en', '0 sec', '4 sec', '1 min, 5 sec', '1 hr', '1 hr, 30 min'],
    ['de', '0 Sek.', '4 Sek.', '1 Min., 5 Sek.', '1 Std.', '1 Std., 30 Min.'],
    ['es-ES', '0 s', '4 s', '1 min y 5 s', '1 h', '1 h y 30 min'],
    ['fr', '0\u202fs', '4\u202fs', '1\u00a0min et 5\u202fs', '1\u202fh', '1\u202fh et 30\u00a0min'],
    ['ja', '0 秒', '4 秒', '1 分 5 秒', '1 時間', '1 時間 30 分'],
    ['ko', '0초', '4초', '1분 5초', '1시간', '1시간 30분'],
    ['pt-BR', '0 s', '4 s', '1 min e 5 s', '1 h', '1 h e 30 min'],
    ['ru', '0 с', '4 с', '1 мин 5 с', '1 ч', '1 ч 30 мин'],
    ['zh-CN', '0秒', '4秒', '1分钟5秒', '1小时', '1小时30分钟'],
  ])('Durations in %s have the units of the language, and no seconds from an hour on', (language, ...texts) => {
    expect([0, 4, 65, 3_600, 5_430].map((seconds) => durationText(seconds, { language }))).toEqual(texts);
  });

  it('Days follow the language, whatever the time zone', () => {
    const [start, end] = ['2026-01-01', '2026-01-31'];
    expect([daysText(start, start, english), daysText(start, end, english)]).toEqual([
      'Jan 1, 2026',
      'Jan 1\u2009–\u200931, 2026',
    ]);
    expect([daysText(start, end, german), shortDayText(end, german)]).toEqual(['01.–31.01.2026', '31.1.']);
    const at = Date.UTC(2026, 0, 31, 9, 5, 7);
    expect([utcTimeText(at, english), utcTimeText(at, german)]).toEqual([
      '01/31/2026, 09:05:07',
      '31.01.2026, 09:05:07',
    ]);
    expect([daysText(start, start, japanese), shortDayText(end, japanese)]).toEqual(['2026/01/01', '1/31']);
  });

  it('A duration of less than a minute keeps its fraction, and one of less than a second is in milliseconds', () => {
    expect([durationText(0.034, english), durationText(0.034, { language: 'ru' })]).toEqual(['34 ms', '34 мс']);
    expect([durationText(2.5, german), durationText(119.6, english)]).toEqual(['2,5 Sek.', '2 min']);
  });

  it('Limits and grants in English are as they are typed', () => {
    expect(limitsWords({ day: { amount: '0.5', tasks: 1 }, waiting: 3, weight: 2 }, english)).toBe(
      '$0.50 a day, 1 task a day, 3 waiting, weight 2',
    );
    expect(limitsWords({}, english)).toBe('none');
    expect(grantWords({ amount: '5', tasks: 2_000 }, english)).toBe('$5, 2,000 tasks');
  });
});

it('Sentences are separated by a space, except in Japanese and Chinese', () => {
  expect(sentencesText(['One.', 'Two.'], { language: 'ko' })).toBe('One. Two.');
  expect(sentencesText(['一。', '二。'], { language: 'ja' })).toBe('一。二。');
  expect(sentencesText(['一。', '二。'], { language: 'zh-CN' })).toBe('一。二。');
});
