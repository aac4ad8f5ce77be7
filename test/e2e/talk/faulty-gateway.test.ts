import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { itVariants } from '../../support/variants.ts';
import { startBot } from '../bot.ts';
import { labels, messagesWith } from '../quick.ts';
import { openTaskList, publicMessages, requestErasure } from '../tasks/pages.ts';
import {
  hasEnded,
  isVoiceMessage,
  sendUtterance,
  startListeningBot,
  startTalk,
  startTalkBot,
  upgradeCount,
} from './fixture.ts';

const hostileText = '@everyone <@&200000000000000001> **bold** `code` ||x|| [a](https://a.example)';

describe('A live conversation with a faulty gateway', () => {
  itVariants([
    ['refuses the key', 'unauthorized', 'rejected this bot’s API key'],
    ['is busy', 'rate-limited', 'is busy'],
  ] as const)(
    'A live conversation with a gateway that %s is refused with an explanation and leaves nothing behind',
    async (_name, fault, words) => {
      const fixture = await startTalkBot();
      const { discord, gateway } = fixture;
      gateway.faults.add({ on: { kind: 'realtime' }, do: fault, times: 20 });
      expect(text(await (await discord.as('member').slash('talk start', {})).message())).toContain(words);
      await expect.poll(async () => text(await openTaskList(fixture))).toContain('No tasks found');
      expect([...discord.world.channels.values()].some(({ name }) => name.startsWith('Live'))).toBe(false);
    },
  );

  it('If the connection breaks during a reply, the part that had arrived is kept, and the live conversation continues', async () => {
    const fixture = await startTalkBot();
    const { gateway } = fixture;
    const { opening } = await startTalk(fixture);
    gateway.faults.add({ do: { type: 'realtime', how: 'drop-middle' } });
    const interrupted = await sendUtterance(fixture, opening, 'tell me of snow');
    expect(text(interrupted)).toMatch(
      /This is[\s\S]*The connection to the gateway was lost before the reply was complete/,
    );
    expect(text(await sendUtterance(fixture, opening, 'once more'))).toContain('You said: “once more”');
  });
});

it('If it is unknown whether an utterance was received, the speaker can decide to send it again', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  const { opening } = await startTalk(fixture);
  gateway.faults.add({ do: { type: 'realtime', how: 'drop-asked' } });
  const speaker = discord.as('member');
  const modal = await (await speaker.click(opening, 'Speak')).modal();
  const exchange = await speaker.fill(modal, { words: 'hello' });
  const unconfirmed = await exchange.message((message) => labels(message).includes('Dismiss'));
  expect(text(unconfirmed)).toContain('couldn’t confirm whether the gateway accepted');
  await speaker.click(unconfirmed, 'Try again (may be charged twice)');
  const answer = await exchange.message(hasEnded);
  expect(text(answer)).toContain('You said: “hello”');
});

it('A bot that stops during a reply says so after the restart, and the live conversation continues', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  const { thread, opening } = await startTalk(fixture);
  gateway.faults.add({ do: { type: 'realtime', how: 'slow' } });
  const speaker = discord.as('member');
  const exchange = await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'a long story' });
  await exchange.message((message) => labels(message).includes('Stop'));
  await fixture.app.stop();
  await startBot(fixture);
  const interrupted = await discord.until(() => messagesWith(discord, thread, 'was stopped before')[0]);
  expect(labels(interrupted)).toEqual(['Speak', 'Delete']);
  expect(text(await sendUtterance(fixture, interrupted, 'go on'))).toContain('sandbox speaking');
});

it('No utterance pings a member, breaks the Markdown or appears in the log', async () => {
  const fixture = await startListeningBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture, { instructions: hostileText });
  const utterance = await discord.as('member').in(thread).say(hostileText);
  const answer = await discord.until(() =>
    discord.messages(thread).find((one) => one.message_reference?.message_id === utterance.id && hasEnded(one)),
  );
  for (const message of [opening, answer]) {
    expect([message.mention_everyone, message.mention_roles]).toEqual([false, []]);
  }
  expect(text(answer).split('\n')[0]).toContain('\\*\\*bold\\*\\* \\`code\\` \\|\\|x\\|\\|');
  expect(fixture.logged()).not.toContain('a.example');
});

it('The erasure of a member’s data deletes their messages from the thread and ends the live conversation', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  const { thread, opening } = await startTalk(fixture);
  await sendUtterance(fixture, opening, 'remember me');
  await discord.until(() => discord.messages(thread).find(isVoiceMessage));
  await requestErasure(fixture);
  await discord.until(() => (publicMessages(fixture, thread).length === 0 ? true : undefined));
  await expect.poll(async () => text(await openTaskList(fixture))).toContain('No tasks found');
  const requestCount = upgradeCount(gateway);
  expect(text(await (await discord.as('member').in(thread).slash('talk end', {})).message())).toContain('no live');
  expect(upgradeCount(gateway)).toBe(requestCount);
});
