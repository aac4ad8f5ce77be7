import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noLimits } from '../support/no-limits.ts';
import { createFixture, startBot } from './bot.ts';
import { says, startFastClockBot, submitCount } from './quick.ts';

describe('The request rate limit', () => {
  it('A member who floods the bot is told when to try again, nothing is submitted for them, and others are not affected', async () => {
    const bot = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { ...noLimits, MEMBER_RATE: '3 at once, 1 a minute' },
    });
    const { discord, gateway } = bot;
    const member = discord.as('member');
    const exchanges = await Promise.all(
      Array.from({ length: 8 }, (_, index) => member.slash('imagine', { prompt: `fox ${index}` })),
    );
    const replies = await Promise.all(
      exchanges.map((one) => one.message((message) => /fox|too quickly/.test(text(message)))),
    );
    const refused = replies.filter(says('You are sending requests too quickly. Try again <t:'));
    expect(refused).toHaveLength(5);
    expect(refused.every(({ ephemeral }) => ephemeral)).toBe(true);
    await Promise.all(
      exchanges
        .filter((_, index) => !refused.includes(replies[index] as never))
        .map((one) => one.message(says('Finished in'))),
    );
    expect(submitCount(gateway)).toBe(3);
    expect(text(await (await discord.as('other').slash('about')).message())).toContain('Version');
    expect(discord.violations).toEqual([]);
  });

  it('Suggestions beyond the rate limit are empty, and work again later', async () => {
    const clock = new ManualClock(Date.UTC(2026, 2, 10));
    const settings = { ...noLimits, MEMBER_RATE: '1 at once, 1 a second' };
    const testFixture = await createFixture({ clock, settings });
    await startBot(testFixture);
    const member = testFixture.discord.as('member');
    const suggest = () => member.complete('image', { prompt: 'a fox', model: '' }, 'model');
    for (let index = 0; index < 5; index++) expect((await suggest()).length).toBeGreaterThan(0);
    expect(await suggest()).toEqual([]);
    clock.advance(1_000);
    expect((await suggest()).length).toBeGreaterThan(0);
    expect(testFixture.discord.violations).toEqual([]);
  });

  it('Button presses count towards the rate limit, and have no effect beyond it', async () => {
    const bot = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { ...noLimits, MEMBER_RATE: '2 at once, 1 a minute' },
    });
    const { discord, gateway } = bot;
    const member = discord.as('member');
    const grid = await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    await (await member.click(grid, 'V1')).message(says('Finished in'));
    const refused = await (await member.click(grid, 'V2')).ephemeral();
    expect(text(refused)).toContain('too quickly');
    expect(submitCount(gateway)).toBe(2);
  });
});
