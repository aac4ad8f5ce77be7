import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { amountOf, amountText } from '../../sandbox/gateway/decimal.ts';
import { compare, sumOf } from '../../src/lib/decimals.ts';
import { sayIn } from '../../src/locales/index.ts';
import { roundedDollars } from '../../src/messages/money.ts';
import { type LedgerEntry, standingOf } from '../../src/services/money/entry.ts';
import { createTemporaryFolder, sql } from '../services/store/store-fixture.ts';
import { hasEnded, models } from './asks/fixture.ts';
import { GATEWAY_API_KEY, startBot } from './bot.ts';
import { createFastClockFixture, type FastClockFixture, labels, says, startFastClockBot } from './quick.ts';
import { orderGrid, pressAndWait } from './tasks/fixture.ts';
import { openTask, openTaskList } from './tasks/pages.ts';

const PRICE_LIST_PATH = '/api/pricing';
const priceListSettings = { GATEWAY_PRICING_PATH: PRICE_LIST_PATH, GATEWAY_PRICING_GROUP: 'default' };

/** Waits until the bot has read the gateway's price list. */
const waitForPriceList = ({ discord, gateway }: FastClockFixture) =>
  discord.until(
    () => gateway.requests.find(({ path, status }) => path === PRICE_LIST_PATH && status === 200),
    'the price list',
  );

async function stockBot(settings: Record<string, string> = priceListSettings) {
  const fixture = await startFastClockBot({
    gateway: { profile: 'stock', speed: 20 },
    settings: { ...models, ...settings },
  });
  if (settings.GATEWAY_PRICING_PATH) await waitForPriceList(fixture);
  return fixture;
}

function entriesIn({ config }: FastClockFixture): LedgerEntry[] {
  const file = config.store.url.replace('sqlite://', '');
  const rows = sql(file, "SELECT value FROM atelier WHERE namespace = 'ledger'");
  return rows.map(({ value }) => (JSON.parse(String(value)) as { value: LedgerEntry }).value);
}

const settledAmount = (fixture: FastClockFixture): string =>
  sumOf(
    entriesIn(fixture).flatMap(({ facts }) =>
      facts.flatMap(({ standing, amount }) => (standing === 'settled' && amount) || []),
    ),
  ) ?? '0';

describe('The cost of a task with the spec gateway profile', () => {
  it('Without a price, the page of a task says that its price is unknown, and the gateway is not queried for a price list', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await orderGrid(fixture);
    expect(text(await openTask(fixture, await openTaskList(fixture)))).toContain('Cost: price unknown');
    expect(fixture.gateway.requests.some(({ path }) => path === PRICE_LIST_PATH)).toBe(false);
  });

  it('A missing price list is logged once, and the operator’s prices are used', { tags: ['breadth'] }, async () => {
    const path = join(createTemporaryFolder(), 'prices.json');
    const price = {
      perSecond: '0.01',
      usualSeconds: '5',
      times: { resolution: { '720p': '1.5' }, mode: { pro: '2' } },
    };
    writeFileSync(path, JSON.stringify({ imagine: '0.0123456', video: price }));
    const settings = { ...priceListSettings, PRICES: path, DEFAULT_VIDEO_MODEL: 'reel-2' };
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings });
    await fixture.discord.until(
      () => fixture.logged().includes('price list could not be read') || undefined,
      'the log',
    );
    await orderGrid(fixture);
    expect(text(await openTask(fixture, await openTaskList(fixture)))).toContain(
      'Cost: ≈ $0.0124\nEstimated from the operator’s prices.',
    );
    const order = { prompt: 'waves', size: '720p', mode: 'pro', duration: '4' };
    await (await fixture.discord.as('member').slash('video', order)).message(says('Finished in'));
    expect(text(await openTask(fixture, await openTaskList(fixture)))).toContain(
      'Cost: ≈ $0.12\nEstimated from the operator’s prices.',
    );
    await fixture.app.stop();
    const amounts = entriesIn(fixture).map(({ facts }) => [facts[0]?.amount, facts.at(-1)?.amount]);
    expect(amounts).toEqual(
      expect.arrayContaining([
        ['0.0123456', undefined],
        ['0.12', undefined],
      ]),
    );
  });
});

describe('The cost of a task with the stock gateway profile', () => {
  it('A running task shows the estimate from the gateway’s price list, and a finished task shows its actual cost', async () => {
    const fixture = await stockBot();
    fixture.gateway.faults.add({ do: 'stick' });
    const member = fixture.discord.as('member');
    await (await member.slash('image', { prompt: 'a fox' })).message();
    await fixture.discord.until(() => fixture.gateway.jobs.list()[0], 'the job');
    const running = text(await openTask(fixture, await openTaskList(fixture)));
    expect(running).toContain(
      'Cost: ≈ $0.0313. It is charged only if the task succeeds.\nEstimated from the gateway’s',
    );
    fixture.gateway.jobs.finish(fixture.gateway.jobs.list()[0]?.id ?? '');
    await fixture.discord.until(() => fixture.discord.messages('studio').find(says('Finished in')), 'the result');
    expect(text(await openTask(fixture, await openTaskList(fixture)))).toMatch(/Cost: \$0\.0313$/m);
  });

  it('The cost of a task that was dismissed because its outcome is unknown is counted, and its page says so', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await stockBot();
    fixture.gateway.faults.add({ on: { path: /\/submit\// }, do: 'accepted-then-reset' });
    const member = fixture.discord.as('member');
    const unconfirmed = await (await member.slash('imagine', { prompt: 'a fox' })).message(says('couldn’t confirm'));
    const openPage = async () => text(await openTask(fixture, await openTaskList(fixture)));
    expect(await openPage()).toContain(
      '. It is charged only if the gateway accepted the task.\nEstimated from the gateway’s price list.',
    );
    await member.click(unconfirmed, 'Dismiss');
    await expect.poll(openPage).toContain('. It is counted because the gateway may have accepted the task.\n');
  });

  it('If the account’s group is not configured, the estimate is an upper bound at the rate of the most expensive group', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await stockBot({ GATEWAY_PRICING_PATH: PRICE_LIST_PATH });
    fixture.gateway.faults.add({ do: 'stick' });
    await (await fixture.discord.as('member').slash('image', { prompt: 'a fox' })).message();
    await fixture.discord.until(() => fixture.gateway.jobs.list()[0], 'the job');
    const running = text(await openTask(fixture, await openTaskList(fixture)));
    expect(running).toContain(
      'Cost: at most $0.0469. It is charged only if the task succeeds.\nEstimated from the gateway’s price list.',
    );
  });

  it('A video whose length or mode may cost more than the list says is confirmed first, and its question says so', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await stockBot();
    await (await fixture.discord.as('admin').slash('budget set', { confirm_above: '$1' })).message();
    const order = { prompt: 'waves', model: 'reel-2', duration: '20', mode: 'pro' };
    const question = await (await fixture.discord.as('member').slash('video', order)).message(says('This server asks'));
    expect(text(question)).toContain('Estimated cost: ≈ $0.0447 or more, by length and mode. Deadline');
    const page = await (await fixture.discord.as('member').click(question, 'Run')).message(says('Finished in'));
    expect(page.id).toBe(question.id);
  });

  it('The bot’s ledger equals the gateway’s bill to the last digit, for images, follow-ups, videos, songs and answers', async () => {
    const fixture = await stockBot({
      ...priceListSettings,
      DEFAULT_VIDEO_MODEL: 'reel-2',
      DEFAULT_MUSIC_MODEL: 'chorale-4.5',
    });
    const member = fixture.discord.as('member');
    await pressAndWait(fixture, await orderGrid(fixture), 'U2');
    for (const [command, order] of [
      ['image', { prompt: 'an owl' }],
      ['video', { prompt: 'waves', duration: '7', mode: 'pro' }],
      ['music make', { about: 'snow' }],
    ] as const)
      await (await member.slash(command, order)).message(says('Finished in'));
    fixture.gateway.faults.add({ do: 'fail' });
    await (await member.slash('image', { prompt: 'a hare' })).message(says('failed'));
    const answer = await (await member.slash('ask', { prompt: 'snow?' })).message(hasEnded);
    const details = text(await (await member.click(answer, 'Show details')).message());
    const charged =
      fixture.gateway.usage.rows(GATEWAY_API_KEY).find(({ model }) => model === 'quill-5')?.amount ?? amountOf('0');
    expect(details).toContain(`Cost: ${roundedDollars(amountText(charged), sayIn('en'))}`);
    const usage = text(await (await member.slash('usage', { by: 'model' })).message());
    expect(usage).toContain(
      `Total: **${roundedDollars(amountText(fixture.gateway.usage.total(GATEWAY_API_KEY)), sayIn('en'))}** for 6 tasks`,
    );
    // The price of a video in the list is for five seconds.
    expect(usage).toMatch(/reel-2.*: \$0\.0447 estimated, \$0\.125 in the end \(1 task\)/);
    await fixture.app.stop();
    expect(compare(settledAmount(fixture), amountText(fixture.gateway.usage.total(GATEWAY_API_KEY)))).toBe(0);
    expect(
      entriesIn(fixture)
        .map(standingOf)
        .filter((standing) => standing === 'refunded'),
    ).toHaveLength(1);
  });

  it('An interrupted answer is charged at its upper bound, because no token counts were reported', async () => {
    const fixture = await stockBot();
    fixture.gateway.faults.add({ do: { type: 'text', how: 'cut', after: 30 } });
    await (await fixture.discord.as('member').slash('ask', { prompt: 'ice?' })).message(hasEnded);
    await fixture.app.stop();
    const [entry] = entriesIn(fixture);
    expect(entry?.facts.map(({ standing, amount }) => [standing, amount])).toEqual([
      ['reserved', expect.stringMatching(/^0\.00625/)],
      ['settled', undefined],
    ]);
  });

  it('After twenty tasks, the estimate is based on what they cost, even after a restart', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ gateway: { profile: 'stock', speed: 200 }, settings: models });
    const app = await startBot(fixture);
    const member = fixture.discord.as('member');
    for (let index = 0; index < 20; index++)
      await (await member.slash('shorten', { prompt: `a long text, number ${index}` })).message(
        (message) => labels(message).includes('Delete') || message.content.includes('Finished in'),
      );
    await app.stop();
    await startBot(fixture);
    fixture.gateway.faults.add({ do: 'stick' });
    await (await member.slash('shorten', { prompt: 'another long text' })).message();
    await fixture.discord.until(() => fixture.gateway.jobs.list().length > 20 || undefined, 'the job');
    const page = text(await openTask(fixture, await openTaskList(fixture)));
    expect(page).toContain(
      'Cost: ≈ $0.00929. It is charged only if the task succeeds.\nEstimated from what similar tasks cost.',
    );
  });
});
