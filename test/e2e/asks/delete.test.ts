import { expect, it } from 'vitest';
import { labels, says, startFastClockBot } from '../quick.ts';
import { openTask, openTaskList } from '../tasks/pages.ts';
import { hasEnded, models } from './fixture.ts';

it('Deleting a copy of an answer deletes only the copy, and deleting an answer deletes all of its messages', async () => {
  const fixture = await startFastClockBot({ settings: models, gateway: { speed: 200 } });
  const { discord } = fixture;
  const exchange = await discord.as('member').slash('ask', { prompt: 'tell me of the snow, 900 words' });
  const original = await exchange.message(hasEnded);
  const messageIds = () => discord.messages('studio').map(({ id }) => id);
  const furtherIds = messageIds().filter((id) => id !== original.id);
  expect(furtherIds.length).toBeGreaterThan(0);
  const waitUntilGone = (channel: string, id: string) =>
    discord.until(() => (discord.messages(channel).some((one) => one.id === id) ? undefined : true));

  for (const who of ['member', 'admin']) {
    const page = await openTask(fixture, await openTaskList(fixture, 'member', {}, 'no-threads'));
    const copy = await (await discord.as('member').click(page, 'Show here')).message(says('snow'));
    expect(labels(copy)).toContain('Delete');
    const { id } = copy;
    await discord.as(who).click(copy, 'Delete');
    await waitUntilGone('no-threads', id);
    expect(messageIds()).toEqual(expect.arrayContaining([original.id, ...furtherIds]));
  }

  await discord.as('member').click(original, 'Delete');
  for (const id of [original.id, ...furtherIds]) await waitUntilGone('studio', id);
});
