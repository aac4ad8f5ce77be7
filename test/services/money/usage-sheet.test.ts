import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, sumOf } from '../../../src/lib/decimals.ts';
import type { Usage } from '../../../src/services/gateway/usage.ts';
import { addDays } from '../../../src/services/money/usage-days.ts';
import type { UsageGroup } from '../../../src/services/money/usage-query.ts';
import { accountSheet, ledgerSheet } from '../../../src/services/money/usage-sheet.ts';

const range = { start: '2026-03-01', end: '2026-03-31' };
const amount = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.nat(10 ** 14))
  .map(([whole, part]) => `${whole}.${part}`);
const row = fc.record({
  date: fc.option(
    fc.integer({ min: -3, max: 33 }).map((days) => addDays(range.start, days)),
    { nil: undefined },
  ),
  model: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
  requests: fc.option(fc.nat(50), { nil: undefined }),
  amount: fc.option(amount, { nil: undefined }),
  items: fc.array(fc.record({ name: fc.constantFrom('a', 'd', ''), amount }), { maxLength: 3 }),
});

const inRange = (rows: Usage['rows']) =>
  rows.filter(({ date }) => date === undefined || (date >= range.start && date <= range.end));
const requestCount = (rows: readonly { requests: number | undefined }[]) =>
  rows.reduce((sum, one) => sum + (one.requests ?? 0), 0);
const exactSum = (amounts: (string | undefined)[]) => sumOf(amounts.flatMap((text) => text ?? [])) ?? '0';

describe('The sheet of the gateway account', () => {
  it('The sheet of the gateway account by day has a total that equals the sum of its rows, and the same number of requests', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        const { rows: sheetRows, requests } = accountSheet({ total: undefined, rows }, range, 'day');
        const expected = inRange(rows).map((one) => one.amount ?? sumOf(one.items.map((item) => item.amount)));
        expect(compare(exactSum(sheetRows.map((sheetRow) => sheetRow.amount)), exactSum(expected))).toBe(0);
        expect(requests ?? 0).toBe(requestCount(inRange(rows)));
        expect(new Set(sheetRows.map(({ label }) => label)).size).toBe(sheetRows.length);
        for (const { label } of sheetRows)
          expect(label === undefined || (label >= range.start && label <= range.end)).toBe(true);
      }),
    );
  });

  it('The sheet of the gateway account by model equals the sheet by day: no line item is lost or counted twice', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        const usage = { total: undefined, rows };
        const [byDay, byModel] = (['day', 'model'] as const).map((grouping) => accountSheet(usage, range, grouping));
        expect(compare(byModel?.total ?? '0', byDay?.total ?? '0')).toBe(0);
        expect(byModel?.requests).toBe(byDay?.requests);
      }),
    );
  });

  it("The sheet of the gateway account shows the gateway's total unchanged, but only if the response covers exactly the range", () => {
    const rowInRange = { date: '2026-03-02', model: 'a', requests: 1, amount: '1.50', items: [] };
    const rowOutsideRange = { ...rowInRange, date: '2026-04-01', amount: '9' };
    expect(accountSheet({ total: '1.500', rows: [rowInRange] }, range, 'day')).toMatchObject({
      total: '1.500',
      notes: [],
    });
    expect(accountSheet({ total: '10.50', rows: [rowInRange, rowOutsideRange] }, range, 'day')).toMatchObject({
      total: '1.50',
      notes: [{ kind: 'otherDays', count: 1, first: '2026-04-01', last: '2026-04-01', total: '10.50' }],
    });
    expect(accountSheet({ total: '9', rows: [rowOutsideRange] }, range, 'day')).toMatchObject({
      total: undefined,
      rows: [],
    });
    expect(accountSheet({ total: '2', rows: [rowInRange] }, range, 'day').notes).toEqual([
      { kind: 'differs', sum: '1.50' },
    ]);
    expect(accountSheet({ total: '7', rows: [] }, range, 'day').notes).toEqual([{ kind: 'totalOnly' }]);
  });

  it('The sheet of the gateway account refuses an amount that would exhaust the memory', () => {
    const rows = [{ date: undefined, model: 'a', requests: 1, amount: '1e999999999', items: [] }];
    expect(() => accountSheet({ total: undefined, rows }, range, 'day')).toThrow('out of range');
  });
});

describe("The sheet of the bot's ledger", () => {
  const use: UsageGroup = {
    day: '2026-03-02',
    memberId: '1',
    roleIds: [],
    type: 'imagine',
    model: undefined,
    count: 1,
    amount: '0.10',
    isEstimate: false,
    state: 'settled',
  };

  it("The sheet of the bot's ledger by role counts a member with several roles under each of them, and once in the total", () => {
    const uses: UsageGroup[] = [
      { ...use, roleIds: ['artists', 'staff'] },
      { ...use, roleIds: ['staff'], count: 3, amount: '0.3' },
      { ...use, count: 2, amount: '0.02' },
    ];
    const sheet = ledgerSheet(uses, range, 'role', 'server');
    expect(sheet.rows.map(({ label, requests, amount }) => [label, requests, amount])).toEqual([
      ['staff', 4, '0.40'],
      ['artists', 1, '0.10'],
      [undefined, 2, '0.02'],
    ]);
    expect(sheet).toMatchObject({ requests: 6, total: '0.42', notes: [{ kind: 'severalRoles' }] });
    expect(ledgerSheet(uses.slice(1), range, 'role', 'server').notes).toEqual([]);
  });

  it("The sheet of the bot's ledger counts orders that have ended, and reports the others in notes", () => {
    const uses: UsageGroup[] = [
      use,
      { ...use, memberId: '2', count: 2, amount: '0.2', isEstimate: true },
      { ...use, memberId: undefined, amount: undefined },
      { ...use, state: 'open', count: 4 },
      { ...use, state: 'unconfirmed', count: 5 },
    ];
    const sheet = ledgerSheet(uses, range, 'member', 'members');
    expect(sheet.rows).toEqual([
      { label: '2', requests: 2, amount: '0.2', isEstimate: true },
      { label: '1', requests: 1, amount: '0.10', isEstimate: false },
      { label: undefined, requests: 1, amount: undefined, isEstimate: false },
    ]);
    expect(sheet).toMatchObject({ total: '0.30', requests: 4, isEstimate: true });
    expect(sheet.notes).toEqual([
      { kind: 'unpriced', count: 1 },
      { kind: 'open', count: 4 },
      { kind: 'unconfirmed', count: 5 },
    ]);
  });

  it("The sheet of the bot's ledger reports no missing price if there are no prices at all, and an order without a model has no label", () => {
    const sheet = ledgerSheet([{ ...use, amount: undefined }], range, 'model', 'own');
    expect(sheet).toMatchObject({ total: undefined, notes: [], rows: [{ label: undefined, requests: 1 }] });
  });
});
