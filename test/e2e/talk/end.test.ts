import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { itVariants } from '../../support/variants.ts';
import { startBot } from '../bot.ts';
import { labels, messagesWith, says } from '../quick.ts';
import { erase, openDetails, openTask, openTaskList, publicMessages } from '../tasks/pages.ts';
import { hasEnded, isOpening, sendUtterance, startTalk, startTalkBot } from './fixture.ts';

const MINUTE_MS = 60_000;

describe('The end of a live conversation', () => {
  itVariants(['the command', 'the button'])(
    'A live conversation is ended by %s, and its message says so',
    async (trigger) => {
      const fixture = await startTalkBot();
      const { discord, gateway } = fixture;
      const { thread, opening } = await startTalk(fixture);
      const speaker = discord.as('member').in(thread);
      const closed = once(gateway.realtime, 'close');
      const reply =
        trigger === 'the command' ? await speaker.slash('talk end', {}) : await speaker.click(opening, 'End');
      expect(text(await reply.message())).toContain('The conversation has ended.');
      const endedOpening = await discord.until(() => messagesWith(discord, thread, 'This conversation has ended.')[0]);
      expect([endedOpening.id, labels(endedOpening)]).toEqual([opening.id, []]);
      expect(text(endedOpening)).toContain('/talk start');
      await closed;
      expect(publicMessages(fixture, thread)).toHaveLength(1);
      expect(text(await (await speaker.slash('talk end', {})).message())).toContain('no live conversation here');
    },
  );

  it('Another member can end a live conversation only with the permission to manage messages', async () => {
    const fixture = await startTalkBot();
    const { discord } = fixture;
    const { thread, opening } = await startTalk(fixture, { who: 'everyone' });
    const refusal = await (await discord.as('other').click(opening, 'End')).message();
    expect([text(refusal), refusal.ephemeral]).toEqual([expect.stringContaining('Only the member who started'), true]);
    await discord.as('admin').in(thread).slash('talk end', {});
    // Everyone sees a notice below the last utterance, so the member who ended it needs no reply.
    const notice = await discord.until(() =>
      messagesWith(discord, thread, 'This conversation has ended.').find(({ id }) => id !== opening.id),
    );
    expect(notice.message_reference?.message_id).toBe(opening.id);
    expect(notice.mentions).toEqual([]);
  });

  it('A live conversation that an erasure ends says so in its thread, where others may be', async () => {
    const fixture = await startTalkBot();
    const { discord } = fixture;
    const { thread, opening } = await startTalk(fixture, { who: 'everyone' });
    await erase(fixture);
    const [notice] = await discord.until(() => {
      const left = publicMessages(fixture, thread);
      return left.length === 1 && left[0]?.id !== opening.id ? left : undefined;
    });
    expect(notice && text(notice)).toMatch(/^This conversation has ended\.\n-# Use `\/talk start`/);
  });

  it('When a live conversation ends, its answers lose only the button to speak', { tags: ['breadth'] }, async () => {
    const fixture = await startTalkBot();
    const { discord } = fixture;
    const { thread, opening } = await startTalk(fixture);
    const answer = await sendUtterance(fixture, opening, 'hello');
    await discord.as('member').in(thread).slash('talk end', {});
    const answerAfterEnd = await discord.until(() =>
      discord.messages(thread).find((one) => one.id === answer.id && !labels(one).includes('Speak')),
    );
    expect([labels(answerAfterEnd), text(answerAfterEnd)]).toEqual([['Delete'], text(answer)]);
    expect(text(await openTaskList(fixture, 'member', { text: 'hello' }))).toContain('Live message · hello');
    const page = await openTask(fixture, await openTaskList(fixture, 'member', { kind: 'said' }));
    const copy = await (await discord.as('member').click(page, 'Show here')).message();
    const shown = await (await discord.as('member').click(copy, 'Show only to me')).message(says('hello'));
    expect(labels(shown)).toEqual(['Delete']);
  });

  it('A button that Discord did not let the bot remove from an ended live conversation is refused with an explanation, and nothing is submitted', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTalkBot();
    const { discord, gateway } = fixture;
    const { thread, opening } = await startTalk(fixture);
    const answer = await sendUtterance(fixture, opening, 'hello');
    discord.faults.add({ on: { method: 'PATCH', route: new RegExp(answer.id) }, do: { type: 'status', status: 403 } });
    await (await discord.as('member').in(thread).slash('talk end', {})).message();
    const sessionCount = gateway.realtime.openedCount;
    expect(text(await (await discord.as('member').click(answer, 'Speak')).message())).toContain('has ended');
    expect(gateway.realtime.openedCount).toBe(sessionCount);
  });

  it('A live conversation ends after a period of silence, with a notice that pings no one', async () => {
    const fixture = await startTalkBot();
    const { discord, clock } = fixture;
    const { thread, opening } = await startTalk(fixture);
    clock.advance(16 * MINUTE_MS);
    const [endedOpening, notice] = await discord.until(() => {
      const notices = messagesWith(discord, thread, 'of inactivity');
      return notices.length === 2 ? notices : undefined;
    });
    expect(endedOpening?.id).toBe(opening.id);
    expect(notice?.message_reference?.message_id).toBe(opening.id);
    expect(notice?.mentions).toEqual([]);
    expect(endedOpening && labels(endedOpening)).toEqual([]);
  });
});

it('After a restart, a live conversation continues with its history and its buttons', async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture);
  await sendUtterance(fixture, opening, 'remember the snow');
  await fixture.app.stop();
  await startBot(fixture);
  const answer = await sendUtterance(fixture, opening, 'what was it?');
  expect(text(answer)).toMatch(/The first of 2 things was: “remember the snow”/);
  await (await discord.as('member').in(thread).slash('talk end', {})).message();
  await discord.until(() => messagesWith(discord, thread, 'This conversation has ended.')[0]);
});

it('No live conversation remains after a restart if the bot stopped before the thread was created', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  discord.faults.add({ on: { method: 'POST', route: /threads$/ }, do: { type: 'hang', done: true } });
  void discord.as('member').slash('talk start', {});
  await discord.until(
    () => [...discord.world.channels.values()].some(({ name }) => name.startsWith('Live')) || undefined,
  );
  await fixture.app.stop();
  await startBot(fixture);
  const workingTasks = await openTaskList(fixture, 'member', { kind: 'talk', state: 'working' });
  expect(text(workingTasks)).toContain('No tasks found');
  expect(text(await openTaskList(fixture))).not.toContain('could not be delivered');
});

it('The task list shows a live conversation, its page shows the last utterances, and Show posts the transcript', async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture, { instructions: 'be brief' });
  await sendUtterance(fixture, opening, 'tell me of snow');
  const speaker = discord.as('member');
  const taskList = await openTaskList(fixture);
  expect(text(taskList)).toMatch(/Live conversation · be brief 🔒/);
  expect(text(taskList)).not.toContain('Message in');
  const talkPage = await openTask(fixture, taskList);
  expect(text(talkPage)).toMatch(/tell me of snow[\s\S]*↳ This is the sandbox/);
  expect(labels(talkPage)).toContain('End');
  await (await speaker.in(thread).slash('talk end', {})).message();
  await discord.until(() => messagesWith(discord, thread, 'This conversation has ended.')[0]);
  const listAgain = await (await speaker.click(talkPage, 'Back')).message(
    (message) => !labels(message).includes('Back'),
  );
  const endedTalkPage = await openTask(fixture, listAgain);
  expect(text(await openDetails(fixture, endedTalkPage))).not.toContain('who');
  await (await speaker.click(endedTalkPage, 'Back')).message((one) => labels(one).includes('Details'));
  const question = await (await speaker.click(endedTalkPage, 'Show here')).message(
    says('everyone in this channel sees'),
  );
  const shown = await (await speaker.click(question, 'Show to everyone')).message(says('Transcript'));
  expect(text(shown)).toMatch(/^-# Private, shown by <@\d+>.*\n\*\*Transcript\*\* · <@\d+>\n/);
  await speaker.click(shown, 'Delete');
  await discord.until(() => !discord.messages('studio').some(({ id }) => id === shown.id) || undefined);
  const transcript = await (await speaker.click(endedTalkPage, 'Show only to me')).message();
  expect(text(transcript)).toMatch(/Transcript[\s\S]*tell me of snow[\s\S]*Where there is/);
  expect(discord.messages(thread).filter(isOpening)).toEqual([]);
  expect(discord.messages(thread).filter(hasEnded)).toHaveLength(1);
});

it('An utterance can be shown elsewhere, but a live conversation accepts utterances only in its own thread', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  const { opening } = await startTalk(fixture, { who: 'everyone' });
  await sendUtterance(fixture, opening, 'tell me of snow');
  const speaker = discord.as('member');
  const openPage = async () => openTask(fixture, await openTaskList(fixture, 'member', { kind: 'said' }));
  // The answer is shown before the task is stored as delivered, and only then its page offers to show it.
  await expect.poll(async () => labels(await openPage())).toContain('Show here');
  const page = await openPage();
  expect(labels(page)).not.toContain('Retry');
  const copy = await (await speaker.click(page, 'Show here')).message();
  expect(text(copy)).toMatch(/tell me of snow[\s\S]*This is the sandbox speaking/);
  expect(text(await (await speaker.click(copy, 'Speak')).message())).toContain('takes place in its own thread');
  expect(gateway.realtime.openedCount).toBe(1);
});
