import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { type Entry, standingOf } from '../../../src/services/ledger/entry.ts';
import { folder, sql } from '../../services/store/stage.ts';
import { startBot } from '../bot.ts';
import { messagesWith, type QuickStage, quickBot, quickStage } from '../quick.ts';
import { list, openTask, requestErasure } from '../tasks/pages.ts';
import { bytesOf } from '../tasks/proof.ts';
import { asks, hasEnded, latestAnswer, models } from './proof.ts';

const minute = 60_000;
const long = 'tell me of the snow, 900 words';

/** The first further message of an answer in the channel. */
const furtherIn = ({ discord }: QuickStage) =>
  discord.until(() => discord.messages('studio').find((one, at) => at > 0 && text(one).length > 0));

describe('The storage of an answer', () => {
  it('An answer is recorded in the ledger with the token counts from the gateway', async () => {
    const path = join(folder(), 'prices.json');
    writeFileSync(path, '{"ask": "0.010", "ask:quill-5": "0.020"}');
    const { discord, gateway, app, config } = await quickBot({
      settings: { ...models, PRICES: path },
      gateway: { speed: 20 },
    });
    const member = discord.as('member');
    await (await member.slash('ask', { prompt: 'snow?' })).message(hasEnded);
    gateway.faults.add({ do: { type: 'text', how: 'cut', after: 30 } });
    await (await member.slash('ask', { prompt: 'ice?' })).message(hasEnded);
    gateway.faults.add({ on: { path: '/v1/responses' }, do: 'quota' });
    await (await member.slash('ask', { prompt: 'fire?' })).message((message) => text(message).includes('used up'));
    await app.stop();
    const rows = sql(config.store.url.replace('sqlite://', ''), "SELECT value FROM atelier WHERE namespace = 'ledger'");
    const entries = rows.map(({ value }) => (JSON.parse(String(value)) as { value: Entry }).value);
    // The interrupted answer was charged; the refused one was not.
    expect(entries.map(standingOf).sort()).toEqual(['refunded', 'settled', 'settled']);
    for (const entry of entries) expect(entry).toMatchObject({ kind: 'ask', facts: [{ amount: '0.020' }, {}] });
    const whole = entries.find(({ facts }) => facts.at(-1)?.tokens?.output !== undefined);
    expect(whole?.facts.at(-1)?.tokens).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
  });

  it('An answer that ended while the bot was down is completed in every message after the restart, even without its token', async () => {
    const stage = await quickStage({ settings: models, gateway: { speed: 0.2 } });
    const { discord, gateway, clock } = stage;
    const app = await startBot(stage);
    const exchange = await discord.as('member').slash('ask', { prompt: long });
    await furtherIn(stage);
    await app.stop();
    clock.advance(20 * minute);
    discord.expireTokens();
    await startBot(stage);
    const first = await exchange.message(hasEnded);
    expect(text(first)).toContain('restarted mid-');
    const parts = discord.messages('studio').map(text);
    expect(latestAnswer(gateway).replace(/\s+/g, ' ')).toContain(
      (parts.at(-1) ?? '').split('\n-#')[0]?.replace(/\s+/g, ' '),
    );
  });

  it('A private answer that outlives its token is sent to its owner as a file in a direct message', async () => {
    const stage = await quickStage({ settings: models, gateway: { speed: 0.2 } });
    const { discord, clock } = stage;
    const app = await startBot(stage);
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: long, private: true });
    await exchange.followUp((message) => text(message).length > 100);
    await app.stop();
    clock.advance(20 * minute);
    discord.expireTokens();
    await startBot(stage);
    const { channel } = member.in('dm');
    const final = await discord.until(() => messagesWith(discord, channel.id, 'restarted mid-')[0]);
    const whole = (await bytesOf(final)).toString();
    expect(whole).toContain('This is the sandbox speaking');
    // Longer than what one message shows while the answer is streamed.
    expect(whole.length).toBeGreaterThan(1_000);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('An answer is deleted with all of its messages', async () => {
    const { discord, gateway } = await quickBot({ settings: models, gateway: { speed: 20 } });
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: long });
    const first = await exchange.message(hasEnded);
    const parts = discord.messages('studio').map(({ id }) => id);
    expect(parts.length).toBeGreaterThan(2);
    await (await member.click(first, 'Delete')).acknowledged();
    await discord.until(() => (discord.messages('studio').some(({ id }) => parts.includes(id)) ? undefined : true));
    expect(asks(gateway)).toHaveLength(1);
  });

  it('An answer is listed in /tasks and in its owner’s export, can be shown again and is erased with their data', async () => {
    const stage = await quickBot({ settings: models, gateway: { speed: 20 } });
    const { discord, gateway } = stage;
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: long });
    await exchange.message(hasEnded);
    expect(discord.messages('studio').length).toBeGreaterThan(2);
    const page = await openTask(stage, await list(stage));
    const shown = await (await member.click(page, 'Show here')).message(hasEnded);
    expect((await bytesOf(shown)).toString()).toBe(latestAnswer(gateway));
    const exported = await (await member.click(await list(stage), 'Export my data')).message();
    expect((await bytesOf(exported)).toString()).toContain('This is the sandbox speaking');
    await (await requestErasure(stage, 'member')).message((message) =>
      text(message).includes('Your data has been deleted (tasks: 1,'),
    );
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('An answer is completed in its other messages if one of them was deleted', async () => {
    const stage = await quickBot({ settings: models, gateway: { speed: 1 } });
    const { discord, gateway } = stage;
    const exchange = await discord.as('member').slash('ask', { prompt: long });
    const second = await furtherIn(stage);
    const { id } = discord.world.channel('studio');
    await fetch(`${discord.apiUrl}/v10/channels/${id}/messages/${second.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bot ${discord.token}` },
    });
    const first = await exchange.message(hasEnded);
    expect(text(first)).toContain('Continues below');
    expect(latestAnswer(gateway)).toContain(text(discord.messages('studio').at(-1) ?? first).slice(-60));
  });
});
