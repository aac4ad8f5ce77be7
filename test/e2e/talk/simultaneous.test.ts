import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { startBot } from '../bot.ts';
import { describeDialects } from '../profiles.ts';
import { labels, messagesWith } from '../quick.ts';
import { publicMessages, requestErasure } from '../tasks/pages.ts';
import {
  hasEnded,
  isVoiceMessage,
  sendUtterance,
  startListeningBot,
  startTalk,
  startTalkBot,
  type TalkFixture,
} from './fixture.ts';
import { chargedReplyCount, recordSessions, storedEntries, storedTasks } from './wire.ts';

const MINUTE_MS = 60_000;
const fastGateway = { seed: 1, speed: 10 };

const answerTo = ({ discord }: TalkFixture, thread: string, { id }: Message, condition = hasEnded): Promise<Message> =>
  discord.until(
    () => discord.messages(thread).find((one) => one.message_reference?.message_id === id && condition(one)),
    'an answer',
  );

const isRunning = (message: Message): boolean => labels(message).includes('Stop') && /sandbox/.test(text(message));

describeDialects('Simultaneous utterances', (realtimeDialect) => {
  it('A message during a reply interrupts it, and the model remembers only what was shown', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startListeningBot({ gateway: { ...fastGateway, speed: 2, quirks: { realtimeDialect } } });
    const { discord, gateway } = fixture;
    const received: string[] = [];
    gateway.realtime.on('received', (_, event) => received.push(String((event as { type?: unknown }).type)));
    const { thread } = await startTalk(fixture);
    const speaker = discord.as('member').in(thread);
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
    const first = await speaker.say('a long story, 200 words');
    await answerTo(fixture, thread, first, isRunning);
    gateway.setSpeed(20);
    const second = await speaker.say('wait, what was that?');
    const interrupted = await answerTo(fixture, thread, first);
    expect(text(interrupted)).toContain('Interrupted by a new message.');
    const answer = await answerTo(fixture, thread, second);
    const [, lastWords = 'none'] = /My last words were: “([^”]+)”/.exec(text(answer)) ?? [];
    expect(text(interrupted)).toContain(lastWords);
    expect(received.filter((type) => /cancel|truncate/.test(type))).toEqual([
      'response.cancel',
      'conversation.item.truncate',
    ]);
    const [voice] = await discord.until(() => {
      const voices = discord.messages(thread).filter((one) => isVoiceMessage(one));
      return voices.length > 0 ? voices : undefined;
    });
    expect(voice?.message_reference?.message_id).toBe(answer.id);
    expect(gateway.realtime.openedCount).toBe(1);
  });
});

it('Two members who speak at the same time are answered one after the other, and each is charged for their own message', async () => {
  const fixture = await startListeningBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const { thread } = await startTalk(fixture, { who: 'everyone' });
  const messages = await Promise.all(
    ['member', 'other'].map((who) => discord.as(who).in(thread).say(`this is ${who} speaking`)),
  );
  const answers = await Promise.all(messages.map((one) => answerTo(fixture, thread, one)));
  expect(sessionLog.requestCount()).toBe(2);
  expect(answers.map(text)[1]).toContain('The first of 2 things was: “this is member speaking”');
  await fixture.app.stop();
  const utterances = storedTasks(fixture).filter(({ kind }) => kind === 'said');
  expect(utterances.map(({ requesterId }) => requesterId).sort()).toEqual(
    ['member', 'other'].map((who) => discord.world.user(who).id).sort(),
  );
  expect(
    storedEntries(fixture)
      .map(({ memberId }) => memberId)
      .sort(),
  ).toEqual(utterances.map(({ requesterId }) => requesterId).sort());
  expect(chargedReplyCount(gateway)).toBe(2);
});

it('Simultaneous talks are independent of each other', { tags: ['breadth'] }, async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { gateway } = fixture;
  const [firstTalk, secondTalk] = [
    await startTalk(fixture, { voice: 'sage' }),
    await startTalk(fixture, { who: 'everyone', voice: 'ash' }),
  ];
  await Promise.all([
    sendUtterance(fixture, firstTalk.opening, 'my name is Wren'),
    sendUtterance(fixture, secondTalk.opening, 'my name is Crane', 'other'),
  ]);
  const [firstAnswer, secondAnswer] = await Promise.all([
    sendUtterance(fixture, firstTalk.opening, 'who am I?'),
    sendUtterance(fixture, secondTalk.opening, 'who am I?', 'other'),
  ]);
  expect([text(firstAnswer), text(secondAnswer)]).toEqual([
    expect.stringContaining('was: “my name is Wren”'),
    expect.stringContaining('was: “my name is Crane”'),
  ]);
  expect(gateway.realtime.sessions.map(({ settings }) => settings.voice)).toEqual(['sage', 'ash']);
});

describe('The time limits of a live conversation', () => {
  it('A live conversation without utterances ends with one notice, even if the bot is down', async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { discord, clock, gateway } = fixture;
    const { thread, opening } = await startTalk(fixture);
    await sendUtterance(fixture, opening, 'hello');
    await discord.until(() => discord.messages(thread).find(isVoiceMessage));
    await fixture.app.stop();
    clock.advance(16 * MINUTE_MS);
    const second = await startBot(fixture);
    const endNotices = () => messagesWith(discord, thread, 'of inactivity');
    await discord.until(() => endNotices().length === 2 || undefined, 'a notice');
    await second.stop();
    await startBot(fixture);
    await (await discord.as('member').slash('help')).message();
    expect(endNotices()).toHaveLength(2);
    expect(gateway.realtime.openedCount).toBe(1);
  });

  it('A live conversation continues unnoticed after the session limit of one hour', { tags: ['breadth'] }, async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { clock, gateway } = fixture;
    const { opening } = await startTalk(fixture);
    await sendUtterance(fixture, opening, 'my name is Wren');
    for (const minutes of [14, 28, 42, 56, 70]) {
      clock.advance(14 * MINUTE_MS);
      expect(text(await sendUtterance(fixture, opening, `it is ${minutes} past`))).toContain('was: “my name is Wren”');
    }
    expect(gateway.realtime.openedCount).toBeGreaterThan(1);
    expect(fixture.logged()).not.toContain('session_expired');
  });
});

describeDialects('A gateway with a session limit of its own', (realtimeDialect) => {
  it('A live conversation continues unnoticed if the gateway has a shorter session limit', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTalkBot({
      gateway: { ...fastGateway, quirks: { realtimeDialect, realtimeMinutes: 10 } },
    });
    const { clock, gateway } = fixture;
    const { opening } = await startTalk(fixture);
    await sendUtterance(fixture, opening, 'my name is Wren');
    clock.advance(11 * MINUTE_MS);
    expect(text(await sendUtterance(fixture, opening, 'who am I?'))).toContain(
      'The first of 2 things was: “my name is Wren”',
    );
    expect(gateway.realtime.openedCount).toBe(2);
  });
});

describe('The erasure of a member’s data during a live conversation', () => {
  it('An erasure during a reply leaves only a notice for the others in the thread, and the gateway’s response is stopped', async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { discord, gateway } = fixture;
    const { thread, opening } = await startTalk(fixture, { who: 'everyone' });
    const speaker = discord.as('member');
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
    const running = await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'a secret' });
    await running.message(isRunning);
    await requestErasure(fixture);
    await expect
      .poll(() => publicMessages(fixture, thread).map(text))
      .toEqual(['This conversation has ended.\n-# Use `/talk start` to start another one.']);
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
    await expect.poll(() => storedTasks(fixture)).toEqual([]);
    // The ledger is anonymized after the tasks were removed.
    await expect.poll(() => storedEntries(fixture).map(({ memberId }) => memberId)).toEqual([undefined]);
  });

  it('An erasure during an unconfirmed utterance leaves nothing behind once the wait limit is over', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { discord, gateway, clock } = fixture;
    const sessionLog = recordSessions(gateway);
    const { thread, opening } = await startTalk(fixture);
    const speaker = discord.as('member');
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-hang-asked' });
    await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'a secret' });
    await expect.poll(sessionLog.requestCount).toBe(1);
    await (await requestErasure(fixture)).message((message) => text(message).includes('still running'));
    clock.advance(2 * MINUTE_MS);
    await expect.poll(() => storedTasks(fixture)).toEqual([]);
    await discord.until(() => publicMessages(fixture, thread).length === 0 || undefined, 'an empty thread');
    // The ledger is anonymized after the tasks were removed.
    await expect.poll(() => storedEntries(fixture).map(({ memberId }) => memberId)).toEqual([undefined]);
  });

  it('An erasure removes a member from another member’s live conversation, and the live conversation continues', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const { discord, gateway } = fixture;
    const { thread, opening } = await startTalk(fixture, { who: 'everyone' });
    await sendUtterance(fixture, opening, 'my name is Wren');
    const utterance = await sendUtterance(fixture, opening, 'a secret of another member', 'other');
    await discord.until(() => discord.messages(thread).filter(isVoiceMessage).length === 2 || undefined, 'both voices');
    await requestErasure(fixture, 'other');
    await discord.until(
      () => !discord.messages(thread).some(({ id }) => id === utterance.id) || undefined,
      'its deletion',
    );
    await discord.until(
      () => discord.messages(thread).filter(isVoiceMessage).length === 1 || undefined,
      'the deletion of its voice message',
    );
    const next = await sendUtterance(fixture, opening, 'who spoke?');
    expect(text(next)).toContain('The first of 2 things was: “my name is Wren”');
    const items = JSON.stringify(gateway.realtime.sessions.map((session) => session.items));
    expect(items).not.toContain('secret');
    expect(
      storedTasks(fixture)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['said', 'said', 'talk']);
  });
});
