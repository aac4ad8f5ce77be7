import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { SentCallback } from '../../sandbox/gateway/callbacks.ts';
import type { EmbeddedGateway, GatewayOptions } from '../../sandbox/gateway/gateway.ts';
import { freePort } from '../support/free-port.ts';
import { itVariants } from '../support/variants.ts';
import { type FixtureOptions, startBot } from './bot.ts';
import { startMonitoredFixture } from './monitoring/served.ts';
import { describeProfiles } from './profiles.ts';
import { createFastClockFixture, type FastClockFixture, says, submitCount } from './quick.ts';

const minute = 60_000;
/** With this schedule, polls are so rare that an end found immediately must have come from a callback. */
const SPARSE_POLLING = { POLL_SCHEDULE: 'spec' };

async function callbackFixture({ settings, ...options }: FixtureOptions = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/callbacks`;
  const baseFixture = await createFastClockFixture({
    ...options,
    settings: { CALLBACK_URL: url, CALLBACK_PORT: String(port), ...SPARSE_POLLING, ...settings },
  });
  const sentCallbacks: SentCallback[] = [];
  baseFixture.gateway.onCallback((callback) => sentCallbacks.push(callback));
  return { ...baseFixture, port, url, sent: sentCallbacks };
}

/** Starts the bot, which serves its metrics. */
async function monitor(fixture: FastClockFixture) {
  const { app, metrics } = await startMonitoredFixture(fixture);
  const callbackCount = async (outcome: string): Promise<number> =>
    (await metrics()).get(`atelier_callbacks_total{outcome="${outcome}"}`) ?? 0;
  /**
   * Returns the number of ends that callbacks reported; on a busy machine one may precede the response to its submit, or follow a poll. Reports of
   * progress that arrive after a poll found the end are included, so there may be more of them than ends.
   */
  const endCount = async (): Promise<number> =>
    (await callbackCount('hint')) + (await callbackCount('early')) + (await callbackCount('late'));
  return { app, metrics, callbackCount, endCount };
}

/** Starts a bot that receives callbacks and serves its metrics. */
async function callbackBot(options: FixtureOptions = {}) {
  const fixture = await callbackFixture(options);
  return { ...fixture, ...(await monitor(fixture)) };
}

const order = async ({ discord }: Pick<FastClockFixture, 'discord'>, prompt = 'a fox') =>
  discord.as('member').slash('imagine', { prompt });

/** The callback URLs in the submit requests. */
const callbackUrls = ({ requests }: EmbeddedGateway, field = 'notifyHook'): unknown[] =>
  requests
    .filter(({ method, path, body }) => method === 'POST' && !path.endsWith('/fetch') && typeof body === 'object')
    .map(({ body }) => (body as Record<string, unknown>)[field]);

/** What the gateway recorded about its only job. */
function onlyJob({ jobs, tally }: EmbeddedGateway) {
  const [job] = jobs.list();
  if (!job) throw new Error('There is no job.');
  return { ...job, ...tally.countOf(job.id) };
}

describeProfiles('Callbacks', (profile) => {
  const withProfile = (gateway: GatewayOptions = {}): FixtureOptions => ({ gateway: { profile, ...gateway } });

  it('Each order contains a callback URL of its own, and the gateway reports the job’s changes and end there', {
    tags: ['breadth'],
  }, async () => {
    const bot = await callbackBot(withProfile());
    await (await order(bot)).message(says('Finished in'));
    await (await order(bot, 'a hare')).message(says('Finished in'));
    const [firstUrl, secondUrl] = callbackUrls(bot.gateway);
    expect(firstUrl).toMatch(new RegExp(`^${bot.url}/[\\w-]{44}$`));
    expect(secondUrl).not.toBe(firstUrl);
    expect(new Set(bot.sent.map(({ status }) => status))).toEqual(new Set([202]));
    await expect.poll(bot.endCount).toBeGreaterThanOrEqual(2);
    expect(await bot.callbackCount('progress')).toBeGreaterThan(2);
    for (const { id } of bot.gateway.jobs.list()) expect(bot.gateway.tally.countOf(id).queries).toBe(1);
    const about = async (who: string): Promise<string> =>
      text(await (await bot.discord.as(who).slash('about')).ephemeral());
    expect(await about('owner')).toContain('`/imagine` and its follow-ups: callbacks report progress and completion');
    expect(await about('member')).not.toContain('callbacks');
  });

  it('Orders for songs and videos contain a callback URL only if a setting names the field for it', {
    tags: ['breadth'],
  }, async () => {
    const fields = { GATEWAY_MUSIC_CALLBACK_FIELD: 'notify_hook', GATEWAY_VIDEO_CALLBACK_FIELD: 'callback_url' };
    for (const settings of [{}, fields]) {
      const bot = await callbackBot({
        ...withProfile({ speed: 20 }),
        settings: { DEFAULT_VIDEO_MODEL: 'reel-2', ...settings },
      });
      const member = bot.discord.as('member');
      await (await member.slash('music make', { about: 'a song' })).message(says('Finished in'));
      for (const endpoint of ['generic', 'videos'])
        await (await member.slash('video', { prompt: 'waves', endpoint })).message(says('Finished in'));
      const isSet = settings === fields;
      const urls = [...callbackUrls(bot.gateway, 'notify_hook'), ...callbackUrls(bot.gateway, 'callback_url')];
      expect(urls.filter((one) => one !== undefined)).toHaveLength(isSet ? 3 : 0);
      if (isSet) await expect.poll(bot.endCount).toBeGreaterThanOrEqual(3);
      else expect(await bot.endCount()).toBe(0);
      await bot.app.stop();
    }
  });
});

describe('Callbacks of one gateway', () => {
  it('A job that a callback reports as ended is delivered without waiting for its next scheduled poll', {
    tags: ['breadth'],
  }, async () => {
    const bot = await callbackBot();
    // A job past its wait limit is polled every 30 s.
    bot.gateway.faults.add({ do: 'stick' });
    const exchange = await order(bot);
    await exchange.message(says('%'));
    const [job] = bot.gateway.jobs.list();
    const pollCount = () => bot.gateway.tally.countOf(job?.id ?? '').polls;
    const pollCountBefore = pollCount();
    // From now on, time passes only here, so that no further poll is due when the job ends.
    bot.clock.stop();
    bot.clock.advance(6 * minute);
    await expect.poll(pollCount).toBeGreaterThan(pollCountBefore);
    const hintsBefore = await bot.callbackCount('hint');
    bot.gateway.jobs.finish(job?.id ?? '');
    await expect.poll(async () => bot.callbackCount('hint')).toBe(hintsBefore + 1);
    // Enough for the gaps between two polls and between two edits.
    bot.clock.advance(6_000);
    await exchange.message(says('Finished in'));
  });

  it('The follow-ups of an image contain callback URLs too', { tags: ['breadth'] }, async () => {
    const bot = await callbackBot({ gateway: { speed: 20 } });
    const grid = await (await order(bot)).message(says('Finished in'));
    const upscaled = await bot.discord.as('member').click(grid, 'U2');
    await upscaled.message(says('Finished in'));
    expect(new Set(callbackUrls(bot.gateway)).size).toBe(2);
    await expect.poll(bot.endCount).toBeGreaterThanOrEqual(2);
  });

  it('The end of a job is found and shown once, whether callbacks are lost, late or doubled', async () => {
    const bot = await callbackBot();
    const faults = ['callbacks-lost', 'callback-of-end-lost', 'callbacks-late', 'callbacks-doubled'] as const;
    const exchanges = [];
    for (const fault of faults) {
      bot.gateway.faults.add({ do: fault });
      exchanges.push(await order(bot, `a fox and ${fault}`));
      await expect.poll(() => bot.gateway.jobs.list().length).toBe(exchanges.length);
    }
    const messages = await Promise.all(exchanges.map((exchange) => exchange.message(says('Finished in'))));
    for (const message of messages) expect(message.attachments).toHaveLength(1);
    expect(submitCount(bot.gateway)).toBe(faults.length);
    // Later callbacks must change nothing.
    bot.clock.advance(10_000);
    const counts = () => bot.gateway.jobs.list().map(({ id }) => bot.gateway.tally.countOf(id));
    expect(counts().map(({ queries }) => queries)).toEqual([1, 1, 1, 1]);
    expect(counts()[0]?.callbacks).toBe(0);
    await expect.poll(() => counts()[3]?.callbacks).toBe(33);
  });

  it('The content of a forged callback is neither trusted nor shown', async () => {
    const bot = await callbackBot();
    bot.gateway.faults.add({ do: 'callbacks-forged' });
    const exchange = await order(bot);
    const message = await exchange.message(says('Finished in'));
    expect(message.attachments).toHaveLength(1);
    const everything = JSON.stringify(bot.discord.requests);
    expect(everything).not.toContain('forged');
    expect(bot.logged()).not.toContain('forged');
    await expect.poll(async () => bot.callbackCount('unknown')).toBe(1);
  });

  it('Callbacks that arrive before the response to the submit do not mark the order as accepted, and the end is still found', {
    tags: ['breadth'],
  }, async () => {
    const bot = await callbackBot();
    bot.gateway.faults.add({ on: { path: '/imgx/submit' }, do: { type: 'drip', bytes: 40, everyMs: 8_000 } });
    const exchange = await order(bot);
    await exchange.message(says('Finished in'));
    await expect.poll(async () => bot.callbackCount('early')).toBeGreaterThan(0);
    expect(onlyJob(bot.gateway).queries).toBe(1);
    expect(submitCount(bot.gateway)).toBe(1);
  });

  it('Callbacks do not confirm an order whose outcome is unknown', { tags: ['breadth'] }, async () => {
    const bot = await callbackBot();
    bot.gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'accepted-then-reset' });
    const exchange = await order(bot);
    const message = await exchange.message(says('couldn’t confirm'));
    await expect.poll(() => bot.sent.length).toBeGreaterThan(5);
    expect(onlyJob(bot.gateway).polls + onlyJob(bot.gateway).queries).toBe(0);
    expect(text(await exchange.message())).toBe(text(message));
  });

  it('A challenge from the gateway is returned, and callbacks follow', async () => {
    const bot = await callbackBot({ gateway: { speed: 20 } });
    bot.gateway.faults.add({ do: 'callbacks-challenge' });
    await (await order(bot)).message(says('Finished in'));
    await expect.poll(async () => bot.callbackCount('challenge')).toBe(1);
    await expect.poll(bot.endCount).toBeGreaterThanOrEqual(1);
    expect(bot.sent[0]?.status).toBe(200);
  });
});

describe('Callbacks and a restart', () => {
  it('A bot that stops between a callback and the poll it triggers finds the end of the job after a restart', async () => {
    const fixture = await callbackFixture();
    const { discord, gateway, clock, sent: sentCallbacks } = fixture;
    const app = await startBot(fixture);
    gateway.faults.add({ do: { type: 'slow', times: 50 } });
    const exchange = await order(fixture);
    await exchange.message(says('%'));
    // The gateway no longer responds to polls, so the bot stops between the callback and the poll it triggers.
    gateway.faults.add({ on: { path: '/imgx/task' }, do: 'hang', times: 100 });
    const [job] = gateway.jobs.list();
    gateway.jobs.finish(job?.id ?? '');
    await expect.poll(() => sentCallbacks.at(-1)).toMatchObject({ status: 202, body: { status: 'succeeded' } });
    await app.stop();
    gateway.faults.clear();
    clock.advance(minute);
    const restartedApp = await startBot(fixture);
    const message = await exchange.message(says('Finished in'));
    expect(message.attachments).toHaveLength(1);
    expect(submitCount(gateway)).toBe(1);
    await restartedApp.stop();
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toHaveLength(1);
  });

  it('After a restart, a callback to a URL from before the restart is accepted', { tags: ['breadth'] }, async () => {
    const fixture = await callbackFixture();
    const { gateway } = fixture;
    const app = await startBot(fixture);
    gateway.faults.add({ do: { type: 'slow', times: 50 } });
    const exchange = await order(fixture);
    await exchange.message(says('%'));
    await app.stop();
    const { endCount } = await monitor(fixture);
    const [job] = gateway.jobs.list();
    gateway.jobs.finish(job?.id ?? '');
    await exchange.message(says('Finished in'));
    await expect.poll(endCount).toBeGreaterThanOrEqual(1);
  });

  it('Callbacks fail while the bot is down, and the end of the job is found after a restart', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await callbackFixture();
    const { gateway, sent: sentCallbacks } = fixture;
    const app = await startBot(fixture);
    const exchange = await order(fixture);
    await exchange.message(says('%'));
    await app.stop();
    const [job] = gateway.jobs.list();
    gateway.jobs.finish(job?.id ?? '');
    await expect.poll(() => sentCallbacks.at(-1)?.status).toBe(0);
    await startBot(fixture);
    await exchange.message(says('Finished in'));
  });
});

describe('The callback URL', () => {
  itVariants([{ CALLBACK_URL: '' }, { CALLBACK_PORT: '' }])(
    'Without a callback URL or port, orders contain no callback URL: %j',
    async (settings) => {
      const fixture = await callbackFixture({ gateway: { speed: 20 }, settings });
      const app = await startBot(fixture);
      await (await order(fixture)).message(says('Finished in'));
      expect(callbackUrls(fixture.gateway)).toEqual([undefined]);
      await expect(fetch(fixture.url, { method: 'POST' })).rejects.toThrow();
      await app.stop();
    },
  );

  it('No part of a callback or its URL appears in a log or a message', async () => {
    const bot = await callbackBot({ gateway: { speed: 20 }, settings: { LOG_LEVEL: 'trace' } });
    bot.gateway.faults.add({ do: 'callbacks-doubled' });
    await (await order(bot)).message(says('Finished in'));
    const [callbackUrl] = callbackUrls(bot.gateway);
    const token = String(callbackUrl).split('/').at(-1) ?? '';
    expect(token).toHaveLength(44);
    expect(bot.logged()).not.toContain(token);
    expect(JSON.stringify(bot.discord.requests)).not.toContain(token);
  });

  it('A callback URL is valid until ten minutes after the end of its task', async () => {
    const bot = await callbackBot({ gateway: { speed: 20 } });
    await (await order(bot)).message(says('Finished in'));
    const [callbackUrl] = callbackUrls(bot.gateway);
    const challenge = async () =>
      (await fetch(String(callbackUrl), { method: 'POST', body: '{"challenge":"x"}' })).status;
    expect(await challenge()).toBe(200);
    bot.clock.advance(11 * minute);
    expect(await challenge()).toBe(202);
  });

  it('The bot does not start if the callback port is already in use', async () => {
    const fixture = await callbackFixture();
    await startBot(fixture);
    const secondFixture = await createFastClockFixture({
      settings: { CALLBACK_URL: fixture.url, CALLBACK_PORT: String(fixture.port) },
    });
    await expect(startBot(secondFixture)).rejects.toMatchObject({ name: 'PortError', isInUse: true });
  });
});
