import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { noLimits } from '../support/no-limits.ts';
import { stage, startBot } from './bot.ts';
import { quickBot, says, submits } from './quick.ts';

describe('Rates of requests', () => {
  it('A member who floods the bot is told when to try again, nothing is sent for them, and others are not affected', async () => {
    const bot = await quickBot({
      gateway: { speed: 20 },
      settings: { ...noLimits, MEMBER_RATE: '3 at once, 1 a minute' },
    });
    const { discord, gateway } = bot;
    const member = discord.as('member');
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, at) => member.slash('imagine', { prompt: `fox ${at}` })),
    );
    const shown = await Promise.all(all.map((one) => one.message((message) => /fox|too quickly/.test(text(message)))));
    const refused = shown.filter(says('You are sending requests too quickly. Try again <t:'));
    expect(refused).toHaveLength(5);
    expect(refused.every(({ ephemeral }) => ephemeral)).toBe(true);
    await Promise.all(
      all.filter((_, at) => !refused.includes(shown[at] as never)).map((one) => one.message(says('Finished in'))),
    );
    expect(submits(gateway)).toBe(3);
    expect(text(await (await discord.as('other').slash('about')).message())).toContain('Version');
    expect(discord.violations).toEqual([]);
  });

  it('Suggestions beyond the rate stay empty and work again later', async () => {
    const clock = new ManualClock(Date.UTC(2026, 2, 10));
    const settings = { ...noLimits, MEMBER_RATE: '1 at once, 1 a second' };
    const staged = await stage({ clock, settings });
    await startBot(staged);
    const member = staged.discord.as('member');
    const suggest = () => member.complete('image', { prompt: 'a fox', model: '' }, 'model');
    for (let at = 0; at < 5; at++) expect((await suggest()).length).toBeGreaterThan(0);
    expect(await suggest()).toEqual([]);
    clock.advance(1_000);
    expect((await suggest()).length).toBeGreaterThan(0);
    expect(staged.discord.violations).toEqual([]);
  });

  it('Button presses count as well, and have no effect beyond the rate', async () => {
    const bot = await quickBot({
      gateway: { speed: 20 },
      settings: { ...noLimits, MEMBER_RATE: '2 at once, 1 a minute' },
    });
    const { discord, gateway } = bot;
    const member = discord.as('member');
    const grid = await (await member.slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    await (await member.click(grid, 'V1')).message(says('Finished in'));
    const refused = await (await member.click(grid, 'V2')).ephemeral();
    expect(text(refused)).toContain('too quickly');
    expect(submits(gateway)).toBe(2);
  });
});
