import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { type LedgerEntry, standingOf } from '../../../src/services/money/entry.ts';
import { createTemporaryFolder, sql } from '../../services/store/store-fixture.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, type FastClockFixture, labels, messagesWith, startFastClockBot } from '../quick.ts';
import { bytesOf } from '../tasks/fixture.ts';
import { erase, openTask, openTaskList, requestErasure } from '../tasks/pages.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

const minute = 60_000;
const longPrompt = 'tell me of the snow, 900 words';

/** Waits for the first message in the channel that continues an answer. */
const firstContinuation = ({ discord }: FastClockFixture) =>
  discord.until(() => discord.messages('studio').find((one, index) => index > 0 && text(one).length > 0));

describe('The storage of an answer', () => {
  it('An answer is recorded in the ledger with the token counts from the gateway', async () => {
    const path = join(createTemporaryFolder(), 'prices.json');
    writeFileSync(path, '{"ask": "0.010", "ask:quill-5": "0.020"}');
    const { discord, gateway, app, config } = await startFastClockBot({
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
    const entries = rows.map(({ value }) => (JSON.parse(String(value)) as { value: LedgerEntry }).value);
    // The interrupted answer was charged; the refused one was not.
    expect(entries.map(standingOf).sort()).toEqual(['refunded', 'settled', 'settled']);
    for (const entry of entries) expect(entry).toMatchObject({ kind: 'ask', facts: [{ amount: '0.020' }, {}] });
    const completeEntry = entries.find(({ facts }) => facts.at(-1)?.tokens?.output !== undefined);
    expect(completeEntry?.facts.at(-1)?.tokens).toMatchObject({
      input: expect.any(Number),
      output: expect.any(Number),
    });
  });

  it('An answer that a restart interrupted keeps what had arrived in all of its messages, even if its token has expired', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ settings: models, gateway: { speed: 0.2 } });
    const { discord, gateway, clock } = fixture;
    const app = await startBot(fixture);
    const exchange = await discord.as('member').slash('ask', { prompt: longPrompt });
    await firstContinuation(fixture);
    await app.stop();
    clock.advance(20 * minute);
    discord.expireTokens();
    await startBot(fixture);
    const first = await exchange.message(hasEnded);
    expect(text(first)).toContain('was stopped before');
    const parts = discord.messages('studio').map(text);
    expect(latestAnswer(gateway).replace(/\s+/g, ' ')).toContain(
      (parts.at(-1) ?? '').split('\n-#')[0]?.replace(/\s+/g, ' '),
    );
  });

  it('A private answer that outlives its token is sent to its owner as a file in a direct message', async () => {
    const fixture = await createFastClockFixture({ settings: models, gateway: { speed: 0.2 } });
    const { discord, clock } = fixture;
    const app = await startBot(fixture);
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: longPrompt, private: true });
    await exchange.followUp((message) => text(message).length > 100);
    await app.stop();
    clock.advance(20 * minute);
    discord.expireTokens();
    await startBot(fixture);
    const { channel } = member.in('dm');
    const final = await discord.until(() => messagesWith(discord, channel.id, 'was stopped before')[0]);
    const fullText = (await bytesOf(final)).toString();
    expect(fullText).toContain('This is the sandbox speaking');
    // The file contains more than one message shows while the answer is streamed.
    expect(fullText.length).toBeGreaterThan(1_000);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('An answer is deleted with all of its messages', async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: longPrompt });
    const first = await exchange.message(hasEnded);
    const parts = discord.messages('studio').map(({ id }) => id);
    expect(parts.length).toBeGreaterThan(2);
    await (await member.click(first, 'Delete')).acknowledged();
    await discord.until(() => (discord.messages('studio').some(({ id }) => parts.includes(id)) ? undefined : true));
    expect(modelRequests(gateway)).toHaveLength(1);
  });

  it('An answer is listed in /tasks and in its owner’s export, can be shown again and is erased with their data', async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: longPrompt });
    await exchange.message(hasEnded);
    expect(discord.messages('studio').length).toBeGreaterThan(2);
    const page = await openTask(fixture, await openTaskList(fixture));
    const copy = await (await member.click(page, 'Show here')).message(hasEnded);
    expect((await bytesOf(copy)).toString()).toBe(latestAnswer(gateway));
    const exportMessage = await (await member.click(await openTaskList(fixture), 'Export my data')).message();
    expect((await bytesOf(exportMessage)).toString()).toContain('This is the sandbox speaking');
    await (await requestErasure(fixture, 'member')).message((message) =>
      text(message).includes('Your data has been deleted (tasks: 1,'),
    );
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('An answer that waits for approval is erased with its owner’s data, and what it has cost stays counted', async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
    const { discord, gateway, app, config } = fixture;
    const member = discord.as('member');
    await (await member.slash('models')).message();
    const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
    await exchange.message((message) => labels(message).includes('Approve'));
    await erase(fixture, 'member');
    const file = config.store.url.replace('sqlite://', '');
    const isErased = () => sql(file, "SELECT value FROM atelier WHERE namespace = 'forgetting'").length === 0;
    await expect.poll(isErased).toBe(true);
    await app.stop();
    const rows = sql(file, "SELECT value FROM atelier WHERE namespace = 'ledger'");
    const [entry, ...others] = rows.map(({ value }) => (JSON.parse(String(value)) as { value: LedgerEntry }).value);
    expect(others).toEqual([]);
    expect(entry).not.toHaveProperty('memberId');
    expect(entry?.facts.at(-1)).toMatchObject({ standing: 'settled', tokens: { output: expect.any(Number) } });
    expect(modelRequests(gateway)).toHaveLength(1);
  });

  it('An answer is completed in its other messages if one of them was deleted', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { speed: 1 } });
    const { discord, gateway } = fixture;
    const exchange = await discord.as('member').slash('ask', { prompt: longPrompt });
    const second = await firstContinuation(fixture);
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
