import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { standingOf } from '../../../src/services/money/entry.ts';
import { labels, messagesWith } from '../quick.ts';
import { bytesOf } from '../tasks/fixture.ts';
import { publicMessages } from '../tasks/pages.ts';
import { hasEnded, isVoiceMessage, sendUtterance, startTalk, startTalkBot, type TalkFixture } from './fixture.ts';
import { decodeVoiceMessage } from './voice-message-decoder.ts';
import { chargedReplyCount, recordSessions, storedEntries, storedTasks } from './wire.ts';

const fastGateway = { seed: 1, speed: 10 };

const submitUtterance = async ({ discord }: TalkFixture, target: Message, words: string) => {
  const speaker = discord.as('member');
  return speaker.fill(await (await speaker.click(target, 'Speak')).modal(), { words });
};
const isRunning = (message: Message): boolean => labels(message).includes('Stop');

it('A live conversation that is ended during a reply reports its end once and keeps the part of the reply that had arrived', async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const { thread, opening } = await startTalk(fixture);
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
  const running = await submitUtterance(fixture, opening, 'a long story');
  await running.message(isRunning);
  const speaker = discord.as('member');
  const presses = await Promise.all([speaker.click(opening, 'End'), speaker.click(opening, 'End')]);
  const replies = await Promise.all(presses.map(async (press) => text(await press.message())));
  expect(replies.every((words) => words.includes('has ended') || words.includes('is over'))).toBe(true);
  expect(text(await running.message(hasEnded))).toContain('Stopped.');
  await expect.poll(() => gateway.realtime.sessions).toEqual([]);
  await expect.poll(() => storedTasks(fixture).every(({ times }) => times.settled !== undefined)).toBe(true);
  expect(messagesWith(discord, thread, 'This conversation has ended.')).toHaveLength(1);
  expect(storedEntries(fixture).map(standingOf)).toEqual(['settled']);
  expect(chargedReplyCount(gateway)).toBe(1);
});

it('A live conversation that is ended while an utterance is unconfirmed ends immediately', async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord, gateway, clock } = fixture;
  const sessionLog = recordSessions(gateway);
  const { opening } = await startTalk(fixture);
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-hang-asked' });
  const unconfirmed = await submitUtterance(fixture, opening, 'hello?');
  await expect.poll(sessionLog.requestCount).toBe(1);
  const startedAt = clock.now();
  const reply = await (await discord.as('member').click(opening, 'End')).message();
  expect(text(reply)).toContain('has ended');
  expect(clock.now() - startedAt).toBeLessThan(10_000);
  clock.advance(90_000);
  const unconfirmedMessage = await unconfirmed.message((message) => labels(message).includes('Dismiss'));
  // A talk that has ended accepts no utterances.
  const second = await discord.as('member').click(unconfirmedMessage, 'Try again (may be charged twice)');
  expect(text(await second.followUp())).toContain('has ended');
  expect(sessionLog.requestCount()).toBe(1);
  await discord.as('member').click(unconfirmedMessage, 'Dismiss');
  await unconfirmed.message((message) => text(message).includes('Dismissed.'));
  expect(storedEntries(fixture).map(standingOf).sort()).toEqual(['refunded', 'settled']);
});

it('A reply that is deleted while it is streamed leaves nothing behind, and the live conversation continues', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const { thread, opening } = await startTalk(fixture);
  await sendUtterance(fixture, opening, 'my name is Wren');
  await discord.until(() => discord.messages(thread).find(isVoiceMessage));
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
  const running = await submitUtterance(fixture, opening, 'a long story');
  const message = await running.message(isRunning);
  await discord.as('member').click(message, 'Stop');
  await discord.as('member').click(await running.message(hasEnded), 'Delete');
  await discord.until(() => publicMessages(fixture, thread).length === 3 || undefined, 'only the earlier messages');
  const next = await sendUtterance(fixture, opening, 'who am I?');
  expect(text(next)).toContain('was: “my name is Wren”');
});

it('A long reply continues in further messages with one voice message, and all of them are deleted together', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot({ gateway: { ...fastGateway, speed: 40 } });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const { thread, opening } = await startTalk(fixture);
  const answer = await sendUtterance(fixture, opening, 'tell me of snow, 420 words');
  const voice = await discord.until(() => discord.messages(thread).find(isVoiceMessage), 'a voice message');
  expect(discord.messages(thread).filter(({ id }) => id > opening.id).length).toBeGreaterThan(2);
  const [sentReply] = sessionLog.replies.values();
  const sampleCount = (sentReply?.audio ?? []).reduce((sum, { length }) => sum + length, 0) / 2;
  expect((await decodeVoiceMessage(await bytesOf(voice))).length).toBe(sampleCount);
  await discord.as('member').click(answer, 'Delete');
  await discord.until(() => publicMessages(fixture, thread).length === 1 || undefined, 'only the opening message');
});
