import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { startBot } from '../bot.ts';
import { type FastClockFixture, labels, says, spoilersOf, startFastClockBot } from '../quick.ts';
import { orderGrid, pressAndWait } from './fixture.ts';
import { openTask, openTaskList } from './pages.ts';

const HIDE = 'Hide behind a spoiler';
const SHOW = 'Show openly';

const openPage = async (fixture: FastClockFixture) => openTask(fixture, await openTaskList(fixture));

/** The message as it is now. */
const current = ({ discord }: FastClockFixture, { id, channel_id: channel }: Message): Message => {
  const message = discord.messages(channel).find((one) => one.id === id);
  if (!message) throw new Error('The message is gone.');
  return message;
};

describe('The page of a result', () => {
  it('Hides the result and its copies behind spoilers, keeps their files, and shows them openly again after a restart', async () => {
    const fixture = await startFastClockBot();
    const member = fixture.discord.as('member');
    const grid = await orderGrid(fixture);
    const copy = await (await member.click(await openPage(fixture), 'Show here')).message(says('Finished in'));
    // The interaction's token has expired.
    fixture.clock.advance(20 * 60_000);
    const page = await (await member.click(await openPage(fixture), HIDE)).message((one) => labels(one).includes(SHOW));
    expect([page, current(fixture, grid), current(fixture, copy)].map(spoilersOf)).toEqual([[true], [true], [true]]);
    expect(current(fixture, grid)).toMatchObject({
      content: grid.content,
      attachments: [{ id: grid.attachments[0]?.id, description: grid.attachments[0]?.description }],
    });
    expect(spoilersOf(await pressAndWait(fixture, grid, 'U1'))).toEqual([true]);
    await fixture.app.stop();
    await startBot(fixture);
    const reopened = await openTask(fixture, await openTaskList(fixture, 'member', { kind: 'imagine' }));
    await (await member.click(reopened, SHOW)).message((one) => labels(one).includes(HIDE));
    expect([current(fixture, grid), current(fixture, copy)].map(spoilersOf)).toEqual([[false], [false]]);
  });

  it('Says of a private result that its message stays as it is, and hides what is shown of it from then on', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot();
    const member = fixture.discord.as('member');
    const grid = await orderGrid(fixture, { private: true });
    const page = await (await member.click(await openPage(fixture), HIDE)).message(says('Not every message'));
    const copy = await (await member.click(page, 'Show only to me')).message(says('Finished in'));
    expect([page, current(fixture, grid), copy].map(spoilersOf)).toEqual([[true], [false], [true]]);
    const shown = await (await member.click(page, SHOW)).message((one) => labels(one).includes(HIDE));
    expect(spoilersOf(shown)).toEqual([false]);
  });

  it('Lets only its owner hide a result', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot();
    await orderGrid(fixture);
    const list = await openTaskList(fixture, 'admin', { whose: 'server' });
    expect(labels(await openTask(fixture, list, 'admin'))).not.toContain(HIDE);
  });

  it('Has no Delete message button and no link any more once the message is deleted', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot();
    await orderGrid(fixture);
    const page = await openPage(fixture);
    const after = await (await fixture.discord.as('member').click(page, 'Delete message')).message(
      says('been deleted. The task itself is kept.'),
    );
    expect(after.id).toBe(page.id);
    expect(labels(after)).toEqual(expect.arrayContaining(['Back', 'Show here']));
    expect(labels(after).filter((label) => ['Delete message', 'Jump to message'].includes(label))).toEqual([]);
    expect(text(after)).toContain('a fox in the snow');
  });
});
