import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { amountText } from '../../../sandbox/gateway/decimal.ts';
import { compare, sumOf } from '../../../src/lib/decimals.ts';
import type { Entry } from '../../../src/services/ledger/entry.ts';
import { sql } from '../../services/store/store-fixture.ts';
import { GATEWAY_API_KEY } from '../bot.ts';
import { sendUtterance, startTalk, startTalkBot } from './proof.ts';

const PRICE_LIST_PATH = '/api/pricing';

it('Utterances are charged by tokens at the gateway’s price, including audio, exactly as the gateway bills them', async () => {
  const settings = { GATEWAY_PRICING_PATH: PRICE_LIST_PATH, GATEWAY_PRICING_GROUP: 'default' };
  const stage = await startTalkBot({ gateway: { profile: 'stock' }, settings });
  const { discord, gateway, app, config } = stage;
  await discord.until(
    () => gateway.requests.find(({ path, status }) => path === PRICE_LIST_PATH && status === 200),
    'the list',
  );
  const { opening } = await startTalk(stage);
  const first = await sendUtterance(stage, opening, 'tell me of snow');
  const second = await sendUtterance(stage, first, 'and of ice');
  expect(text(second)).toContain('The first of 2 things was');
  await app.stop();
  const rows = sql(config.store.url.replace('sqlite://', ''), "SELECT value FROM atelier WHERE namespace = 'ledger'");
  const entries = rows.map(({ value }) => (JSON.parse(String(value)) as { value: Entry }).value);
  expect(entries).toHaveLength(2);
  for (const { facts } of entries) expect(compare(facts[0]?.amount ?? '0', facts.at(-1)?.amount ?? '0')).toBe(1);
  const settledAmount = sumOf(entries.map(({ facts }) => facts.at(-1)?.amount ?? '0')) ?? '0';
  expect(compare(settledAmount, amountText(gateway.usage.total(GATEWAY_API_KEY)))).toBe(0);
});
