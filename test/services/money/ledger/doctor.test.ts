import { describe, expect, it } from 'vitest';
import { amountOf, standingOf } from '../../../../src/services/money/entry.ts';
import { markDelivered } from '../../../../src/services/tasks/delivery-state.ts';
import { createStoreFixture, START, type StoreFixture, sql } from '../../store/store-fixture.ts';
import { startBot } from './bot-run.ts';
import { examineLedger } from './doctor.ts';

const allRows = (file: string): unknown =>
  sql(file, 'SELECT key, namespace, value FROM atelier ORDER BY namespace, key');

/** Three finished requests, a running one and a refused one. */
async function createSampleLedger(): Promise<StoreFixture> {
  const setup = createStoreFixture();
  const bot = await startBot(setup, { prices: { imagine: '0.05' } });
  await expect(bot.order('refused')).rejects.toThrow('no');
  for (let count = 0; count < 3; count++) {
    const { id } = await bot.order();
    await bot.end(id, 'succeeded');
    await bot.tasks.book.change(id, (task) => markDelivered(task, undefined, START));
  }
  await bot.order();
  await bot.stop();
  return setup;
}

const settledRow = "SELECT key FROM atelier WHERE namespace = 'ledger' AND value LIKE '%settled%' LIMIT 1";

const damageCases: [name: string, statement: string, found: Awaited<ReturnType<typeof examineLedger>>][] = [
  ['a lost entry', `DELETE FROM atelier WHERE key = (${settledRow})`, { 'entry-missing': 1 }],
  ['a lost ledger', "DELETE FROM atelier WHERE namespace = 'ledger'", { 'entry-missing': 4 }],
  [
    'an outcome that was not written',
    `UPDATE atelier SET value = replace(value, '"settled"', '"unconfirmed"') WHERE key = (${settledRow})`,
    { 'entry-different': 1 },
  ],
  [
    'an entry of another member',
    `UPDATE atelier SET value = replace(value, '"memberId":"1', '"memberId":"9') WHERE key = (${settledRow})`,
    { 'entry-different': 1 },
  ],
  [
    'a reservation with a different amount',
    `UPDATE atelier SET value = replace(value, '"amount":"0.05"', '"amount":"0.04"') WHERE key = (${settledRow})`,
    { 'entry-different': 1 },
  ],
  [
    'a reservation without a task',
    "UPDATE atelier SET value = replace(value, '\"refunded\"', '\"reserved\"') WHERE namespace = 'ledger' AND value LIKE '%refunded%'",
    { 'entry-different': 1 },
  ],
  [
    'an entry that cannot be read',
    `UPDATE atelier SET value = 'rubbish' WHERE key = (${settledRow})`,
    { unreadable: 1, 'entry-missing': 1 },
  ],
  [
    'an entry under the wrong key',
    `UPDATE atelier SET key = '2026-01-02:x' WHERE key = (${settledRow})`,
    { unreadable: 1, 'entry-missing': 1 },
  ],
  [
    'an amount that is not a number',
    `UPDATE atelier SET value = replace(value, '"amount":"0.05"', '"amount":"NaN"') WHERE key = (${settledRow})`,
    { unreadable: 1, 'entry-missing': 1 },
  ],
];

describe('The doctor and the ledger', () => {
  it('The doctor finds nothing in a healthy ledger', async () => {
    const setup = await createSampleLedger();
    expect(await examineLedger(setup, { repair: true })).toEqual({});
  });

  it.each(damageCases)('The doctor finds and repairs %s', async (_name, statement, expected) => {
    const setup = await createSampleLedger();
    sql(setup.file, statement);
    const rowsBefore = allRows(setup.file);
    expect(await examineLedger(setup)).toEqual(expected);
    expect(allRows(setup.file)).toEqual(rowsBefore);
    expect(await examineLedger(setup, { repair: true })).toEqual(expected);
    expect(await examineLedger(setup)).toEqual({});
    const bot = await startBot(setup);
    const standings = (await bot.entries()).map(standingOf).filter((standing) => standing !== 'refunded');
    expect(standings.sort()).toEqual(['reserved', 'settled', 'settled', 'settled']);
    const amounts = (await bot.entries()).map((entry) => amountOf(entry)?.amount);
    expect(new Set(amounts)).toEqual(new Set(['0.05']));
  });

  it('The doctor finds and repairs a cost that differs from that of its task', async () => {
    const setup = createStoreFixture();
    const bot = await startBot(setup, { prices: { imagine: '0.05' } });
    const { id } = await bot.order();
    await bot.tasks.book.change(id, (task) => ({ ...task, cost: '0.07' }));
    await bot.end(id, 'succeeded');
    await bot.stop();
    expect(await examineLedger(setup)).toEqual({});
    sql(setup.file, `UPDATE atelier SET value = replace(value, '"0.07"', '"0.01"') WHERE namespace = 'ledger'`);
    expect(await examineLedger(setup, { repair: true })).toEqual({ 'entry-different': 1 });
    expect(await examineLedger(setup)).toEqual({});
    const entries = await (await startBot(setup)).entries();
    expect(entries.map((entry) => amountOf(entry))).toEqual([{ amount: '0.07', isEstimate: false }]);
  });

  it('The doctor keeps entries of removed tasks and entries without a member', async () => {
    const setup = await createSampleLedger();
    sql(setup.file, "DELETE FROM atelier WHERE namespace = 'finished'");
    sql(
      setup.file,
      `INSERT INTO atelier (key, namespace, value) VALUES ('2025-12-31:nobody', 'ledger', '{"value":{"id":"nobody","at":1767182400000,"kind":"imagine","facts":[{"standing":"settled","at":1,"amount":"1.10"}]}}')`,
    );
    const rowsBefore = allRows(setup.file);
    expect(await examineLedger(setup)).toEqual({});
    const bot = await startBot(setup);
    const uses = await bot.ledger.queryUsage({ range: { start: '2025-12-31', end: '2025-12-31' } });
    expect(uses).toMatchObject([{ memberId: undefined, count: 1, amount: '1.10', isEstimate: false }]);
    await bot.stop();
    expect(allRows(setup.file)).toEqual(rowsBefore);
  });

  it('The doctor requires no ledger if there never was one', async () => {
    const setup = await createSampleLedger();
    sql(setup.file, "DELETE FROM atelier WHERE namespace = 'ledger' OR key = 'ledger'");
    expect(await examineLedger(setup)).toEqual({});
  });
});
