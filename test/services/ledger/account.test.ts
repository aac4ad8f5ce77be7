import { describe, expect, it } from 'vitest';
import type { Entry, Standing } from '../../../src/services/ledger/entry.ts';
import { amountOf, standingOf } from '../../../src/services/ledger/entry.ts';
import { markDelivered } from '../../../src/services/tasks/delivery-state.ts';
import { createStoreFixture, DAY_MS, makeTask, START, sql } from '../store/stage.ts';
import { order } from '../tasks/made.ts';
import { examineLedger } from './doctor.ts';
import { type BotRun, startBot } from './scene.ts';

const readStanding = async (setup: BotRun, id: string): Promise<Standing | undefined> => {
  await setup.ledger.flush();
  const entry = (await setup.entries()).find((one) => one.id === id);
  return entry && standingOf(entry);
};
async function allStandings(setup: BotRun): Promise<Standing[]> {
  await setup.ledger.flush();
  return (await setup.entries()).map(standingOf).sort();
}

describe('The ledger entry of a request', () => {
  it('The ledger entry of a request is reserved before the submit, with its member, server, channel and model', async () => {
    const bot = await startBot();
    const task = await bot.order('taken', { request: { prompt: 'a fox', model: 'm-1' } });
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
  ] as const)('The ledger entry of a task that ended as %s is %s', async (end, expected) => {
    const bot = await startBot();
    const { id } = await bot.order();
    await bot.end(id, end);
    expect(await readStanding(bot, id)).toBe(expected);
  });

  it('The ledger entry of a request is refunded after a refusal, and gets no further fact on delivery', async () => {
    const bot = await startBot();
    await expect(bot.order('refused')).rejects.toThrow('no');
    expect(await allStandings(bot)).toEqual(['refunded']);
    const { id } = await bot.order();
    await bot.end(id, 'succeeded');
    await bot.tasks.book.change(id, (task) => markDelivered(task, undefined, START));
    expect(await readStanding(bot, id)).toBe('settled');
    expect((await bot.entries()).find((entry) => entry.id === id)?.facts).toHaveLength(2);
  });

  it('The ledger entry of a request stays unconfirmed for an unknown outcome, and is settled when the member dismisses it', async () => {
    const bot = await startBot();
    const { id } = await bot.order('unknown');
    expect(await readStanding(bot, id)).toBe('unconfirmed');
    await bot.tasks.orders.dismiss(id, order.requesterId);
    expect(await readStanding(bot, id)).toBe('settled');
  });

  it.each([1, 2, 3])(
    'After a crash at write %d of its dismissal, the ledger entry of an old order matches its task',
    async (diesAfter) => {
      const setup = createStoreFixture();
      const first = await startBot(setup);
      const { id } = await first.order('unknown');
      await first.tasks.book.change(id, (task) => markDelivered(task, undefined, setup.clock.now()));
      await first.stop();
      setup.clock.advance(100 * DAY_MS);
      const second = await startBot(setup);
      await second.stop();
      const dying = await startBot(setup, { diesAfter });
      await dying.tasks.orders.dismiss(id, order.requesterId).catch(() => undefined);
      await dying.die();
      const last = await startBot(setup);
      const isDismissed = (await last.tasks.book.get(id))?.failure?.cause === 'dismissed';
      expect(await allStandings(last)).toEqual([isDismissed ? 'settled' : 'unconfirmed']);
    },
  );

  it('The ledger entry of a request is reserved only once, however often that is requested', async () => {
    const bot = await startBot();
    const task = await bot.order();
    await bot.end(task.id, 'succeeded');
    await bot.ledger.flush();
    await bot.ledger.reserve(task);
    expect(await allStandings(bot)).toEqual(['settled']);
  });

  it('Each attempt of a request has its own ledger entry, and the first counts at its estimate', async () => {
    const bot = await startBot();
    const { id } = await bot.order('unknown');
    const { kind: _, request: __, ...origin } = order;
    await bot.tasks.orders.tryAgain(id, origin);
    expect(await allStandings(bot)).toEqual(['settled', 'unconfirmed']);
  });

  it('The ledger entry of a request stays unconfirmed if its retry is refused', async () => {
    const bot = await startBot();
    const { id } = await bot.order('unknown');
    await expect(bot.order('refused')).rejects.toThrow('no');
    const { kind: _, request: __, ...origin } = order;
    await expect(bot.tasks.orders.tryAgain(id, origin)).rejects.toThrow('no');
    expect(await readStanding(bot, id)).toBe('unconfirmed');
    expect(await allStandings(bot)).toEqual(['refunded', 'refunded', 'unconfirmed']);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'After a crash at write %d of a retry, the entries match their tasks',
    async (diesAfter) => {
      const setup = createStoreFixture();
      const first = await startBot(setup);
      const { id } = await first.order('unknown');
      await first.tasks.book.change(id, (task) => markDelivered(task, undefined, setup.clock.now()));
      await first.stop();
      setup.clock.advance(100 * DAY_MS);
      await (await startBot(setup)).stop();
      const dying = await startBot(setup, { diesAfter });
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

  it('A ledger fact that could not be written is written when the bot stops or at the next start', async () => {
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

describe('The ledger at start', () => {
  it('At start the ledger is created from all stored tasks if the store has none', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup);
    const [open, done, lost] = [await first.order(), await first.order(), await first.order('unknown')];
    await first.end(done.id, 'succeeded');
    await first.tasks.book.change(done.id, (task) => markDelivered(task, undefined, START));
    await first.stop();
    const reopened = await await startBot(setup).then(async (bot) => ({ bot, entries: await bot.entries() }));
    await reopened.bot.stop();
    sql(setup.file, "DELETE FROM atelier WHERE namespace = 'ledger' OR key = 'ledger'");
    const second = await startBot(setup);
    expect(await second.entries()).toEqual(reopened.entries);
    expect(reopened.entries.map(({ id }) => id).sort()).toEqual([open.id, done.id, lost.id].sort());
  });

  it('At start the ledger restores a lost entry of a live task', async () => {
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

  it('At start the ledger is checked no further back than the oldest order that may still be open', async () => {
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
  it.each([-1, 1e300])('A ledger entry is kept for a task with an invalid time (%d)', async (created) => {
    const setup = createStoreFixture();
    const store = await setup.open();
    await store.put(makeTask({ id: 'senseless00000000', state: 'ready', times: { created } }));
    await store.close();
    const bot = await startBot(setup);
    expect((await bot.entries()).map(standingOf)).toEqual(['settled']);
    await bot.stop();
    expect(await examineLedger(setup)).toEqual({});
  });

  it('A ledger entry stays unchanged when its task has expired', async () => {
    const setup = createStoreFixture();
    const first = await startBot(setup, { prices: { imagine: '0.05' } });
    const [done, lost] = [await first.order(), await first.order('unknown')];
    await first.end(done.id, 'succeeded');
    for (const { id } of [done, lost])
      await first.tasks.book.change(id, (task) => markDelivered(task, undefined, setup.clock.now()));
    await first.stop();
    const entries = await (
      await startBot(setup).then(async (bot) => ({ kept: await bot.entries(), end: await bot.stop() }))
    ).kept;
    setup.clock.advance(401 * DAY_MS);
    const later = await startBot(setup);
    expect(await later.tasks.book.get(done.id)).toBeUndefined();
    expect(await later.entries()).toEqual(entries);
    expect(entries.map(standingOf).sort()).toEqual(['settled', 'unconfirmed']);
  });

  it('A ledger entry has an estimated price by model or by kind, or none', async () => {
    const bot = await startBot(createStoreFixture(), { prices: { imagine: '0.05', 'imagine:dear': '1.00' } });
    const expensive = await bot.order('taken', { request: { prompt: 'x', model: 'dear' } });
    const plain = await bot.order('taken', { request: { prompt: 'y', model: 'constructor' } });
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
    const entry: Entry = {
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
