import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { noLimits } from '../support/no-limits.ts';
import { startBot } from './bot.ts';
import {
  createFastClockFixture,
  type FastClockFixture,
  labels,
  says,
  startFastClockBot,
  submitCount,
} from './quick.ts';
import { openTask, openTaskList } from './tasks/pages.ts';

const hasDetails = (message: Message): boolean => labels(message).includes('Show details');

describe('Limits', () => {
  const botWith = (settings: Record<string, string>) =>
    startFastClockBot({ gateway: { speed: 20 }, settings: { ...noLimits, ...settings } });
  const imagine = async ({ discord }: FastClockFixture, who: string, prompt: string) =>
    (await discord.as(who).slash('imagine', { prompt })).message((message) => /Finished in|limit/.test(text(message)));

  it('A member beyond their limit is refused privately, and nothing reaches the gateway', async () => {
    const fixture = await botWith({ DEFAULT_MEMBER_BUDGET: '2 tasks a day, 5 waiting' });
    for (const prompt of ['a fox', 'a hare'])
      expect(text(await imagine(fixture, 'member', prompt))).toContain('Finished');
    const refused = await imagine(fixture, 'member', 'an owl');
    expect(text(refused)).toMatch(
      /price: `unknown`\) would exceed your limit on this server: `2 tasks a day`\. You have `0 tasks` left, and the limit resets <t:\d+:R>/,
    );
    expect(refused.ephemeral).toBe(true);
    expect(submitCount(fixture.gateway)).toBe(2);
    expect(text(await imagine(fixture, 'other', 'an owl'))).toContain('Finished');
    const usage = text(await (await fixture.discord.as('member').slash('usage')).message());
    const about = text(await (await fixture.discord.as('member').slash('about')).message());
    expect(about).toContain('Your limit on this server: 2 tasks a day, at most 5 tasks in the queue\n');
    expect(about).not.toContain('Bot-wide limit');
    expect(usage).toMatch(
      /^\*\*Your usage through this bot\*\*.*\nYour remaining limits on this server:\n- \*\*0\*\* of 2 tasks a day \(resets <t:\d+:R>\)/,
    );
  });

  it('A task’s page and an answer’s details show what is left of the limits only to their owner', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await botWith({ DEFAULT_MEMBER_BUDGET: '3 tasks a day', DEFAULT_TEXT_MODEL: 'quill-5' });
    const { discord } = fixture;
    await imagine(fixture, 'member', 'a fox');
    expect(text(await openTask(fixture, await openTaskList(fixture)))).toMatch(
      /Remaining: \*\*2\*\* of 3 tasks a day \(resets <t:\d+:R>\)/,
    );
    const elsewhere = await openTask(fixture, await openTaskList(fixture, 'member', {}, 'hall'));
    expect(text(elsewhere)).not.toContain('Remaining');
    const answer = await (await discord.as('member').slash('ask', { prompt: 'why?' })).message(hasDetails);
    const details = async (who: string) => text(await (await discord.as(who).click(answer, 'Show details')).message());
    expect(await details('member')).toContain('Remaining: **1** of 3 tasks a day');
    expect(await details('other')).not.toContain('Remaining');
  });

  it('The reservation of a failed task is released', async () => {
    const fixture = await botWith({ DEFAULT_MEMBER_BUDGET: '1 task a day' });
    fixture.gateway.faults.add({ do: 'moderated', times: 1 });
    await (await fixture.discord.as('member').slash('imagine', { prompt: 'one' })).message(says('This task failed'));
    expect(text(await imagine(fixture, 'member', 'two'))).toContain('Finished');
    expect(text(await imagine(fixture, 'member', 'three'))).toContain('limit');
  });

  it('The operator’s limit for a server is shared by its members and survives a restart', async () => {
    const settings = { ...noLimits, DEFAULT_SERVER_BUDGET: '2 tasks a day' };
    const fixture = await createFastClockFixture({ gateway: { speed: 20 }, settings });
    const first = await startBot(fixture);
    await imagine(fixture, 'member', 'a fox');
    await imagine(fixture, 'other', 'a hare');
    await first.stop();
    await startBot(fixture);
    expect(text(await imagine(fixture, 'member', 'an owl'))).toContain(
      'the operator’s limit for this server: `2 tasks a day`',
    );
    expect(submitCount(fixture.gateway)).toBe(2);
  });

  it('The number of simultaneous tasks of a member is limited', async () => {
    const fixture = await botWith({ DEFAULT_MEMBER_BUDGET: '1 at once' });
    const running = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await running.message(says('fox'));
    const refused = await imagine(fixture, 'member', 'a hare');
    expect(text(refused)).toContain(
      'Your limit on this server is `1 task at once`. Wait until one of your tasks has finished',
    );
    await running.message(says('Finished in'));
    expect(text(await imagine(fixture, 'member', 'a hare'))).toContain('Finished');
  });
});
