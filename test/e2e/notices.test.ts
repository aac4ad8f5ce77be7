import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESTJSONErrorCodes as Code, PermissionFlagsBits as Permission } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Fault } from '../../sandbox/gateway/fault.ts';
import type { GatewayOptions } from '../../sandbox/gateway/gateway.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { parseLimits } from '../../src/services/money/limits-text.ts';
import { onServers } from '../services/store/sites.ts';
import { createTemporaryFolder, sql } from '../services/store/store-fixture.ts';
import { freePort } from '../support/free-port.ts';
import { noLimits } from '../support/no-limits.ts';
import { itVariants } from '../support/variants.ts';
import { TcpProxy } from '../support/wire.ts';
import { startBot } from './bot.ts';
import { startMonitoredFixture } from './monitoring/served.ts';
import { createFastClockFixture, type FastClockFixture, says, submitCount } from './quick.ts';

const HOUR_MS = 3_600_000;

/** Prepares a bot whose operator has chosen the channel `hall`. */
async function stageWithChannel(settings: Record<string, string> = {}, gateway: GatewayOptions = {}) {
  const fixture = await createFastClockFixture({ gateway, settings: { ...noLimits, ...settings } });
  const { discord } = fixture;
  const channel = [...discord.world.channels.values()].find(({ name }) => name === 'hall');
  if (!channel) throw new Error('There is no channel "hall".');
  const config = { ...fixture.config, operator: { channelId: channel.id, ids: [] } };
  return { ...fixture, config, channel };
}

const hallMessages = ({ discord }: Pick<FastClockFixture, 'discord'>): string[] => discord.messages('hall').map(text);
const directMessages = ({ discord }: Pick<FastClockFixture, 'discord'>, who = 'owner'): string[] =>
  discord.messages(discord.openDirectMessage(who).id).map(text);

const messagesContaining = (messages: readonly string[], substring: string): string[] =>
  messages.filter((message) => message.includes(substring));

describe('Notices about a start', () => {
  it('A notice about a start contains the version, what was resumed and how long the bot was down; with a new version, also the previous one', async () => {
    const fixture = await stageWithChannel();
    const first = await startBot(fixture);
    await expect.poll(() => hallMessages(fixture)).toEqual(['Atelier 1.2.3 has started.']);
    fixture.gateway.setSpeed(0.01);
    await (await fixture.discord.as('member').slash('imagine', { prompt: 'a secret fox' })).message(says('Queued'));
    await first.stop();
    fixture.clock.advance(2 * HOUR_MS);
    await startBot({ ...fixture, version: '1.3.0' });
    await expect.poll(() => hallMessages(fixture)).toHaveLength(2);
    const [, second = ''] = hallMessages(fixture);
    expect(second).toContain('Atelier 1.3.0 has started. The previous version was 1.2.3.');
    expect(second).toMatch(/The previous run was stopped on <t:\d+:f>\.\nThe bot resumed 1 task\./);
    expect(second).not.toContain('secret');
  });

  it('A notice about a start counts what the database held, also if it ends while the bot starts', async () => {
    const fixture = await stageWithChannel();
    const first = await startBot(fixture);
    fixture.gateway.setSpeed(0.01);
    await (await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Queued'));
    await first.stop();
    const file = fixture.config.store.url.replace('sqlite://', '');
    sql(file, "UPDATE atelier SET value = json_set(value, '$.value.state', 'unconfirmed') WHERE namespace = 'live'");
    await startBot(fixture);
    await expect.poll(() => hallMessages(fixture).join()).toContain('whether the gateway accepted 1 task;');
    // It is not polled: its owner decides.
    expect(hallMessages(fixture).join()).not.toContain('resumed');
  });

  it('A bot that restarts repeatedly posts one message an hour, which counts the starts', async () => {
    const fixture = await stageWithChannel();
    for (let start = 0; start < 4; start += 1) {
      const app = await startBot(fixture);
      const substring = start === 0 ? 'has started.' : `The bot has recorded ${start + 1} starts since`;
      await expect.poll(() => messagesContaining(hallMessages(fixture), substring)).toHaveLength(1);
      await app.stop();
    }
    expect(hallMessages(fixture)).toHaveLength(1);
    fixture.clock.advance(HOUR_MS);
    await startBot(fixture);
    await expect.poll(() => hallMessages(fixture)).toHaveLength(2);
    expect(hallMessages(fixture)[1]).not.toContain('starts since');
  });

  it('After a run whose end was not recorded, the notice about the start says when it was last seen and why that may be', async () => {
    const fixture = await stageWithChannel();
    const app = await startBot(fixture);
    await expect.poll(() => hallMessages(fixture)).toHaveLength(1);
    await app.stop();
    const file = fixture.config.store.url.replace('sqlite://', '');
    // Simulates a crash, or a full disk.
    sql(file, "UPDATE atelier SET value = json_remove(value, '$.value.stoppedAt') WHERE namespace = 'runs'");
    fixture.clock.advance(2 * HOUR_MS);
    await startBot(fixture);
    const sentence = 'It ended unexpectedly, or while the database could not be written';
    await expect.poll(() => messagesContaining(hallMessages(fixture), sentence)).toHaveLength(1);
    const about = text(await (await fixture.discord.as('owner').slash('about')).ephemeral());
    expect(about).toMatch(/version 1\.2\.3: end not recorded, last seen on <t:/);
  });

  it('A start that failed is not taken for a run that ended unexpectedly', async () => {
    const fixture = await stageWithChannel();
    const app = await startBot(fixture);
    await app.stop();
    fixture.clock.advance(2 * HOUR_MS);
    const discordConfig = { ...fixture.config.discord, token: 'wrong' };
    await expect(startBot({ ...fixture, config: { ...fixture.config, discord: discordConfig } })).rejects.toThrow();
    await startBot(fixture);
    const owner = fixture.discord.as('owner');
    const about = text(await (await owner.slash('about')).ephemeral());
    expect(about.match(/(?<=version 1\.2\.3: ).*/g)).toEqual([
      'running',
      expect.stringContaining('stopped on request'),
    ]);
    await expect.poll(() => hallMessages(fixture).at(-1)).toContain('The previous run was stopped on');
  });
});

describe('Notices about the gateway at the start', () => {
  it('A gateway that rejects the key is reported at the start in the log, in /readyz and in a notice, which ends when the gateway accepts the key', async () => {
    const fixture = await stageWithChannel();
    fixture.gateway.faults.add({ on: { path: '/v1/models' }, do: 'unauthorized', times: 2 });
    const bot = await startMonitoredFixture(fixture);
    expect(fixture.logged()).toContain('The gateway rejects GATEWAY_API_KEY, so all requests of members fail.');
    expect(fixture.logged()).toContain('Atelier has started without the gateway.');
    expect(fixture.logged()).not.toContain('Atelier is ready.');
    expect(await bot.readiness()).toEqual({ status: 503, reasons: { gateway: 'The gateway rejects the API key.' } });
    const notices = (): string[] => messagesContaining(hallMessages(fixture), 'rejecting the API key');
    await expect.poll(notices).toEqual([expect.stringContaining('Set the right `GATEWAY_API_KEY`')]);
    const about = text(await (await fixture.discord.as('owner').slash('about')).ephemeral());
    expect(about).toContain('available');
    // Its own response ends the notice before the page is made.
    expect(about).toContain('**Notices**: none.');
    fixture.clock.advance(60_000);
    await expect.poll(notices).toEqual([expect.stringMatching(/^\*\*Resolved\*\*/)]);
  });

  itVariants<[string, Fault, string]>([
    ['its list is empty', { type: 'body', body: { data: [] } }, 'lists no models for this key'],
    ['the key has no credit', { type: 'status', status: 402 }, 'has no credit'],
    ['the key is denied access', { type: 'status', status: 403 }, 'denies this key access'],
    ['it redirects elsewhere', { type: 'redirect', to: 'https://a.example/v1/models' }, 'should be the final URL'],
    ['its address is wrong', { type: 'status', status: 404 }, 'does not list its models'],
  ])('A gateway that responds, but lists no models because %s, is reported in the log', async (_why, fault, reason) => {
    const fixture = await stageWithChannel();
    fixture.gateway.faults.add({ on: { path: '/v1/models' }, do: fault, times: 1 });
    await startBot(fixture);
    expect(fixture.logged()).toContain(reason);
    expect(fixture.logged()).toContain('The gateway lists no models, so requests of members may fail.');
    expect(fixture.logged()).toContain('Atelier is ready.');
    expect(fixture.logged()).not.toContain('a.example');
  });

  it('A website in place of the gateway is reported in the log at the start, with what to check', async () => {
    const fixture = await stageWithChannel();
    fixture.gateway.faults.add({
      on: { path: '/v1/models' },
      do: { type: 'status', status: 200, as: 'html' },
      times: 1,
    });
    await startBot(fixture);
    expect(fixture.logged()).toContain('"reason":"The gateway’s response cannot be read."');
    expect(fixture.logged()).toContain('Check GATEWAY_BASE_URL and whether the gateway is up.');
  });

  it('A gateway that cannot be reached at the start is not mistaken for one that rejects the key', async () => {
    const fixture = await stageWithChannel();
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    await startBot({ ...fixture, config: { ...fixture.config, gateway: { ...fixture.config.gateway, baseUrl } } });
    expect(fixture.logged()).toContain('"reason":"The gateway cannot be reached."');
    expect(fixture.logged()).not.toContain('GATEWAY_API_KEY');
    const notice = 'The gateway has not responded since the bot started';
    await expect.poll(() => messagesContaining(hallMessages(fixture), notice)).toHaveLength(1);
    expect(hallMessages(fixture).join('\n')).not.toContain('127.0.0.1');
  });

  it('A rejected key and a gateway that does not respond have a notice each, which ends once the gateway shows that it is over', async () => {
    const fixture = await stageWithChannel();
    const { discord, gateway, clock } = fixture;
    const models = { path: '/v1/models' };
    gateway.faults.add({ on: models, do: 'unauthorized', times: 1 });
    await (await startBot(fixture)).stop();
    gateway.faults.add({ on: models, do: 'reset', times: 1 });
    await startBot(fixture);
    const words = ['been rejecting the API key', 'not responded since the bot started'];
    const states = (): string[][] => words.map((one) => messagesContaining(hallMessages(fixture), one));
    const [open, over] = [expect.stringMatching(/^The gateway/), expect.stringMatching(/^\*\*Resolved\*\*/)];
    await expect.poll(states).toEqual([[open], [open]]);
    gateway.faults.add({ on: models, do: 'unauthorized', times: 1_000 });
    const about = async () => text(await (await discord.as('owner').slash('about')).ephemeral());
    expect(await about()).toContain('The gateway rejects the API key.');
    clock.advance(60_000);
    await expect.poll(states).toEqual([[open], [over]]);
    gateway.faults.clear();
    clock.advance(60_000);
    expect(await about()).toContain('available');
    clock.advance(60_000);
    await expect.poll(states).toEqual([[over], [over]]);
    expect(hallMessages(fixture).join('\n')).not.toContain('This has happened');
  });
});

describe('Notices about refused status checks', { tags: ['breadth'] }, () => {
  it('A paused lane is reported in one message, which is edited when the pause recurs or ends; after an hour, a new message is posted', async () => {
    const fixture = await stageWithChannel();
    const { discord, gateway, clock } = fixture;
    await startBot(fixture);
    gateway.setSpeed(0.01);
    const laneNotices = (): string[] =>
      messagesContaining(
        hallMessages(fixture),
        '`/imagine` and its follow-ups: the gateway has been refusing status checks since',
      );
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a secret fox' });
    await exchange.message(says('Queued'));
    const startPause = async (): Promise<void> => {
      gateway.faults.add({ on: { path: /\/fetch$/ }, do: 'unauthorized', times: 1_000 });
      await expect.poll(() => laneNotices().filter((one) => !one.includes('Resolved')).length).toBe(1);
    };
    const endPause = async (): Promise<void> => {
      gateway.faults.clear();
      clock.advance(5 * 60_000);
      await expect.poll(() => laneNotices().filter((one) => !one.includes('Resolved')).length).toBe(0);
    };
    await startPause();
    await endPause();
    expect(laneNotices()).toHaveLength(1);
    await startPause();
    expect(laneNotices()).toEqual([
      expect.stringMatching(
        /^`\/imagine` and its follow-ups: the gateway has been refusing .*\nThis has happened 2 times recently\.$/,
      ),
    ]);
    await endPause();
    expect(laneNotices()).toEqual([
      expect.stringMatching(
        /^\*\*Resolved\*\* <t:\d+:R>\.\n`\/imagine` and its follow-ups: the gateway has been refusing/,
      ),
    ]);
    clock.advance(HOUR_MS);
    await startPause();
    expect(laneNotices()).toHaveLength(2);
    expect(hallMessages(fixture).join('\n')).not.toMatch(/secret|127\.0\.0\.1/);
  });
});

describe('The operator’s channel', () => {
  const channelLosses: readonly (readonly [string, (fixture: Awaited<ReturnType<typeof stageWithChannel>>) => void])[] =
    [
      ['is deleted', ({ discord, channel }) => discord.world.removeChannel(channel)],
      ['is hidden from the bot', ({ discord }) => discord.restrict('hall', Permission.ViewChannel)],
      ['cannot be written in', ({ discord }) => discord.restrict('hall', Permission.SendMessages)],
    ];

  itVariants(channelLosses)(
    'If the operator’s channel %s, notices go to the owner, who is notified once that the channel is gone',
    async (_, loseChannel) => {
      const fixture = await stageWithChannel();
      loseChannel(fixture);
      const app = await startBot(fixture);
      await expect.poll(() => directMessages(fixture)).toHaveLength(2);
      expect(messagesContaining(directMessages(fixture), 'has started')).toHaveLength(1);
      expect(messagesContaining(directMessages(fixture), '`OPERATOR_CHANNEL_ID`')).toHaveLength(1);
      fixture.gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'quota' });
      await (await fixture.discord.as('member').slash('imagine', { prompt: 'a secret fox' })).ephemeral(says('quota'));
      await expect.poll(() => messagesContaining(directMessages(fixture), 'no credit left')).toHaveLength(1);
      await app.stop();
      await startBot(fixture);
      await expect.poll(() => messagesContaining(directMessages(fixture), 'recorded 2 starts')).toHaveLength(1);
      expect(directMessages(fixture)).toHaveLength(3);
      expect(directMessages(fixture).join('\n')).not.toContain('secret');
    },
  );

  it('When the operator’s channel works again, the owner is notified, and later notices are posted in the channel', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await stageWithChannel();
    const { discord } = fixture;
    const status = { type: 'status', status: 403, code: Code.MissingAccess } as const;
    discord.faults.add({
      on: { method: 'POST', route: `/channels/${fixture.channel.id}/messages` },
      do: status,
      times: 2,
    });
    await startBot(fixture);
    await expect.poll(() => messagesContaining(directMessages(fixture), '`OPERATOR_CHANNEL_ID`')).toHaveLength(1);
    fixture.gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'quota' });
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).ephemeral(says('quota'));
    await expect.poll(() => messagesContaining(hallMessages(fixture), 'no credit left')).toHaveLength(1);
    await expect.poll(() => messagesContaining(directMessages(fixture), 'Resolved')).toHaveLength(1);
  });

  it('Without an operator channel, notices go to the users listed as operators', async () => {
    const fixture = await stageWithChannel();
    const other = fixture.discord.world.user('other').id;
    await startBot({ ...fixture, config: { ...fixture.config, operator: { ids: [other] } } });
    await expect.poll(() => directMessages(fixture, 'other')).toEqual(['Atelier 1.2.3 has started.']);
    expect([directMessages(fixture), hallMessages(fixture)]).toEqual([[], []]);
  });

  it('A notice is kept while Discord accepts no messages, and is then sent once', async () => {
    const fixture = await stageWithChannel();
    const fault = { type: 'status', status: 500, body: 'away' } as const;
    fixture.discord.faults.add({ on: { method: 'POST', route: /^\/channels\/\d+\/messages$/ }, do: fault, times: 8 });
    await startBot(fixture);
    await expect
      .poll(() => [...hallMessages(fixture), ...directMessages(fixture)])
      .toEqual(['Atelier 1.2.3 has started.']);
  });
});

describe('Notices about the store', () => {
  it('Failed writes to the database are reported even though nothing can be stored, and so is the recovery of an idle bot', async () => {
    const fixture = await stageWithChannel();
    const { clock, discord } = fixture;
    const { readiness } = await startMonitoredFixture(fixture);
    await expect.poll(() => hallMessages(fixture)).toHaveLength(1);
    const file = fixture.config.store.url.replace('sqlite://', '');
    sql(file, "CREATE TRIGGER refuse BEFORE INSERT ON atelier BEGIN SELECT RAISE(FAIL, 'no'); END");
    const refused = await discord.as('member').slash('imagine', { prompt: 'a secret fox' });
    expect(text(await refused.message())).toBeTruthy();
    const notices = (): string[] => messagesContaining(hallMessages(fixture), 'The database has been failing');
    await expect.poll(notices).toHaveLength(1);
    const reasons = { store: 'Reading from the store or writing to it fails.' };
    expect(await readiness()).toEqual({ status: 503, reasons });
    const about = text(await (await discord.as('owner').slash('about')).ephemeral());
    expect(about).toContain('Database: not ready. Reading from the database or writing to it fails.');
    sql(file, 'DROP TRIGGER refuse');
    clock.advance(60_000);
    await expect.poll(() => messagesContaining(notices(), 'Resolved')).toHaveLength(1);
    expect(await readiness()).toEqual({ status: 200, reasons: {} });
    expect(submitCount(fixture.gateway)).toBe(0);
    expect(hallMessages(fixture).join('\n')).not.toMatch(/secret|sqlite/);
  });

  it('A bot that stops while nothing can be stored says in its notices that they stay as they are, and the run that can store again resolves its own', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await stageWithChannel();
    const first = await startBot(fixture);
    await expect.poll(() => hallMessages(fixture)).toHaveLength(1);
    const file = fixture.config.store.url.replace('sqlite://', '');
    sql(file, "CREATE TRIGGER refuse BEFORE INSERT ON atelier BEGIN SELECT RAISE(FAIL, 'no'); END");
    const notices = (): string[] => messagesContaining(hallMessages(fixture), 'The database has been failing');
    fixture.clock.advance(60_000);
    await expect.poll(notices).toHaveLength(1);
    await first.stop();
    expect(notices()).toEqual([expect.stringMatching(/^\*\*No longer updated\*\*: .*\nThe database has been failing/)]);
    const second = await startBot(fixture);
    await expect.poll(notices).toHaveLength(2);
    sql(file, 'DROP TRIGGER refuse');
    await second.stop();
    await startBot(fixture);
    fixture.clock.advance(3 * 60_000);
    await expect.poll(() => notices()[1]).toContain('Resolved');
    expect(notices()[0]).toContain('No longer updated');
  });

  it('The number of unreadable rows is reported to the operator', { tags: ['breadth'] }, async () => {
    const fixture = await stageWithChannel();
    const first = await startBot(fixture);
    await first.stop();
    const file = fixture.config.store.url.replace('sqlite://', '');
    for (const id of ['1', '2'])
      sql(file, `INSERT INTO atelier (key, value, namespace) VALUES ('${id}', '{"value":{"odd":true}}', 'live')`);
    await startBot(fixture);
    await expect
      .poll(() => messagesContaining(hallMessages(fixture), '2 rows of the database could not be read'))
      .toHaveLength(1);
  });
});

describe('A store on a server', () =>
  onServers((createStore) => {
    it('A database outage is reported while it lasts, and so is the recovery', async () => {
      const store = await createStore();
      const proxy = await TcpProxy.open(store.url);
      const fixture = await stageWithChannel({ STORE_URL: proxy.url, STORE_LEASE_SECONDS: '60' });
      await startBot(fixture);
      await expect.poll(() => hallMessages(fixture)).toHaveLength(1);
      proxy.disconnect();
      await expect
        .poll(() => messagesContaining(hallMessages(fixture), 'unable to reach its database'))
        .toHaveLength(1);
      proxy.restore();
      fixture.clock.advance(60_000);
      await expect.poll(() => messagesContaining(hallMessages(fixture), 'Resolved')).toHaveLength(1);
      expect(hallMessages(fixture).join('\n')).not.toContain(new URL(store.url).host);
    });
  }));

it('The operator is notified when 80% and when 100% of the bot-wide limit has been used, in one message that is edited', async () => {
  const fixture = await stageWithChannel({ TOTAL_BUDGET: '5 tasks a day' });
  const { discord, clock } = fixture;
  await startBot(fixture);
  fixture.gateway.setSpeed(50);
  const notices = (): string[] => messagesContaining(hallMessages(fixture), 'bot-wide limit (5 tasks a day)');
  for (const prompt of ['1', '2', '3', '4'])
    await (await discord.as('member').slash('imagine', { prompt })).message(says('Finished in'));
  await expect.poll(notices).toEqual([expect.stringMatching(/^At least 80%.* Remaining: 1 task\./)]);
  await (await discord.as('other').slash('imagine', { prompt: '5' })).message(says('Finished in'));
  await expect.poll(notices).toEqual([expect.stringContaining('are now refused')]);
  clock.advance(24 * HOUR_MS);
  await expect.poll(notices).toEqual([expect.stringContaining('Resolved')]);
});

it('A notice about a bot-wide limit ends as soon as the bot starts with another limit', async () => {
  const fixture = await stageWithChannel({ TOTAL_BUDGET: '1 task a day' });
  const app = await startBot(fixture);
  fixture.gateway.setSpeed(50);
  await (await fixture.discord.as('member').slash('imagine', { prompt: '1' })).message(says('Finished in'));
  const notices = (): string[] => messagesContaining(hallMessages(fixture), 'bot-wide limit (1 task a day)');
  await expect.poll(notices).toEqual([expect.stringContaining('are now refused')]);
  await app.stop();
  const total = parseLimits('$50 a day', []);
  await startBot({
    ...fixture,
    config: { ...fixture.config, budgets: { ...fixture.config.budgets, total: total ?? {} } },
  });
  expect(text(await (await fixture.discord.as('owner').slash('about')).ephemeral())).not.toContain('are now refused');
  await expect.poll(notices).toEqual([expect.stringContaining('Resolved')]);
});

it('The bot-wide limit is reported as reached if the remainder is too small for a request', {
  tags: ['breadth'],
}, async () => {
  const prices = join(createTemporaryFolder(), 'prices.json');
  writeFileSync(prices, JSON.stringify({ imagine: '0.30', image: '5' }));
  const fixture = await stageWithChannel({ TOTAL_BUDGET: '$1 a day', PRICES: prices }, { speed: 50 });
  await startBot(fixture);
  const member = fixture.discord.as('member');
  const refused = says('would exceed the bot-wide limit');
  await (await member.slash('image', { prompt: 'a fox', model: 'lumen-image-1' })).ephemeral(refused);
  for (const prompt of ['1', '2', '3']) await (await member.slash('imagine', { prompt })).message(says('Finished in'));
  await (await member.slash('imagine', { prompt: '4' })).ephemeral(refused);
  const notices = (): string[] => messagesContaining(hallMessages(fixture), 'bot-wide limit ($1 a day)');
  await expect.poll(notices).toEqual([expect.stringContaining('are now refused')]);
});

describe('The balance of the gateway account', () => {
  async function botWithCreditLimit(
    creditLimit: number,
    settings: Record<string, string> = { GATEWAY_USAGE_UNIT: 'cents' },
    usageIgnoresDates = true,
  ) {
    const prices = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(prices, JSON.stringify({ image: '0.03' }));
    const fixture = await stageWithChannel(
      { PRICES: prices, ...settings },
      { quirks: { creditLimit, usageIgnoresDates }, speed: 50 },
    );
    // At noon, everything is used on one day.
    fixture.clock.advance((1.5 * DAY_MS - (fixture.clock.now() % DAY_MS)) % DAY_MS);
    await startBot(fixture);
    const createImage = async (prompt: string): Promise<void> => {
      const exchange = await fixture.discord.as('member').slash('image', { prompt, model: 'lumen-image-1' });
      await exchange.message(says('Finished in'));
    };
    const waitForBalanceCheck = async (): Promise<void> => {
      const checkCount = () => fixture.gateway.requests.filter(({ path }) => path.endsWith('/subscription')).length;
      const checksBefore = checkCount();
      fixture.clock.advance(16 * 60_000);
      await expect.poll(checkCount).toBeGreaterThan(checksBefore);
    };
    return { fixture, createImage, waitForBalanceCheck };
  }

  it('If the gateway reports the balance, the operator is notified when it would not last for another day, and when credit was added', {
    tags: ['breadth'],
  }, async () => {
    const { fixture, createImage, waitForBalanceCheck } = await botWithCreditLimit(0.1);
    await createImage('1');
    await waitForBalanceCheck();
    expect(messagesContaining(hallMessages(fixture), 'left, enough for less than a day')).toEqual([]);
    await createImage('2');
    await waitForBalanceCheck();
    const notices = (): string[] => messagesContaining(hallMessages(fixture), 'left, enough for less than a day');
    await expect
      .poll(notices)
      .toEqual([
        expect.stringMatching(
          /^The gateway account has \$0\.0375 left, enough for less than a day at the recent rate \(\$0\.06 a day\)/,
        ),
      ]);
    fixture.gateway.settings.quirks = { ...fixture.gateway.settings.quirks, creditLimit: 50 };
    await waitForBalanceCheck();
    await expect.poll(() => messagesContaining(notices(), 'Resolved')).toHaveLength(1);
  });

  it('A gateway whose usage depends on dates does not say for which time its limit is, so nothing is said about a balance', {
    tags: ['breadth'],
  }, async () => {
    const { fixture, createImage, waitForBalanceCheck } = await botWithCreditLimit(0.1, undefined, false);
    for (const prompt of ['1', '2']) await createImage(prompt);
    await waitForBalanceCheck();
    await waitForBalanceCheck();
    expect(messagesContaining(hallMessages(fixture), 'left, enough for less than a day')).toEqual([]);
  });

  it('A gateway that does not report the balance, and one with an unknown unit, are not queried repeatedly', async () => {
    const { fixture } = await botWithCreditLimit(0);
    const requestCount = ({ gateway }: typeof fixture): number =>
      gateway.requests.filter(({ path }) => path.endsWith('/subscription')).length;
    await expect.poll(() => requestCount(fixture)).toBe(1);
    fixture.clock.advance(60 * 60_000);
    await expect.poll(() => hallMessages(fixture)).toHaveLength(1);
    const other = await botWithCreditLimit(1, {});
    await expect.poll(() => hallMessages(other.fixture)).toHaveLength(1);
    expect([requestCount(fixture), requestCount(other.fixture)]).toEqual([1, 0]);
  });
});
