import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { amountText } from '../../../sandbox/gateway/decimal.ts';
import { compare, sumOf } from '../../../src/lib/decimals.ts';
import type { LedgerEntry } from '../../../src/services/money/entry.ts';
import { sql } from '../../services/store/store-fixture.ts';
import { GATEWAY_API_KEY } from '../bot.ts';
import { hasEnded, sendUtterance, startTalk, startTalkBot, type TalkFixture, upgradeCount } from './fixture.ts';

const PRICE_LIST_PATH = '/api/pricing';

async function startPricedBot(budget: string) {
  const settings = {
    GATEWAY_PRICING_PATH: PRICE_LIST_PATH,
    GATEWAY_PRICING_GROUP: 'default',
    DEFAULT_MEMBER_BUDGET: budget,
  };
  const fixture = await startTalkBot({ gateway: { profile: 'stock' }, settings });
  const { discord, gateway } = fixture;
  await discord.until(
    () => gateway.requests.find(({ path, status }) => path === PRICE_LIST_PATH && status === 200),
    'the list',
  );
  return fixture;
}

async function sendRecording({ discord }: TalkFixture, opening: Message): Promise<Message> {
  const bytes = await readFile(new URL('../../services/media/sound/files/with-a-list.wav', import.meta.url));
  const speaker = discord.as('member');
  const modal = await (await speaker.click(opening, 'Speak')).modal();
  return (await speaker.fill(modal, { words: '', sound: [{ name: 'tones.wav', bytes }] })).message(hasEnded);
}

it('Utterances are charged by tokens at the gateway’s price, including audio, exactly as the gateway bills them', async () => {
  const fixture = await startPricedBot('$0.6 a day');
  const { gateway, app, config } = fixture;
  const { opening } = await startTalk(fixture);
  const first = await sendUtterance(fixture, opening, 'tell me of snow');
  const second = await sendUtterance(fixture, first, 'and of ice');
  expect(text(second)).toContain('The first of 2 things was');
  // The second recording's input contains the first one, as cached audio.
  const third = await sendRecording(fixture, second);
  await sendRecording(fixture, third);
  await app.stop();
  const rows = sql(config.store.url.replace('sqlite://', ''), "SELECT value FROM atelier WHERE namespace = 'ledger'");
  const entries = rows.map(({ value }) => (JSON.parse(String(value)) as { value: LedgerEntry }).value);
  expect(entries).toHaveLength(4);
  const amounts = entries.map(({ facts }) => [facts[0]?.amount ?? '0', facts.at(-1)?.amount ?? '0'] as const);
  for (const [estimate, cost] of amounts.slice(0, 2)) expect(Number(estimate) / Number(cost)).toBeLessThan(5);
  const settledAmount = sumOf(entries.map(({ facts }) => facts.at(-1)?.amount ?? '0')) ?? '0';
  expect(compare(settledAmount, amountText(gateway.usage.total(GATEWAY_API_KEY)))).toBe(0);
});

it('If the server shows costs, a reply in a live conversation ends with its cost and the remaining limit', async () => {
  const fixture = await startPricedBot('$0.6 a day');
  await (await fixture.discord.as('admin').slash('budget set', { show_cost: true })).message();
  const { opening } = await startTalk(fixture);
  const reply = await sendUtterance(fixture, opening, 'tell me of snow');
  const costLine = /\n-# Cost: \$0\.\d+ · Remaining: \*\*\$0\.5\d*\*\* of \$0\.60? a day/;
  await fixture.discord.until(() => costLine.test(text(reply)) || undefined, text(reply));
});

it('A live conversation whose turns cost more than is left is refused before its session and thread are opened', async () => {
  const fixture = await startPricedBot('$0.01 a day');
  const { discord, gateway } = fixture;
  const reply = await (await discord.as('member').slash('talk start', {})).message();
  expect(text(reply)).toContain('$0.01 a day');
  expect(upgradeCount(gateway)).toBe(0);
  expect([...discord.world.channels.values()].filter(({ name }) => name.startsWith('Live:'))).toEqual([]);
});
