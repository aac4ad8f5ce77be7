import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { amountOf } from '../../sandbox/gateway/decimal.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noLimits } from '../support/no-limits.ts';
import { itVariants } from '../support/variants.ts';
import { createFixture, type FixtureOptions, GATEWAY_API_KEY, startBot } from './bot.ts';
import { createFastClockFixture, labels, says } from './quick.ts';
import { requestErasure } from './tasks/pages.ts';

const path = '/v1/dashboard/billing/usage';
const now = Date.UTC(2026, 2, 10, 12);
const day = 86_400_000;
/**
 * An amount with thirty digits. The embedded gateway counts in dollars and reports cents, so the decimal point moves by
 * two places.
 */
const longAmount = '123456789012.345678901234567891';
const longAmountInCents = '12345678901234.5678901234567891';

const usageRequests = (gateway: EmbeddedGateway) => gateway.requests.filter((one) => one.path === path);

function respondWith(gateway: EmbeddedGateway, body: object | string): void {
  gateway.faults.add({ on: { path }, do: { type: 'body', body: body as never } });
}

/** Starts the bot at noon on 10 March 2026, with `atelier` as its admin server, whose managers can see the account. */
async function startFixture(options: FixtureOptions = {}) {
  const baseFixture = await createFixture({ clock: new ManualClock(now), ...options });
  const { discord, gateway, config } = baseFixture;
  const adminGuildIds = [discord.world.guild('atelier').id];
  const app = await startBot({ ...baseFixture, config: { ...config, discord: { ...config.discord, adminGuildIds } } });
  const charge = (daysAgo: number, model: string, amount: string): void =>
    gateway.usage.charge({ key: GATEWAY_API_KEY, model, at: now - daysAgo * day, amount: amountOf(amount) });
  return { ...baseFixture, app, charge };
}

const fileNames = (message: Message) => message.attachments.map(({ filename }) => filename);

async function attachmentBytes(message: Message, extension: string): Promise<Buffer> {
  const url = message.attachments.find(({ filename }) => filename.endsWith(extension))?.url ?? '';
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

describe('/usage with the spec gateway profile', () => {
  it('/usage of the account shows the channel the last seven days with every digit, and who asked', async () => {
    const { discord, gateway, charge } = await startFixture();
    charge(0, 'lumen-image-1', longAmount);
    charge(2, 'verse-1', '0.000000000000000001');
    const exchange = await discord.as('admin').slash('usage', { of: 'account' });
    expect((await exchange.acknowledged()).ephemeral).toBe(false);
    const message = await exchange.message();
    const content = text(message);
    expect(content).toContain('Account usage** · Mar 4 – 10, 2026 (UTC)');
    expect(content).toContain(longAmountInCents);
    expect(content).toContain('0.0000000000000001');
    expect(content).toContain('Total: **12345678901234.5678901234567892** for 2 requests');
    expect(content).not.toMatch(/[$€]|differs|outside the requested range/);
    expect(content).toContain('Amounts are in the gateway’s own unit.');
    expect(content).toContain(
      `Requested by <@${discord.world.user('admin').id}>. The buttons are for members who can see the account’s usage.`,
    );
    expect(usageRequests(gateway).map(({ query }) => query)).toEqual([
      { start_date: '2026-03-04', end_date: '2026-03-10' },
    ]);
    expect(fileNames(message)).toEqual(['usage.png', 'usage-2026-03-04-to-2026-03-10.csv']);
    expect(message.attachments[0]?.description).toContain('Mar 4 – 10, 2026. Total: 12345678901234.5678901234567892');
    expect(message.attachments[0]?.description).toContain(`Largest: Mar 10, 2026 with ${longAmountInCents}`);
    expect((await attachmentBytes(message, '.csv')).toString()).toBe(
      `day,requests,amount\r\n2026-03-10,1,${longAmountInCents}\r\n2026-03-08,1,0.0000000000000001\r\n`,
    );
    expect((await attachmentBytes(message, '.png')).subarray(1, 4).toString()).toBe('PNG');
  });

  it('/usage always sends both dates, and adds up costs by model', { tags: ['breadth'] }, async () => {
    const { discord, gateway, charge } = await startFixture();
    for (const daysAgo of [1, 2, 3]) charge(daysAgo, 'verse-1', '0.1');
    charge(2, 'lumen-image-1', '0.2');
    const admin = discord.as('admin');
    const content = text(
      await (await admin.slash('usage', { of: 'account', start: '2026-03-01', by: 'model' })).message(),
    );
    expect(content).toMatch(/verse-1 +3 +30/);
    expect(content).toMatch(/lumen-image-1 +1 +20/);
    await (await admin.slash('usage', { of: 'account', end: '2026-02-10' })).message();
    expect(usageRequests(gateway).map(({ query }) => query)).toEqual([
      { start_date: '2026-03-01', end_date: '2026-03-10' },
      { start_date: '2026-02-04', end_date: '2026-02-10' },
    ]);
  });

  it('/usage adds dollars next to cents if configured, but never replaces the cents', {
    tags: ['breadth'],
  }, async () => {
    const { discord, charge } = await startFixture({ settings: { GATEWAY_USAGE_UNIT: 'cents' } });
    charge(0, 'verse-1', longAmount);
    const message = await (await discord.as('admin').slash('usage', { of: 'account' })).message();
    const ungrouped = text(message).replaceAll(',', '');
    expect(ungrouped).toContain(`Total: **${longAmountInCents} cents (= $${longAmount})** for 1 request`);
    expect((await attachmentBytes(message, '.csv')).toString()).toContain(
      `day,requests,amount,dollars\r\n2026-03-10,1,${longAmountInCents},${longAmount}\r\n`,
    );
  });

  it('/usage names members from the bot’s own ledger, next to the total of the account', async () => {
    const { discord, gateway, charge } = await startFixture();
    charge(0, 'verse-1', '0.5');
    const message = await (await discord.as('admin').slash('usage', { of: 'account', by: 'member' })).message();
    expect(text(message)).toContain('All usage through this bot');
    expect(text(message)).toContain('The gateway’s total for the whole account: 50.');
    expect(usageRequests(gateway)).toHaveLength(1);
    respondWith(gateway, { error: { message: 'no such token', type: 'new_api_error' } });
    const withoutTotal = await (await discord.as('admin').slash('usage', { of: 'account', by: 'kind' })).message();
    expect(text(withoutTotal)).toContain('All usage through this bot');
    expect(text(withoutTotal)).toContain('The gateway’s total could not be read. Try again later.');
  });

  it('/usage writes every digit of the gateway’s amounts in the number format of its readers', async () => {
    const { discord, charge } = await startFixture({ settings: { GATEWAY_USAGE_UNIT: 'cents' } });
    discord.world.guild('atelier').locale = 'de';
    charge(0, 'verse-1', '1234.567685200464582');
    const admin = discord.as('admin');
    const page = text(await (await admin.slash('usage', { of: 'account' })).message());
    expect(page).toContain('Summe: **123456,7685200464582 Cent (= 1.234,567685200464582\u00a0$)**');
    expect(page).toMatch(/2026 +123456,7685200464582\n/);
    const ownPage = text(await (await admin.slash('usage', { of: 'account', by: 'member' })).message());
    expect(ownPage).toContain(
      'Summe des Gateways für das ganze Konto: 123456,7685200464582 Cent (= 1.234,567685200464582\u00a0$).',
    );
  });

  it('/usage puts the rows that do not fit into a message into the CSV', { tags: ['breadth'] }, async () => {
    const { discord, charge } = await startFixture();
    for (let daysAgo = 0; daysAgo < 120; daysAgo++) charge(daysAgo, 'verse-1', `${daysAgo + 1}.000000000000000001`);
    const message = await (await discord.as('admin').slash('usage', { of: 'account', start: '2025-10-01' })).message();
    expect(message.content.length).toBeLessThanOrEqual(2_000);
    expect(text(message)).toMatch(/\d+ more rows are in the CSV/);
    expect((await attachmentBytes(message, '.csv')).toString().trim().split('\r\n')).toHaveLength(121);
  });
});

describe('/usage with the stock gateway profile', () => {
  it('/usage shows the total of a stock gateway without claiming that it covers the range', async () => {
    const { discord, gateway, charge } = await startFixture({ gateway: { profile: 'stock' } });
    charge(400, 'verse-1', longAmount);
    const message = await (await discord.as('admin').slash('usage', { of: 'account' })).message();
    expect(text(message)).toContain(`Total: **${longAmountInCents}**`);
    expect(text(message)).toContain('returned only a total without dates');
    expect(text(message).split('\n')[0]).not.toContain('2026');
    expect(message.attachments).toEqual([]);
    expect(usageRequests(gateway)[0]?.query).toEqual({ start_date: '2026-03-04', end_date: '2026-03-10' });
  });
});

describe('Access to /usage', () => {
  it('/usage shows the account ephemerally if a manager chooses that', async () => {
    const { discord, charge } = await startFixture();
    charge(0, 'verse-1', '1');
    const exchange = await discord.as('admin').slash('usage', { of: 'account', private: true });
    expect((await exchange.acknowledged()).ephemeral).toBe(true);
    expect(text(await exchange.message())).toContain('Account usage');
  });

  it('/usage shows everyone their own usage ephemerally, admins included, without a request to the gateway', async () => {
    const { discord, gateway, charge } = await startFixture();
    charge(0, 'verse-1', '777');
    for (const [who, usageOptions] of [
      ['member', {}],
      ['member', { private: false }],
      ['member', { by: 'member' }],
      ['admin', {}],
      ['owner', { private: false }],
    ] as const) {
      const exchange = await discord.as(who).slash('usage', usageOptions);
      expect((await exchange.acknowledged()).ephemeral).toBe(true);
      expect(text(await exchange.message())).toContain('Your usage through this bot');
    }
    expect(usageRequests(gateway)).toEqual([]);
  });

  it('/usage shows the owner of the application the account anywhere, ephemerally outside of admin servers', async () => {
    const { discord, charge } = await startFixture();
    charge(0, 'verse-1', '1');
    const owner = discord.as('owner').in('elsewhere/hall');
    for (let attempt = 0; attempt < 2; attempt++) {
      const exchange = await owner.slash('usage', { of: 'account' });
      expect((await exchange.acknowledged()).ephemeral).toBe(true);
      expect(text(await exchange.message())).toContain('Account usage');
    }
    const applicationRequests = discord.requests.filter(({ path: requestPath }) =>
      requestPath.endsWith('/applications/@me'),
    );
    expect(applicationRequests).toHaveLength(1);
  });

  it('/usage shows a manager of another server only their own usage', async () => {
    const { discord } = await startFixture();
    const otherGuild = discord.world.guild('elsewhere');
    otherGuild.roles.push({ id: '999999999999999999', name: 'managers', permissions: 0x20n });
    otherGuild.members.get(discord.world.user('other').id)?.roles.push('999999999999999999');
    const exchange = await discord.as('other').in('elsewhere/hall').slash('usage');
    expect((await exchange.acknowledged()).ephemeral).toBe(true);
    expect(text(await exchange.message())).toContain('Your usage through this bot');
    const refused = await discord.as('other').in('elsewhere/hall').slash('usage', { of: 'account' });
    expect((await refused.acknowledged()).ephemeral).toBe(true);
    expect(text(await refused.message())).toContain(
      'Only the operator and, on an admin server of the bot, its admins can see the account’s usage.',
    );
  });

  itVariants([
    [{ start: 'yesterday' }, '`yesterday` is not a valid date'],
    [{ end: '2026-02-30' }, '`2026-02-30` is not a valid date'],
    [{ start: '2026-3-1' }, '`2026-3-1` is not a valid date'],
    [{ start: '2026-03-05', end: '2026-03-04' }, 'is before the start date'],
    [{ start: '2026-03-11' }, 'is in the future'],
    [{ start: '2030-01-01', end: '2030-01-02' }, 'is in the future'],
    [{ start: '2025-03-09' }, 'is 367 days long; the maximum is 366'],
    [{ start: '2016-01-01', end: '2026-01-01' }, 'is 3654 days long; the maximum is 366'],
  ])(
    '/usage refuses %o immediately with an ephemeral reply and without a request to the gateway',
    async (range, words) => {
      const { discord, gateway } = await startFixture();
      const exchange = await discord.as('admin').slash('usage', range);
      expect(await exchange.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
      expect(text(await exchange.message())).toContain(words);
      expect(usageRequests(gateway)).toEqual([]);
    },
  );

  it('/usage says that an empty result may be due to the dates', async () => {
    const { discord } = await startFixture();
    const message = await (await discord.as('admin').slash('usage', { of: 'account' })).message();
    expect(text(message)).toContain('choose a different date range');
    expect(text(message)).not.toContain('only a total without dates');
    expect(message.attachments).toEqual([]);
  });

  it('/usage reports an error with HTTP 200, and an unreadable response', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFixture();
    respondWith(gateway, { error: { message: 'no such token', type: 'new_api_error' } });
    const reply = text(await (await discord.as('admin').slash('usage', { of: 'account' })).message());
    expect(reply).toMatch(/^-# Your request: \/usage\nThe gateway (refused this|is temporarily unavailable)/);
    expect(reply).not.toMatch(/\bused\b/);
    respondWith(gateway, { object: 'list', total_usage: '1e999999999' });
    expect(text(await (await discord.as('admin').slash('usage', { of: 'account' })).message())).toContain(
      'invalid response',
    );
  });
});

describe('/usage with other response formats', () => {
  it('/usage adds up daily costs with line items exactly', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFixture();
    const items = [
      { name: 'GPT', cost: '0.1' },
      { name: 'DALL', cost: longAmountInCents },
    ];
    const body = {
      daily_costs: [{ timestamp: now / 1000, line_items: items }],
      total_usage: '12345678901234.6678901234567891',
    };
    respondWith(gateway, body);
    const byDay = text(await (await discord.as('admin').slash('usage', { of: 'account' })).message());
    expect(byDay).toMatch(/Mar 10, 2026\s+12345678901234\.6678901234567891/);
    expect(byDay).not.toContain('The rows add up to');
    respondWith(gateway, body);
    const byModel = text(await (await discord.as('admin').slash('usage', { of: 'account', by: 'model' })).message());
    expect(byModel).toMatch(/DALL\s+12345678901234\.5678901234567891\nGPT\s+0\.1\n/);
  });

  it('/usage reads rows with requests and spend', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFixture();
    respondWith(gateway, {
      data: [
        { date: '2026-03-09', requests: 4, spend: '1.10' },
        { date: '2026-03-09', requests: 1, spend: '2.20' },
      ],
    });
    const content = text(await (await discord.as('admin').slash('usage', { of: 'account' })).message());
    expect(content).toMatch(/Mar 9, 2026 +5 +3\.30/);
    expect(content).toContain('Total: **3.30** for 5 requests');
  });

  it('/usage leaves out days outside the range and says that the gateway returned them', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startFixture();
    respondWith(gateway, {
      data: [
        { date: '2025-01-01', amount: '500' },
        { date: '2026-03-10', amount: '2.5' },
        { date: '2026-03-11', amount: '7' },
      ],
      total_usage: '509.5',
    });
    const content = text(await (await discord.as('admin').slash('usage', { of: 'account' })).message());
    expect(content).toContain('Total: **2.5**');
    expect(content).toContain('also returned 2 days (Jan 1, 2025 – Mar 11, 2026) outside the requested range');
    expect(content).toContain('The gateway’s own total is 509.5.');
  });

  it('/usage says so if rows have no date or do not add up to the total', async () => {
    const { discord, gateway } = await startFixture();
    respondWith(gateway, { data: [{ model: 'verse-1', amount: '2.5' }], total_usage: '3' });
    const content = text(await (await discord.as('admin').slash('usage', { of: 'account', by: 'model' })).message());
    expect(content).toContain('Total: **3**');
    expect(content).toContain('The rows add up to 2.5');
    expect(content).toContain('some rows have no date');
    expect(content.split('\n')[0]).not.toContain('2026');
  });
});

describe('The range buttons of /usage', () => {
  it('The range buttons of /usage show today, a week, this month and last month in the same message', async () => {
    const { discord, gateway, charge } = await startFixture();
    charge(0, 'verse-1', '1');
    charge(20, 'lumen-image-1', '2');
    const admin = discord.as('admin');
    const first = await (await admin.slash('usage', { of: 'account', by: 'model' })).message();
    expect(labels(first)).toEqual(['Today', '7 days', 'This month', 'Last month']);
    const lastMonth = await (await admin.click(first, 'Last month')).message((one) => text(one).includes('Feb 1'));
    expect(lastMonth.id).toBe(first.id);
    expect(text(lastMonth)).toMatch(/Feb 1\s–\s28, 2026[\s\S]*lumen-image-1 +1 +200/);
    expect(fileNames(lastMonth)).toEqual(['usage.png', 'usage-2026-02-01-to-2026-02-28.csv']);
    for (const [name, start, shown] of [
      ['Today', '2026-03-10', 'Mar 10, 2026'],
      ['This month', '2026-03-01', 'Mar 1 – 10, 2026'],
      ['7 days', '2026-03-04', 'Mar 4 – 10, 2026'],
    ] as const) {
      await (await admin.click(first, name)).message((one) => text(one).includes(`** · ${shown} (UTC)`));
      expect(usageRequests(gateway).at(-1)?.query).toEqual({ start_date: start, end_date: '2026-03-10' });
    }
  });

  it('The range buttons of /usage do not change a public message for members who are not allowed to see the account', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway, charge } = await startFixture();
    charge(0, 'verse-1', '1');
    const usageMessage = await (await discord.as('admin').slash('usage', { of: 'account' })).message();
    const press = await discord.as('member').click(usageMessage, 'Today');
    const reply = await press.followUp();
    expect(reply.ephemeral).toBe(true);
    expect(text(reply)).toContain('Only members who can see the account’s usage');
    expect(usageRequests(gateway)).toHaveLength(1);
    expect(
      text(
        await (await discord.as('owner').click(usageMessage, 'Today')).message((one) =>
          text(one).includes('· Mar 10, 2026 (UTC)'),
        ),
      ),
    ).toContain('Account usage');
  });

  it('A former manager who presses a range button no longer sees the account', { tags: ['breadth'] }, async () => {
    const { discord, gateway, charge } = await startFixture();
    charge(0, 'verse-1', '1');
    const admin = discord.as('admin');
    const usageMessage = await (await admin.slash('usage', { of: 'account', private: true })).message();
    const member = discord.world.guild('atelier').members.get(admin.user.id);
    if (member) member.roles = [];
    const reply = await (await admin.click(usageMessage, 'Today')).followUp();
    expect(text(reply)).toContain('Only the operator and, on an admin server of the bot, its admins');
    expect(usageRequests(gateway)).toHaveLength(1);
  });

  it('Choosing a range without data in /usage removes the chart and the CSV', { tags: ['breadth'] }, async () => {
    const { discord, charge } = await startFixture();
    charge(0, 'verse-1', '1');
    const admin = discord.as('admin');
    const usageMessage = await (await admin.slash('usage', { of: 'account' })).message();
    expect(usageMessage.attachments).toHaveLength(2);
    const empty = await (await admin.click(usageMessage, 'Last month')).message((one) => text(one).includes('Feb 1'));
    expect(empty.attachments).toEqual([]);
    expect(text(empty)).toContain('choose a different date range');
  });

  it('The range buttons of /usage stay in a member’s ephemeral message', async () => {
    const { discord, gateway } = await startFixture();
    const member = discord.as('member');
    const usageMessage = await (await member.slash('usage')).message();
    await (await member.click(usageMessage, 'Last month')).message((one) => text(one).includes('Feb 1'));
    expect(usageRequests(gateway)).toEqual([]);
  });
});

describe('The tasks of members in /usage', () => {
  it('A task is counted in the usage of its owner, and in the usage by member, which managers can see', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-prices-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const prices = join(folder, 'prices.json');
    await writeFile(prices, JSON.stringify({ imagine: '0.100000000000000000000000000001' }));
    const baseFixture = await createFastClockFixture({ gateway: { speed: 20 }, settings: { PRICES: prices } });
    const { discord, config } = baseFixture;
    const adminGuildIds = [discord.world.guild('atelier').id];
    await startBot({ ...baseFixture, config: { ...config, discord: { ...config.discord, adminGuildIds } } });
    const member = discord.as('member');
    for (const prompt of ['a fox', 'a hare'])
      await (await member.slash('imagine', { prompt })).message((message) => labels(message).includes('U1'));
    const ownUsage = await (await member.slash('usage', { by: 'model' })).message(says('2 tasks'));
    expect(text(ownUsage)).toContain('Total: **≈ $0.20** for 2 tasks');
    // No request of the image-prompt family names a model.
    expect(text(ownUsage)).toMatch(/Other \(no model\) +2/);
    expect(fileNames(ownUsage)).toContain('usage.png');
    const exact = await (await member.click(ownUsage, 'Exact amounts')).message();
    expect(exact.ephemeral).toBe(true);
    expect(text(exact)).toContain('Total: **≈ $0.200000000000000000000000000002** for 2 tasks');
    const otherUsage = text(await (await discord.as('other').slash('usage')).message());
    expect(otherUsage).toContain('You have no usage');
    const allUsage = text(await (await discord.as('admin').slash('usage', { of: 'account', by: 'member' })).message());
    expect(allUsage).toContain(`#1 <@${member.user.id}>`);
    expect(allUsage).toContain('≈ $0.20');
    expect(allUsage).toContain('The gateway’s total for the whole account');
  });
});

describe('/usage of a server', () => {
  it('Members with Manage Server can see the usage and limits of their own server, ephemerally, but not those of other servers', async () => {
    const fixture = await createFastClockFixture({
      gateway: { speed: 20 },
      settings: { ...noLimits, DEFAULT_SERVER_BUDGET: '20 tasks a day' },
    });
    await startBot(fixture);
    const { discord } = fixture;
    for (const prompt of ['a fox', 'a hare'])
      await (await discord.as('member').slash('imagine', { prompt })).message(says('Finished in'));
    const exchange = await discord.as('admin').slash('usage', { of: 'server', by: 'kind' });
    const page = await exchange.message();
    expect(page.ephemeral).toBe(true);
    expect(text(page)).toContain('This server’s remaining limit, set by the operator: **18** of 20 tasks a day');
    expect(text(page)).toContain('This server’s usage through this bot');
    expect(text(page)).toMatch(/Imagine +2/);
    const monthPage = await (await discord.as('admin').click(page, 'This month')).message(says('This server’s usage'));
    expect(text(monthPage)).toMatch(/Imagine +2/);
    const refused = await discord.as('member').slash('usage', { of: 'server' });
    expect(text(await refused.message())).toContain('Only members with the Manage Server permission');
    const otherServerUsage = await discord.as('owner').in('elsewhere/hall').slash('usage', { of: 'server' });
    expect(text(await otherServerUsage.message())).toMatch(
      /No usage of this server is listed|Only members with the Manage Server permission/,
    );
    await (await requestErasure(fixture)).message(says('has been deleted'));
    const afterErasure = text(await (await discord.as('admin').slash('usage', { of: 'server' })).message());
    expect(afterErasure).toContain('This server’s remaining limit, set by the operator: **18** of 20 tasks a day');
    expect(afterErasure).toContain('If members have deleted their data, their usage still counts toward its limits');
  });

  it('Admins can see the usage by role, for each role that has limits', { tags: ['breadth'] }, async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 }, settings: noLimits });
    await startBot(fixture);
    const { discord } = fixture;
    const atelier = discord.world.guild('atelier');
    const artists = { id: '900000000000000001', name: 'artists', permissions: 0n };
    const readers = { id: '900000000000000002', name: 'readers', permissions: 0n };
    atelier.roles.push(artists, readers);
    atelier.members.get(discord.world.user('member').id)?.roles.push(artists.id, readers.id);
    const admin = discord.as('admin');
    await (await admin.slash('budget set', { limits: '9 tasks a day', role: artists.id })).message();
    for (const name of ['member', 'other'] as const)
      await (await discord.as(name).slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    const page = text(await (await admin.slash('usage', { of: 'server', by: 'role' })).message());
    expect(page).toMatch(/#\d +1\n/);
    expect(page).toMatch(new RegExp(`#\\d <@&${artists.id}>`));
    expect(page).toMatch(/no role with limits +1/);
    expect(page).not.toContain(readers.id);
    const ownUsage = await discord.as('member').slash('usage', { by: 'role' });
    expect(text(await ownUsage.message())).toContain('Roles belong to a server');
  });

  it('A member can see their own usage by kind of task', { tags: ['breadth'] }, async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
    await startBot(fixture);
    const member = fixture.discord.as('member');
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    const page = text(await (await member.slash('usage', { by: 'kind' })).message());
    expect(page).toContain('Your usage through this bot');
    expect(page).toMatch(/Imagine +1/);
  });
});
