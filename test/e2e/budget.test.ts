import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { profiles } from '../contract/both.ts';
import { noLimits } from '../support/no-limits.ts';
import { enter } from './bot.ts';
import { type QuickStage, quickBot, quickStage, submits } from './quick.ts';

const ended = (message: Message): boolean => /Finished in|limit|paused|blocked/.test(text(message));

async function imagine({ discord }: QuickStage, who: string, prompt: string, place?: string): Promise<string> {
  const user = place === undefined ? discord.as(who) : discord.as(who).in(place);
  return text(await (await user.slash('imagine', { prompt })).message(ended));
}

async function budget({ discord }: QuickStage, who: string, command: string, options = {}): Promise<string> {
  const message = await (await discord.as(who).slash(`budget ${command}`, options)).message();
  expect(message.ephemeral).toBe(true);
  return text(message);
}

describe.each(profiles)('Budgets at a gateway of the %s profile', (profile) => {
  const botWith = (settings: Record<string, string> = {}) =>
    quickBot({ gateway: { profile, speed: 20 }, settings: { ...noLimits, ...settings } });

  it('An admin’s limit for each member holds at once, and a member’s own limit wins', async () => {
    const stage = await botWith();
    expect(await budget(stage, 'admin', 'set', { limits: '1 task a day', for: 'members' })).toContain('1 task a day');
    expect(await imagine(stage, 'member', 'a fox')).toContain('Finished');
    expect(await imagine(stage, 'member', 'a hare')).toContain('above your limit in this server: `1 task a day`');
    await budget(stage, 'admin', 'set', { limits: '2 tasks a day', member: 'member' });
    expect(await imagine(stage, 'member', 'a hare')).toContain('Finished');
    expect(await imagine(stage, 'member', 'an owl')).toContain('2 tasks a day');
    expect(submits(stage.gateway)).toBe(2);
  });
});
