import { describe, expect, it } from 'vitest';
import { chartAlt, chartOf } from '../../../src/commands/usage/chart.ts';
import { csvOf, usagePage } from '../../../src/commands/usage/page.ts';
import { tableOf } from '../../../src/commands/usage/table.ts';
import { textWidth } from '../../../src/lib/text-width.ts';
import { say, sayIn } from '../../../src/locales/index.ts';
import { addDays } from '../../../src/services/money/usage-days.ts';
import type { Sheet, SheetRow } from '../../../src/services/money/usage-sheet.ts';

const LONG_AMOUNT = '123456789012.345678901234567890';

const row = (label: string | undefined, amount: string | undefined, requests: number | undefined = 1): SheetRow => ({
  label,
  amount,
  requests,
  isEstimate: false,
});

const sheetOf = (lines: SheetRow[], changes: Partial<Sheet> = {}): Sheet => ({
  subject: 'account',
  range: { start: '2026-03-04', end: '2026-03-10' },
  by: 'model',
  rows: lines,
  total: '1',
  requests: lines.length,
  isEstimate: false,
  notes: [],
  ...changes,
});

const page = (sheet: Sheet, unit?: 'cents', isExact = false) =>
  usagePage(
    {
      sheet,
      of: 'account',
      chart: undefined,
      unit,
      isExact,
      today: '2026-03-10',
      allowances: [],
      places: [],
      postedBy: undefined,
    },
    say,
  );

const rows = (text: string): string[] => text.split('\n').slice(1, -1);

describe('The table of /usage', () => {
  it('The table of /usage aligns its columns and fits the width of a phone', () => {
    const sheet = sheetOf([row('verse-1', '12.50', 10), row('lumen-image-1', '3', 2), row(undefined, undefined, 1)]);
    const { text, rowCount } = tableOf(sheet, { unit: 'cents', isExact: false, maxLength: 2_000 }, say);
    expect(rowCount).toBe(3);
    expect(rows(text)).toEqual([
      'Model          Count  Cents  Dollars',
      'verse-1           10  12.50   0.1250',
      'lumen-image-1      2      3     0.03',
      'unknown model      1      -        -',
    ]);
  });

  it('The table of /usage counts a wide character as two columns, and so does what it leaves out of a long name', () => {
    const sheet = sheetOf([row('image', '1', 3), row('画'.repeat(30), '2', 4)], { by: 'kind' });
    const [head, ...lines] = rows(
      tableOf(sheet, { unit: undefined, isExact: false, maxLength: 2_000 }, sayIn('ja')).text,
    );
    expect(lines.slice(-2)).toEqual([`${'画'.repeat(9)}…${'画'.repeat(8)}`, `${' '.repeat(29)}4     2`]);
    expect([head, ...lines].map((line) => textWidth(line ?? ''))).toEqual([36, 36, 35, 36]);
  });

  it.each([
    ['an amount of thirty digits', [row('2026-03-10', LONG_AMOUNT)]],
    ['a name of ninety characters', [row('n'.repeat(90), '1.5')]],
    ['both', [row('Harbour/Canvas-XL:2026-03-01', LONG_AMOUNT), row('n'.repeat(90), LONG_AMOUNT)]],
  ])('The table of /usage shows every digit next to %s, even on a phone', (_name, lines) => {
    const { text } = tableOf(sheetOf(lines), { unit: 'cents', isExact: false, maxLength: 2_000 }, say);
    for (const { amount = '' } of lines) expect(text).toContain(amount);
    for (const row of rows(text)) expect(row.length, row).toBeLessThanOrEqual(36);
  });

  it('The table of /usage puts the numbers below a name that is too long', () => {
    const { text } = tableOf(
      sheetOf([row('Harbour/Canvas-XL:2026-03-01', LONG_AMOUNT)]),
      { unit: undefined, isExact: false, maxLength: 2_000 },
      say,
    );
    expect(text).toContain(`Harbour/Canvas-XL:2026-03-01\n  ${LONG_AMOUNT}`);
  });

  it('The table of /usage puts the long name of a type of task above its numbers where they leave no room, and keeps all columns', () => {
    const rowsOf = (label: string): string[] => {
      const sheet = sheetOf([{ ...row(label, '0.1009', 2), isEstimate: true }], { by: 'kind', subject: 'own' });
      return rows(tableOf(sheet, { unit: undefined, isExact: false, maxLength: 2_000 }, say).text);
    };
    expect(rowsOf('Animation (high motion)').slice(1)).toEqual([
      'Animation (high motion)',
      `${' '.repeat(25)}2  ≈ $0.101`,
    ]);
    expect(rowsOf('Image description')[1]).toBe('Image description      2  ≈ $0.101');
  });

  it('The table of /usage stays one code block for any model name', () => {
    const { text } = tableOf(
      sheetOf([row('a```b\n@everyone\u202Ec\u0000', '1')]),
      { unit: undefined, isExact: false, maxLength: 2_000 },
      say,
    );
    expect(text.match(/```/g)).toHaveLength(2);
    expect(rows(text)).toHaveLength(2);
    expect(text).not.toContain('\u202E');
    expect(text).not.toContain('\u0000');
  });
});

describe('The page of /usage', () => {
  it('The page of /usage fits into one message and says how many more rows the CSV has', () => {
    const lines = Array.from({ length: 366 }, (_, index) =>
      row(addDays('2026-03-10', -index), `${index}${LONG_AMOUNT}`),
    );
    const { content = '', files = [] } = page(sheetOf(lines, { by: 'day' }), 'cents');
    expect(content.length).toBeLessThanOrEqual(2_000);
    const omittedCount = /(\d+) more rows/.exec(content)?.[1];
    const shownRows = content.match(/^[A-Z][a-z]{2} \d{1,2}, 20\d\d/gm) ?? [];
    expect(shownRows[0]).toBe('Mar 10, 2026');
    expect(shownRows.length + Number(omittedCount)).toBe(366);
    expect(files[0]?.bytes?.toString().trim().split('\r\n')).toHaveLength(367);
  });

  it('The page of /usage fits into one message with hundreds of members and all notes', () => {
    const lines = Array.from({ length: 400 }, (_, index) => row(String(10n ** 18n + BigInt(index)), LONG_AMOUNT));
    const notes: Sheet['notes'] = [
      { kind: 'atGateway', total: LONG_AMOUNT.repeat(2).replace('.', '') },
      { kind: 'otherDays', count: 9, first: '2025-01-01', last: '2026-01-01', total: LONG_AMOUNT },
      { kind: 'undated' },
      ...(['unpriced', 'open', 'unconfirmed'] as const).map((kind) => ({ kind, count: 12 })),
    ];
    const { content = '' } = page(
      sheetOf(lines, { by: 'member', subject: 'members', notes, isEstimate: true }),
      'cents',
    );
    expect(content.length).toBeLessThanOrEqual(2_000);
    expect(content).toMatch(/#1 .*\n```\n#1 <@1000000000000000000> · #2 <@/s);
    const shownRows = content.match(/^#\d+ +\d/gm) ?? [];
    expect(shownRows.length).toBeGreaterThan(3);
    expect(content.match(/<@/g)).toHaveLength(shownRows.length);
  });

  it('The page of /usage shows no currency if none is known, and dollars for the bot’s own amounts', () => {
    const sheet = sheetOf([row('verse-1', '1')]);
    expect(JSON.stringify(page(sheet))).not.toMatch(/\$|USD|dollar/i);
    const ownSheet = sheetOf([{ ...row('verse-1', '1.4999184797815182'), isEstimate: true }], {
      subject: 'own',
      total: '1.4999184797815182',
      isEstimate: true,
    });
    const ownPage = page(ownSheet, 'cents');
    expect(ownPage.content).toContain('Total: **≈ $1.50** for 1 task');
    expect(ownPage.content).toMatch(/Count +Amount\nverse-1 +1 +≈ \$1\.50/);
    expect(page(ownSheet, 'cents', true).content).toContain('Total: **≈ $1.4999184797815182** for 1 task');
    expect(ownPage.files?.[0]?.bytes?.toString()).toContain('1.4999184797815182');
    expect(page(sheet, 'cents').content).toContain('**1 cents (= $0.01)**');
    expect(page(sheet).content).toContain('Amounts are in the gateway’s own unit.');
  });

  it('The page of /usage compares estimates with costs by model, for at most five models', () => {
    const models = Array.from({ length: 7 }, (_, i) => ({
      label: `m-${i}\n\`@here\`${'x'.repeat(90)}`,
      count: i + 1,
      estimate: '1.2345',
      cost: `0.0${7 - i}`,
    }));
    const { content = '' } = page(
      sheetOf([row('m-0', '1')], { subject: 'own', notes: [{ kind: 'compared', models }] }),
    );
    expect(content).toContain(
      'Estimates compared with costs, as the gateway reported them or by the tokens it counted:',
    );
    expect(content).toMatch(/m-0.*: \$1\.24 estimated, \$0\.07 in the end \(1 task\)/);
    expect(content.match(/estimated, /g)).toHaveLength(5);
    const exact = sheetOf([row('m-0', '1')], { subject: 'own', notes: [{ kind: 'compared', models }] });
    expect(page(exact, undefined, true).content).toMatch(/m-0.*: \$1\.2345 estimated, /);
    for (const row of content.split('\n')) expect(row.length).toBeLessThanOrEqual(110);
  });

  it('The page of /usage marks the selected range in its buttons', () => {
    const buttonStyles = (page(sheetOf([])).controls ?? []).map((control) => 'style' in control && control.style);
    expect(buttonStyles).toEqual(['plain', 'primary', 'plain', 'plain']);
  });
});

describe('The CSV of /usage', () => {
  const csv = (label: string, amount = '1'): string =>
    csvOf(sheetOf([row(label, amount)]), undefined)
      .toString()
      .split('\r\n')
      .slice(1)
      .join('\r\n');

  it('The CSV of /usage quotes special characters', () => {
    expect(csv('a,b')).toBe('"a,b",1,1\r\n');
    expect(csv('a"b')).toBe('"a""b",1,1\r\n');
    expect(csv('a\r\nb')).toBe('"a\r\nb",1,1\r\n');
  });

  it.each(['=1+1', '+cmd', '-cmd', '@sum', '\t=1', ' =1', '＝1', '=HYPERLINK("http://x")', '-1+1'])(
    'The CSV of /usage escapes %j so that spreadsheet programs do not evaluate it',
    (label) => expect(csv(label)).toMatch(/^"?'/),
  );

  it('The CSV of /usage keeps amounts unchanged, including their sign', () => {
    for (const amount of ['-1.50', '+2', '1e-7', '-0.000000000000000000001'])
      expect(csv('a', amount)).toBe(`a,1,${amount}\r\n`);
  });

  it('The CSV of /usage marks estimates in a separate column', () => {
    const sheet = sheetOf([{ ...row('a', '0.1'), isEstimate: true }, row('b', '0.2')], { isEstimate: true });
    expect(csvOf(sheet, undefined).toString()).toBe('model,requests,amount,estimate\r\na,1,0.1,yes\r\nb,1,0.2,no\r\n');
  });
});

describe('The chart of /usage', () => {
  it('The chart of /usage has a bar for every day of the range', () => {
    const image = chartOf(sheetOf([row('2026-03-09', '2.50'), row('2026-03-05', '1')], { by: 'day' }), undefined, say);
    expect(image?.entries.map(({ label, text }) => `${label} ${text}`)).toEqual([
      '3/4 0',
      '3/5 1',
      '3/6 0',
      '3/7 0',
      '3/8 0',
      '3/9 2.50',
      '3/10 0',
    ]);
  });

  it('The chart of /usage combines all further entries in the tenth bar, with an exact sum', () => {
    const lines = Array.from({ length: 14 }, (_, index) => row(`m${index}`, `${20 - index}.1`));
    const image = chartOf(sheetOf(lines), undefined, say);
    expect(image?.entries).toHaveLength(10);
    expect(image?.entries.at(-1)).toEqual({ label: '5 others', amount: '45.5', text: '45.5' });
  });

  it('The chart of /usage numbers a name with characters that it cannot draw, as the table does with members', () => {
    const names = ['山田太郎', 'a \u{1f984}', 'Иван'];
    const image = chartOf(sheetOf(names.map((name, index) => row(name, `${9 - index}`))), undefined, say);
    expect(image?.entries.map(({ label }) => label)).toEqual(['山田太郎', '#2', 'Иван']);
    const largest = chartOf(sheetOf([row('\u{1f984}', '1')]), undefined, say);
    expect(largest?.facts).toContain('Largest: #1 with 1');
  });

  it('The alt text of the chart contains the range, the total and the largest entry', () => {
    const image = chartOf(
      sheetOf([row('verse-1', LONG_AMOUNT), row('b', '1')], { total: LONG_AMOUNT }),
      undefined,
      say,
    );
    expect(image && chartAlt(image, say)).toBe(
      `Bar chart. Account usage by model. Mar 4 – 10, 2026. Total: ${LONG_AMOUNT}. Largest: verse-1 with ${LONG_AMOUNT}.`,
    );
  });

  it('The chart of /usage counts requests if amounts are unknown, and is omitted without data', () => {
    const counts = chartOf(sheetOf([row('a', undefined, 3), row('b', undefined, 1)], { requests: 4 }), undefined, say);
    expect(counts?.entries.map(({ text }) => text)).toEqual(['3', '1']);
    expect(counts?.facts).toContain('Total: 4 requests');
    const many = sheetOf([row('a', undefined, 12_345), row('b', undefined, 1)]);
    expect(chartOf(many, undefined, sayIn('de'))?.entries[0]?.text).toBe('12.345');
    expect(tableOf(many, { unit: undefined, isExact: false, maxLength: 500 }, sayIn('de')).text).toContain('12.345');
    expect(chartOf(sheetOf([]), undefined, say)).toBeUndefined();
    expect(chartOf(sheetOf([row(undefined, '1')], { by: 'day' }), undefined, say)).toBeUndefined();
  });
});
