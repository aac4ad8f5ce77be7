import { describe, expect, it } from 'vitest';
import type { LedgerEntry, Standing } from '../../../../src/services/money/entry.ts';
import { amountOf, standingOf } from '../../../../src/services/money/entry.ts';
import { markDelivered } from '../../../../src/services/tasks/delivery-state.ts';
import { order } from '../../orders/builders.ts';
import { createStoreFixture, DAY_MS, makeTask, START, sql } from '../../store/store-fixture.ts';
import { type BotRun, startBot } from './bot-run.ts';
import { examineLedger } from './doctor.ts';

const readStanding = async (bot: BotRun, id: string): Promise<Standing | undefined> => {
  await bot.ledger.flush();
  const entry = (await bot.entries()).find((one) => one.id === id);
  return entry && standingOf(entry);
};
async function allStandings(bot: BotRun): Promise<Standing[]> {
  await bot.ledger.flush();
  return (await bot.entries()).map(standingOf).sort();
}

describe('The ledger entry of a request', () => {
  it('The ledger entry of a running task is a reservation with its member, server, channel and model, but not its prompt', async () => {
    const bot = await startBot();
    const task = await bot.order('accepted', { request: { prompt: 'a fox', model: 'm-1' } });
    expect(await bot.entries()).toEqual([
      {
        id: task.id,
        at: task.times.created,
        memberId: order.requesterId,
        guildId: order.guildId,
        channelId: order.channelId,
        kind: 'imagine',
        model: 'm-1',
        facts: [{ standing: 'reserved', at: task.times.created }],
      },
    ]);
    expect(JSON.stringify(await bot.entries())).not.toContain('a fox');
  });

  it.each([
    ['succeeded', 'settled'],
    ['failed', 'refunded'],
    ['cancelled', 'refunded'],
    ['expired', 'refunded'],
  ] as const)('The ledger entry of a task whose job ends as %s is %s', async (end, expected) => {
    const bot = await startBot();
    const { id } = await bot.order();
    await bot.end(id, end);
    expect(await readStanding(bot, id)).toBe(expected);
  });

  it('The ledger entry of a refused request is refunded', async () => {
    const bot = await startBot();
    await expect(bot.order('refused')).rejects.toThrow('no');
    expect(await allStandings(bot)).toEqual(['refunded']);
  });

  it('The delivery of a result adds no fact to its ledger entry', async () => {
    const bot = await startBot();
    const { id } = await bot.order();
    await bot.end(id, 'succeeded');
    await bot.tasks.book.change(id, (task) => markDelivered(task, undefined, START));
    expect(await readStanding(bot, id)).toBe('settled');
    expect((await bot.entries()).find((entry) => entry.id === id)?.facts).toHaveLength(2);
  });

  it('The ledger entry of a request is unconfirmed if the outcome of the submit is unknown, and settled when the member dismisses the request', async () => {
    const bot = await startBot();
    const { id } = await bot.order('unknown');
    expect(await readStanding(bot, id)).toBe('unconfirmed');
    await bot.tasks.orders.dismiss(id, order.requesterId);
    expect(await readStanding(bot, id)).toBe('settled');
  });

  it.each([1, 2, 3])(
    'After a crash at write %d of the dismissal of a 100-day-old request, its ledger entry matches its task',
    async (crashesAfterWrites) => {
      const setup = createStoreFixture();
      const first = await startBot(setup);
      const { id } = await first.order('unknown');
      await first.tasks.book.change(id, (task) => markDelivered(task, undefined, setup.clock.now()));
      await first.stop();
      setup.clock.advance(100 * DAY_MS);
      const second = await startBot(setup);
      await second.stop();
      const dying = await startBot(setup, { crashesAfterWrites });
      await dying.tasks.orders.dismiss(id, order.requesterId).catch(() => undefined);
      await dying.die();
      const last = await startBot(setup);
      const isDismissed = (await last.tasks.book.get(id))?.failure?.cause === 'dismissed';
      expect(await allStandings(last)).toEqual([isDismissed ? 'settled' : 'unconfirmed']);
    },
  );

  it('A second reservation for the same task does not change its ledger entry', async () => {
    const bot = await startBot();
    const task = await bot.order();
    await bot.end(task.id, 'succeeded');
    await bot.ledger.flush();
    await bot.ledger.reserve(task);
    expect(await allStandings(bot)).toEqual(['settled']);
  });

  it('Each attempt at a request has its own ledger entry, and a retry settles the first', async () => {
    const bot = await startBot();
    const { id } = await bot.order('unknown');
    const { kind: _, request: __, ...origin } = order;
    await bot.tasks.orders.tryAgain(id, origin);
    expect(await allStandings(bot)).toEqual(['settled', 'unconfirmed']);
  });

  it('The ledger entry of a request stays unconfirmed if its retry is refused', async () => {
    const bot = await startBot();
    const { id } = await bot.order('unknown');
    // The outcome of the last order also applies to the retry.
    await expect(bot.order('refused')).rejects.toThrow('no');
    const { kind: _, request: __, ...origin } = order;
    await expect(bot.tasks.orders.tryAgain(id, origin)).rejects.toThrow('no');
    expect(await readStanding(bot, id)).toBe('unconfirmed');
    expect(await allStandings(bot)).toEqual(['refunded', 'refunded', 'unconfirmed']);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'After a crash at write %d of a retry, the ledger entry of the old request matches its task',
    async (crashesAfterWrites) => {
      const setup = createStoreFixture();
      const first = await startBot(setup);
      const { id } = await first.order('unknown');
      await first.tasks.book.change(id, (task) => markDelivered(task, undefined, setup.clock.now()));
      await first.stop();
      setup.clock.advance(100 * DAY_MS);
      await (await startBot(setup)).stop();
      const dying = await startBot(setup, { crashesAfterWrites });
      const { kind: _, request: __, ...origin } = order;
      await dying.tasks.orders.tryAgain(id, origin).catch(() => undefined);
      await dying.die();
      const last = await startBot(setup);
      await last.ledger.flush();
      const isRepeated = (await last.tasks.book.get(id))?.isRepeated === true;
      expect(await readStanding(last, id)).toBe(isRepeated ? 'settled' : 'unconfirmed');
    },
  );

  it('A ledger entry is written before the submit, and nothing is submitted without it', async () => {
    const setup = createStoreFixture();
    const bot = await startBot(setup);
    sql(
      setup.file,
      "CREATE TRIGGER full BEFORE INSERT ON atelier WHEN NEW.namespace = 'ledger' BEGIN SELECT RAISE(FAIL, 'full'); END",
    );
    await expect(bot.order()).rejects.toMatchObject({ name: 'StoreError' });
    expect(bot.submittedIds).toEqual([]);
    expect(await bot.store.live()).toEqual([]);
  });

  it('The ledger entry of a request is refunded if the task cannot be stored', async () => {
    const setup = createStoreFixture();
    const bot = await startBot(setup);
    sql(
      setup.file,
      "CREATE TRIGGER full BEFORE INSERT ON atelier WHEN NEW.namespace = 'live' BEGIN SELECT RAISE(FAIL, 'full'); END",
    );
    await expect(bot.order()).rejects.toMatchObject({ name: 'StoreError' });
    expect(await allStandings(bot)).toEqual(['refunded']);
  });
});

describe('A ledger fact that cannot be written', () => {
  const rejectLedgerWrites =
    "CREATE TRIGGER full BEFORE INSERT ON atelier WHEN NEW.namespace = 'ledger' BEGIN SELECT RAISE(FAIL, 'full'); END";

  it('A ledger fact that could not be written does not delay a result, and is written with the next change of its task', async () => {
    const setup = createStoreFixture();
    const bot = await startBot(setup);
    const { id } = await bot.order();
    sql(setup.file, rejectLedgerWrites);
    expect((await bot.end(id, 'succeeded')).state).toBe('ready');
    expect(await readStanding(bot, id)).toBe('reserved');
    expect(setup.logged.join('')).toContain('could not be written to the ledger');
    sql(setup.file, 'DROP TRIGGER full');
    await bot.tasks.book.change(id, (task) => markDelivered(task, undefined, START));
    expect(await readStanding(bot, id)).toBe('settled');
  });

  it('A ledger fact that could not be written is written when the bot stops or at the next startup', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup);
    const [one, other] = [await first.order(), await first.order()];
    sql(setup.file, rejectLedgerWrites);
    await first.end(one.id, 'succeeded');
    await first.tasks.book.change(one.id, (task) => markDelivered(task, undefined, START));
    await first.stop();
    sql(setup.file, 'DROP TRIGGER full');
    const second = await startBot(setup);
    expect(await readStanding(second, one.id)).toBe('settled');

    sql(setup.file, rejectLedgerWrites);
    await second.end(other.id, 'failed');
    await second.ledger.flush();
    sql(setup.file, 'DROP TRIGGER full');
    await second.stop();
    expect(await examineLedger(setup)).toEqual({});
    const third = await startBot(setup);
    expect(await readStanding(third, other.id)).toBe('refunded');
  });
});

describe('The ledger at startup', () => {
  it('At startup the ledger restores a lost entry of a live task', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup);
    const { id } = await first.order();
    await first.stop();
    sql(setup.file, "DELETE FROM atelier WHERE namespace = 'ledger'");
    const second = await startBot(setup);
    expect(await readStanding(second, id)).toBe('reserved');
    await second.end(id, 'succeeded');
    expect(await readStanding(second, id)).toBe('settled');
  });

  it('At startup the ledger is checked no further back than the oldest request that may still be open', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup);
    const { id } = await first.order();
    await first.end(id, 'succeeded');
    await first.stop();
    setup.clock.advance(2 * DAY_MS);
    await (await startBot(setup)).stop();
    expect(sql(setup.file, "SELECT value FROM atelier WHERE key = 'ledger'")[0]?.value).toContain('2026-01-01');
    const last = await startBot(setup);
    await last.tasks.book.change(id, (task) => markDelivered(task, undefined, START));
    await last.stop();
    await (await startBot(setup)).stop();
    expect(sql(setup.file, "SELECT value FROM atelier WHERE key = 'ledger'")[0]?.value).toContain('2026-01-03');
  });
});

describe('A ledger entry', () => {
  it.each([-1, 1e300])('A task with an invalid time (%d) gets a ledger entry at startup', async (created) => {
    const setup = createStoreFixture();
    const store = await setup.open();
    await store.put(makeTask({ id: 'senseless00000000', state: 'ready', times: { created } }));
    await store.close();
    const bot = await startBot(setup);
    expect((await bot.entries()).map(standingOf)).toEqual(['settled']);
    await bot.stop();
    expect(await examineLedger(setup)).toEqual({});
  });

  it('A ledger entry outlives its task unchanged', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup, { prices: { imagine: '0.05' } });
    const [done, lost] = [await first.order(), await first.order('unknown')];
    await first.end(done.id, 'succeeded');
    for (const { id } of [done, lost])
      await first.tasks.book.change(id, (task) => markDelivered(task, undefined, setup.clock.now()));
    await first.stop();
    const reopened = await startBot(setup);
    const entries = await reopened.entries();
    await reopened.stop();
    setup.clock.advance(401 * DAY_MS);
    const later = await startBot(setup);
    expect(await later.tasks.book.get(done.id)).toBeUndefined();
    expect(await later.entries()).toEqual(entries);
    expect(entries.map(standingOf).sort()).toEqual(['settled', 'unconfirmed']);
  });

  it('The estimated amount of a ledger entry is the price of its model, or else of its kind; without configured prices there is none', async () => {
    const bot = await startBot(createStoreFixture(), { prices: { imagine: '0.05', 'imagine:dear': '1.00' } });
    const expensive = await bot.order('accepted', { request: { prompt: 'x', model: 'dear' } });
    const plain = await bot.order('accepted', { request: { prompt: 'y', model: 'constructor' } });
    const amounts = new Map((await bot.entries()).map((entry) => [entry.id, amountOf(entry)]));
    expect(amounts.get(expensive.id)).toEqual({ amount: '1.00', isEstimate: true });
    expect(amounts.get(plain.id)).toEqual({ amount: '0.05', isEstimate: true });
    const free = await startBot();
    await free.order();
    expect((await free.entries()).map(amountOf)).toEqual([undefined]);
  });

  it('A ledger entry that cannot be read is set aside and restored from its task', async () => {
    const setup = createStoreFixture();
    const bot = await startBot(setup);
    const { id } = await bot.order();
    sql(setup.file, "UPDATE atelier SET value = 'rubbish' WHERE namespace = 'ledger'");
    await bot.end(id, 'succeeded');
    expect(await readStanding(bot, id)).toBe('settled');
    expect(sql(setup.file, "SELECT count(*) AS n FROM atelier WHERE namespace = 'quarantine'")).toEqual([{ n: 1 }]);
    sql(setup.file, "UPDATE atelier SET value = 'rubbish' WHERE namespace = 'ledger'");
    expect(await bot.ledger.queryUsage({ range: { start: '2026-01-01', end: '2026-01-01' } })).toEqual([]);
    expect(sql(setup.file, "SELECT count(*) AS n FROM atelier WHERE namespace = 'ledger'")).toEqual([{ n: 0 }]);
  });

  it('A ledger entry has the amount that the gateway reported', () => {
    const entry: LedgerEntry = {
      id: 'x',
      at: 0,
      kind: 'imagine',
      facts: [
        { standing: 'reserved', at: 0, amount: '0.05' },
        { standing: 'settled', at: 1, amount: '0.0700' },
      ],
    };
    expect(amountOf(entry)).toEqual({ amount: '0.0700', isEstimate: false });
  });
});
