import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type FastClockFixture, labels, says, startFastClockBot, submitCount } from '../quick.ts';
import { orderGrid, orders, pressAndWait } from './fixture.ts';
import { openTask, openTaskList } from './pages.ts';

const MENU = 'Remix';

const openRemix = async ({ discord }: FastClockFixture, message: Message, who = discord.as('member')) =>
  await (await who.menu(MENU, message)).modal();

describe('Remix, in the menu of a message', () => {
  it('Opens the prompt of a result for editing, and the new task belongs to the member who changed it', async () => {
    const fixture = await startFastClockBot();
    const grid = await orderGrid(fixture);
    const other = fixture.discord.as('other');
    const form = await openRemix(fixture, grid, other);
    expect(JSON.stringify(form.components)).toContain('a fox in the snow');
    const result = await (await other.fill(form, { words: 'an owl in the rain' })).message(says('Finished in'));
    expect([result.ephemeral, text(result).includes(other.user.id)]).toEqual([false, true]);
    expect(orders(fixture.gateway).at(-1)?.body).toMatchObject({ prompt: 'an owl in the rain' });
    expect(labels(result)).toContain('U1');
  });

  it('Opens the prompt of the image that an upscaled one was made from', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot();
    const upscaled = await pressAndWait(fixture, await orderGrid(fixture), 'U2');
    const form = await openRemix(fixture, upscaled);
    expect(JSON.stringify(form.components)).toContain('a fox in the snow');
  });

  it('What is made from a private result is private, and so is a corrected form', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot();
    const member = fixture.discord.as('member');
    const grid = await orderGrid(fixture, { private: true });
    const refused = await (await member.fill(await openRemix(fixture, grid), { words: ' ' })).message();
    const corrected = await (await member.click(refused, 'Correct it')).modal();
    const result = await (await member.fill(corrected, { words: 'an owl' })).message(says('Finished in'));
    expect([refused.ephemeral, result.ephemeral]).toEqual([true, true]);
  });

  it('A private result that its owner has shown to everyone can be remixed by its owner only', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot();
    const { discord } = fixture;
    await orderGrid(fixture, { private: true });
    const member = discord.as('member');
    const page = await openTask(fixture, await openTaskList(fixture));
    const question = await (await member.click(page, 'Show here')).message(says('everyone in this channel sees'));
    const shown = await (await member.click(question, 'Show to everyone')).message(says('Finished in'));
    const refusal = await (await discord.as('other').menu(MENU, shown)).message();
    expect([refusal.ephemeral, text(refusal)]).toEqual([true, 'Only the member who requested this can do that.']);
    await openRemix(fixture, shown);
  });

  it('Refuses what is no result of the bot, also if its file has the name of one', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot();
    const grid = await orderGrid(fixture, { private: true });
    const name = grid.attachments[0]?.filename ?? '?';
    const forged = await fixture.discord.as('other').say('look', [{ name, bytes: Buffer.from('x') }]);
    for (const message of [forged, await (await fixture.discord.as('member').slash('help')).message()]) {
      const refusal = await (await fixture.discord.as('member').menu(MENU, message)).message();
      expect(text(refusal)).toContain('This message has no result with a prompt.');
    }
    expect(submitCount(fixture.gateway)).toBe(1);
  });

  it('Works in threads and direct messages, and with one’s own installation of the bot', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ settings: { DISCORD_USER_INSTALL: 'on' } });
    const places = [
      ['member', 'thread'],
      ['member', 'dm'],
      ['installer', 'lobby'],
    ] as const;
    const remix = async ([who, channel]: (typeof places)[number]) => {
      const actor = fixture.discord.as(who).in(channel);
      const form = await openRemix(fixture, await orderGrid(fixture, {}, actor), actor);
      await (await actor.fill(form, { words: `an owl in ${channel}` })).message(says('Finished in'));
    };
    await Promise.all(places.map(remix));
    const prompts = JSON.stringify(orders(fixture.gateway));
    for (const [, channel] of places) expect(prompts).toContain(`an owl in ${channel}`);
  });
});
