import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { itVariants } from '../../support/variants.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, type FastClockFixture, startFastClockBot } from '../quick.ts';
import { bytesOf, errorsIn } from '../tasks/fixture.ts';
import { openTask, openTaskList, publicMessages, requestErasure } from '../tasks/pages.ts';
import { hasEnded, latestAnswer, models } from './fixture.ts';

const prompt = 'tell me of the snow, 1200 words';
/** Only this channel is checked, because notices to the operator are posted in another one. */
const studioPosts = ({ world }: EmbeddedDiscord) => ({
  method: 'POST',
  route: `/channels/${world.channel('studio').id}/messages`,
});
const tokenPosts = { method: 'POST', route: '/webhooks/:application/:token' };
const lostResponse = { type: 'reset', done: true } as const;

const plainText = (words: string): string => words.replace('-# Continues below.', '').replace(/\s+/g, ' ');

/** Expects the whole answer in order, without repetition. */
function expectComplete(fixture: FastClockFixture, messages: readonly Message[]): void {
  expect(messages.length).toBeGreaterThan(2);
  expect(plainText(messages.map(text).join('\n\n'))).toContain(plainText(latestAnswer(fixture.gateway)));
  expect(new Set(messages.map(text)).size).toBe(messages.length);
}

/** Checks that everything that had arrived of an answer is shown once, even if a restart interrupted it. */
function expectNoDuplicates(fixture: FastClockFixture, messages: readonly Message[]): void {
  expect(messages.length).toBeGreaterThan(1);
  const words = messages.map((message) => text(message).replace(/^(?:-# |\*\*tell me).*$/gm, '')).join('\n\n');
  expect(plainText(latestAnswer(fixture.gateway)).startsWith(plainText(words).trim())).toBe(true);
  expect(new Set(messages.map(text)).size).toBe(messages.length);
}

async function waitUntilDeleted(fixture: FastClockFixture): Promise<void> {
  await fixture.discord.until(() => (publicMessages(fixture).length === 0 ? true : undefined));
  expect(errorsIn(fixture)).toEqual([]);
}

describe('A further message of a public answer', () => {
  itVariants([1, 2, 3])(
    'Public message %i of an answer is posted once even if Discord’s response was lost, and is deleted with the answer',
    async (nth) => {
      const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
      const { discord } = fixture;
      const member = discord.as('member');
      if (nth > 1) discord.faults.add({ on: studioPosts(discord), do: { type: 'delay', ms: 0 }, times: nth - 1 });
      // One failure more than discord.js retries.
      discord.faults.add({ on: studioPosts(discord), do: lostResponse, times: 5 });
      const exchange = await member.slash('ask', { prompt });
      const first = await exchange.message(hasEnded);
      await expect.poll(() => fixture.logged()).toContain('unknown whether Discord posted');
      const whole = plainText(latestAnswer(fixture.gateway));
      await expect.poll(() => plainText(publicMessages(fixture).map(text).join('\n\n'))).toContain(whole);
      expectComplete(fixture, publicMessages(fixture));
      expect(text(first)).toContain('Continues below');
      await member.click(first, 'Delete');
      await waitUntilDeleted(fixture);
    },
  );

  itVariants([1, 2, 3])(
    'Public message %i of an answer is found again by a bot that was restarted before Discord responded',
    async (nth) => {
      const fixture = await createFastClockFixture({ settings: models, gateway: { speed: 20 } });
      const { discord } = fixture;
      const app = await startBot(fixture);
      const member = discord.as('member');
      if (nth > 1) discord.faults.add({ on: studioPosts(discord), do: { type: 'delay', ms: 0 }, times: nth - 1 });
      discord.faults.add({ on: studioPosts(discord), do: { type: 'hang', done: true } });
      const exchange = await member.slash('ask', { prompt });
      await discord.until(() => (publicMessages(fixture).length > nth ? true : undefined));
      await app.stop();
      await startBot(fixture);
      const first = await exchange.message(hasEnded);
      expectNoDuplicates(fixture, publicMessages(fixture));
      expect(text(first)).toContain('Continues below');
      await requestErasure(fixture);
      await waitUntilDeleted(fixture);
    },
  );

  it('A further message that was never confirmed is erased with its owner’s data', { tags: ['breadth'] }, async () => {
    const fixture = await createFastClockFixture({ settings: models, gateway: { speed: 20 } });
    const { discord } = fixture;
    const app = await startBot(fixture);
    discord.faults.add({ on: studioPosts(discord), do: lostResponse, times: 1_000 });
    await discord.as('member').slash('ask', { prompt });
    await discord.until(() => (publicMessages(fixture).length > 1 ? true : undefined));
    await app.stop();
    const restarted = await startBot(fixture);
    await requestErasure(fixture);
    await waitUntilDeleted(fixture);
    await restarted.stop();
  });

  it('If the bot is not allowed to post, further messages use the interaction token once, and a lost response leads to a file with the whole answer', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { ...models, DISCORD_USER_INSTALL: 'on' },
      registersCommands: { userInstall: true },
    });
    const { discord, gateway } = fixture;
    discord.faults.add({ on: tokenPosts, do: lostResponse });
    const exchange = await discord.as('installer').slash('ask', { prompt });
    const first = await exchange.message(hasEnded);
    expect((await bytesOf(first)).toString()).toBe(latestAnswer(gateway));
    expect(exchange.followUps()).toHaveLength(1);
    expect(errorsIn(fixture)).toEqual([]);
  });
});

describe('A further message of a private answer', () => {
  itVariants([1, 2, 3])(
    'Private message %i of an answer is not sent again after a lost response, and “Show only to me” shows the whole answer',
    async (nth) => {
      const fixture = await startFastClockBot({ settings: models, gateway: { speed: 20 } });
      const { discord, gateway } = fixture;
      const member = discord.as('member');
      if (nth > 1) discord.faults.add({ on: tokenPosts, do: { type: 'delay', ms: 0 }, times: nth - 1 });
      discord.faults.add({ on: tokenPosts, do: lostResponse });
      const exchange = await member.slash('ask', { prompt, private: true });
      const first = await exchange.message(hasEnded);
      expect((await bytesOf(first)).toString()).toBe(latestAnswer(gateway));
      expect(exchange.followUps()).toHaveLength(nth);
      expect(publicMessages(fixture)).toEqual([]);
      const page = await openTask(fixture, await openTaskList(fixture));
      const shown = await (await member.click(page, 'Show only to me')).message(hasEnded);
      expect((await bytesOf(shown)).toString()).toBe(latestAnswer(gateway));
    },
  );
});
