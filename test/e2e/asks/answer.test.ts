import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { startTestBot } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import { labels, messagesWith, startFastClockBot } from '../quick.ts';
import { bytesOf, errorsIn } from '../tasks/fixture.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

describeProfiles('/ask', (profile) => {
  it('/ask streams into its message and ends with the exact answer', async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { profile, speed: 0.2 } });
    const { discord, gateway, logged } = fixture;
    const exchange = await discord.as('member').slash('ask', { prompt: 'why is the snow white? 150 words' });
    expect(await exchange.acknowledged()).toMatchObject({ ephemeral: false });
    const streaming = await exchange.message((message) => text(message).includes('This is the sandbox'));
    expect(labels(streaming)).toEqual(['Stop']);
    const final = await exchange.message(hasEnded);
    expect(final.id).toBe(streaming.id);
    expect(text(final)).toContain(latestAnswer(gateway));
    expect(labels(final)).toEqual(['Continue', 'End conversation', 'Show details', 'Delete']);
    expect(modelRequests(gateway)).toHaveLength(1);
    expect(logged()).not.toContain('why is the snow');
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/ask continues a long answer in further messages, completely and in order', async () => {
    const { discord, gateway } = await startFastClockBot({ settings: models, gateway: { profile, speed: 1 } });
    const exchange = await discord.as('member').slash('ask', { prompt: 'tell me of the snow, 900 words' });
    await exchange.message(hasEnded);
    const parts = discord.messages('studio');
    expect(parts.length).toBeGreaterThan(2);
    const shownText = parts.map(text).join('\n\n').replace('-# Continues below.', '');
    expect(shownText.replace(/\s+/g, ' ')).toContain(latestAnswer(gateway).replace(/\s+/g, ' '));
    for (const part of parts) expect(text(part).length).toBeLessThanOrEqual(2_000);
  });

  it('/ask keeps a private answer ephemeral in all of its messages', async () => {
    const { discord } = await startFastClockBot({ settings: models, gateway: { profile, speed: 5 } });
    const exchange = await discord
      .as('member')
      .slash('ask', { prompt: 'tell me of the snow, 900 words', private: true });
    const first = await exchange.message(hasEnded);
    expect([first, ...exchange.followUps()].map(({ ephemeral }) => ephemeral)).not.toContain(false);
    expect(exchange.followUps().length).toBeGreaterThan(1);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });
});

it('/ask edits its message while the answer arrives, at most once a second', { tags: ['breadth'] }, async () => {
  const { discord, gateway } = await startTestBot({ settings: models, gateway: { speed: 1 } });
  const startedAt = Date.now();
  const exchange = await discord.as('member').slash('ask', { prompt: 'tell me of the snow, 160 words' });
  const final = await exchange.message(hasEnded);
  expect(text(final)).toContain(latestAnswer(gateway));
  const edits = discord.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('@original'));
  const endedAt = edits.at(-1)?.at ?? Number.NaN;
  // The last edit shows the end.
  const pauses = edits.length - 2;
  expect(pauses).toBeGreaterThan(0);
  // A single request may arrive late, and then less than a second before the next one.
  expect(pauses).toBeLessThan((endedAt - startedAt) / 1_000);
});

it('An answer keeps code in code blocks in every message, and shows a small table with aligned columns', async () => {
  const { discord } = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
  const exchange = await discord.as('member').slash('ask', { prompt: 'code and a table about snow, 500 words' });
  await exchange.message(hasEnded);
  const parts = discord.messages('studio');
  for (const part of parts) expect((text(part).match(/```/g) ?? []).length % 2).toBe(0);
  expect(parts.flatMap(({ attachments }) => attachments)).toEqual([]);
  expect(parts.map(text).join('\n')).toMatch(/```\nno\. {2}word +letters\n─{3} {2}─+ {2}─{7}\n {2}1 {2}\w+ +\d+\n/);
});

it('An answer in a user installation uses only a few messages and a file for the rest', {
  tags: ['breadth'],
}, async () => {
  const { discord, gateway } = await startFastClockBot({
    gateway: { speed: 20 },
    settings: { ...models, DISCORD_USER_INSTALL: 'on' },
    registersCommands: { userInstall: true },
  });
  const exchange = await discord.as('installer').slash('ask', { prompt: 'tell me of the snow, 2000 words' });
  const first = await exchange.message(hasEnded);
  const parts = [first, ...exchange.followUps()];
  expect(parts).toHaveLength(3);
  const attachedText = (await bytesOf(parts[2] ?? first)).toString();
  expect(latestAnswer(gateway).endsWith(attachedText)).toBe(true);
  expect(messagesWith(discord, first.channel_id, 'Continues below')).toHaveLength(1);
});
