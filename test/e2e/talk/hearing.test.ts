import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { messagesWith } from '../quick.ts';
import { hasEnded, isVoiceMessage, startListeningBot, startTalk, startTalkBot, type TalkFixture } from './fixture.ts';

const recording = () => readFile(new URL('../../services/media/sound/files/mono.ogg', import.meta.url));

/** Waits for the reply to a message in a thread. */
const answerTo = ({ discord }: TalkFixture, thread: string, { id }: Message): Promise<Message> =>
  discord.until(
    () => discord.messages(thread).find((one) => one.message_reference?.message_id === id && hasEnded(one)),
    'an answer',
  );

it('A participant can speak with a message, a voice message or an audio file, with or without text', async () => {
  const fixture = await startListeningBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture);
  expect(text(opening)).toContain('Write here');
  const speaker = discord.as('member').in(thread);
  const textAnswer = await answerTo(fixture, thread, await speaker.say('tell me of snow'));
  expect(text(textAnswer)).toContain('You said: “tell me of snow”');
  const voiceAnswer = await answerTo(fixture, thread, await speaker.speak({ bytes: await recording(), seconds: 1 }));
  expect(text(voiceAnswer)).toMatch(/🎙️ Voice message[\s\S]*Heard: “/);
  const files = [{ name: 'a.ogg', bytes: await recording(), contentType: 'audio/ogg' }];
  const fileAnswer = await answerTo(fixture, thread, await speaker.say('what is this?', files));
  expect(text(fileAnswer)).toMatch(/what is this\?[\s\S]*Heard: “/);
  await discord.until(() =>
    discord.messages(thread).filter((one) => isVoiceMessage(one) && one.author.bot).length === 3 ? true : undefined,
  );
  expect(fixture.logged()).not.toMatch(/tell me of|what is this/);
});

it('The model listens to other members only in a live conversation for everyone', { tags: ['breadth'] }, async () => {
  const fixture = await startListeningBot();
  const { discord, gateway } = fixture;
  const privateTalk = await startTalk(fixture, {}, 'no-private-threads');
  const publicTalk = await startTalk(fixture, { who: 'everyone' });
  await discord.as('other').in(privateTalk.thread).say('and me?');
  const utterance = await discord.as('other').in(publicTalk.thread).say('hello there');
  await answerTo(fixture, publicTalk.thread, utterance);
  expect(messagesWith(discord, privateTalk.thread, 'sandbox speaking')).toEqual([]);
  expect(gateway.realtime.openedCount).toBe(2);
});

it('During a live conversation, messages in its thread do not continue an earlier question of /ask', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startListeningBot({ settings: { DEFAULT_TEXT_MODEL: 'quill-5' } });
  const { discord, gateway } = fixture;
  const speaker = discord.as('member').in('thread');
  await (await speaker.slash('ask', { prompt: 'snow?' })).message(hasEnded);
  await speaker.slash('talk start', {});
  await discord.until(() => messagesWith(discord, 'thread', 'Live conversation')[0]);
  await answerTo(fixture, 'thread', await speaker.say('and ice?'));
  expect(gateway.requests.filter(({ path }) => path.endsWith('/responses'))).toHaveLength(1);
  // After the talk, messages continue the conversation of /ask again.
  await (await speaker.slash('talk end', {})).message();
  await answerTo(fixture, 'thread', await speaker.say('and rain?'));
  expect(gateway.requests.filter(({ path }) => path.endsWith('/responses'))).toHaveLength(2);
});

it('An unreadable audio file is reported in the thread, and a message with only an image is ignored', async () => {
  const fixture = await startListeningBot();
  const { discord } = fixture;
  const { thread } = await startTalk(fixture);
  const speaker = discord.as('member').in(thread);
  for (const words of ['', '\u200b']) {
    await speaker.say(words, [{ name: 'a.png', bytes: Buffer.from('x'), contentType: 'image/png' }]);
  }
  const unreadable = await speaker.say('', [
    { name: 'a.ogg', bytes: Buffer.from('not a sound'), contentType: 'audio/ogg' },
  ]);
  const reply = await discord.until(() =>
    discord
      .messages(thread)
      .find(
        (one) => one.message_reference?.message_id === unreadable.id && /audio format is not supported/.test(text(one)),
      ),
  );
  expect(reply.components ?? []).toEqual([]);
  expect(discord.messages(thread)).toHaveLength(5);
});

it('Without DISCORD_MESSAGE_CONTENT, messages in the thread of a live conversation are ignored', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  const { thread } = await startTalk(fixture);
  await discord.as('member').in(thread).say('hello?');
  await (await discord.as('member').slash('help')).message();
  expect(discord.messages(thread)).toHaveLength(2);
  expect(gateway.realtime.openedCount).toBe(1);
});
