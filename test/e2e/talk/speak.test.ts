import { readFile } from 'node:fs/promises';
import { PermissionFlagsBits as Permission } from 'discord.js';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { sayIn } from '../../../src/locales/index.ts';
import { describeProfiles } from '../profiles.ts';
import { labels, messagesWith, says } from '../quick.ts';
import { publicMessages, requestErasure } from '../tasks/pages.ts';
import { hasEnded, isVoiceMessage, sendUtterance, startTalk, startTalkBot, TALK_MODEL, threadOf } from './fixture.ts';

const recording = async (name: string) => ({
  name,
  bytes: await readFile(new URL(`../../services/media/sound/files/${name}`, import.meta.url)),
});

describeProfiles('A live conversation', (profile) => {
  it('A text utterance gets a streamed text reply and one voice message below it', async () => {
    const fixture = await startTalkBot({ gateway: { profile } });
    const { discord } = fixture;
    const { thread, opening } = await startTalk(fixture);
    const answer = await sendUtterance(fixture, opening, 'tell me of *snow*');
    expect(text(answer)).toContain('tell me of \\*snow\\*');
    expect(text(answer)).toContain('This is the sandbox speaking.');
    expect(labels(answer)).toEqual(['Speak', 'Delete']);
    const voice = await discord.until(() => discord.messages(thread).find(isVoiceMessage), 'a voice message');
    expect(voice.message_reference?.message_id).toBe(answer.id);
    const [attachment] = voice.attachments;
    expect(attachment).toMatchObject({ content_type: 'audio/ogg' });
    expect(attachment?.duration_secs).toBeGreaterThan(0.5);
    expect(Buffer.from(attachment?.waveform ?? '', 'base64').length).toBeGreaterThan(10);
    const verdict = await (await discord.as('member').menu('Verify', voice)).message();
    expect(text(verdict)).toContain('`voice-message.ogg`: the file was made with this bot. It is [the result](');
    expect(text(verdict)).toContain(`/${thread}/${answer.id})`);
    // The next reply takes the first one into account and has its own voice message.
    const next = await sendUtterance(fixture, answer, 'and of ice');
    expect(text(next)).toContain('The first of 2 things was');
    await discord.until(() => (discord.messages(thread).filter(isVoiceMessage).length === 2 ? true : undefined));
    expect(fixture.logged()).not.toMatch(/tell me of|Something unexpected/);
  });
});

it('What is said in the form of a private conversation is answered in its language, whatever that of the server', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  discord.world.user('member').locale = 'fr';
  const french = sayIn('fr');
  const speaker = discord.as('member');
  const thread = await threadOf(await speaker.slash('talk start'));
  const speak = french('talk.buttons.speak');
  const isOpening = (message: Message) => labels(message).includes(speak);
  const opening = await discord.until(() => discord.messages(thread).find(isOpening), 'the first message');
  const exchange = await speaker.fill(await (await speaker.click(opening, speak)).modal(), { words: 'la neige' });
  await exchange.message((message) => labels(message).includes(french('task.buttons.delete')));
});

it('An audio file is answered, and its transcript is shown', { tags: ['breadth'] }, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { opening } = await startTalk(fixture);
  const speaker = discord.as('member');
  const modal = await (await speaker.click(opening, 'Speak')).modal();
  const answer = await (await speaker.fill(modal, { sound: [await recording('mono.ogg')] })).message(hasEnded);
  expect(text(answer)).toContain('🎙️ Voice message');
  expect(text(answer)).toContain('Heard: “');
});

it('An empty utterance and a file that is not audio are refused with an explanation', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  const { opening } = await startTalk(fixture);
  const speaker = discord.as('member');
  const submitForm = async (values: Record<string, string | { name: string; bytes: Buffer }[]>) =>
    (await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), values)).message();
  let responseCount = 0;
  gateway.realtime.on('received', (_session, event) => {
    if ((event as { type?: string }).type === 'response.create') responseCount += 1;
  });
  const emptyReply = await submitForm({ words: ' \u200b ' });
  expect(text(emptyReply)).toContain('This message is empty');
  expect(emptyReply.ephemeral).toBe(true);
  const invalidFileReply = await submitForm({ sound: [{ name: 'a.ogg', bytes: Buffer.from('no sound at all') }] });
  expect(text(invalidFileReply)).toContain('audio format is not supported');
  expect(responseCount).toBe(0);
});

it('Other members can speak only in a live conversation for everyone, and are refused in one for a single member', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const privateTalk = await startTalk(fixture, {}, 'no-private-threads');
  const refusal = await (await discord.as('other').click(privateTalk.opening, 'Speak')).message();
  expect(text(refusal)).toContain('Only the member who started this conversation can speak');
  expect(refusal.ephemeral).toBe(true);
  const publicTalk = await startTalk(fixture, { who: 'everyone' });
  expect(text(await sendUtterance(fixture, publicTalk.opening, 'hello', 'other'))).toContain(
    'This is the sandbox speaking.',
  );
});

it('Without the permission for voice messages, the audio is posted as a file immediately', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture, {}, 'no-voice-messages');
  await sendUtterance(fixture, opening, 'hello');
  const [file] = await discord.until(() => nonEmpty(messagesWith(discord, thread, 'Voice reply')));
  expect(file?.attachments[0]?.filename).toBe('voice-message.ogg');
  expect(discord.messages(thread).some(isVoiceMessage)).toBe(false);
  expect(discord.requests.filter(({ status }) => status === 403)).toEqual([]);
});

it('If the bot is not allowed to post files, the voice message is posted with the speaker’s interaction token', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture);
  discord.restrict('studio', Permission.AttachFiles);
  await sendUtterance(fixture, opening, 'hello');
  const voice = await discord.until(() => discord.messages(thread).find(isVoiceMessage));
  expect(voice.webhook_id).toBe(discord.applicationId);
});

it('If Discord refuses the voice message, a file is posted once instead', { tags: ['breadth'] }, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture);
  const speaker = discord.as('member');
  const modal = await (await speaker.click(opening, 'Speak')).modal();
  const exchange = await speaker.fill(modal, { words: 'hello' });
  discord.restrict('studio', Permission.SendVoiceMessages);
  await exchange.message(hasEnded);
  await discord.until(() => nonEmpty(messagesWith(discord, thread, 'Voice reply')));
  expect(discord.messages(thread).some(isVoiceMessage)).toBe(false);
  expect(messagesWith(discord, thread, 'Voice reply')).toHaveLength(1);
});

it('A new utterance interrupts the current reply, whose message says so', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  gateway.faults.add({ do: { type: 'realtime', how: 'slow' } });
  const { thread, opening } = await startTalk(fixture);
  const speaker = discord.as('member');
  const first = await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'a long story' });
  await first.message((message) => labels(message).includes('Stop'));
  await sendUtterance(fixture, opening, 'wait');
  const interrupted = await first.message(hasEnded);
  expect(text(interrupted)).toContain('Interrupted by a new message.');
  await discord.until(() => discord.messages(thread).find(isVoiceMessage));
  expect(discord.messages(thread).filter(isVoiceMessage)).toHaveLength(1);
});

it('The Stop button ends a reply in a live conversation and keeps the part that had arrived', async () => {
  const fixture = await startTalkBot();
  const { discord, gateway } = fixture;
  gateway.faults.add({ do: { type: 'realtime', how: 'slow' } });
  const { opening } = await startTalk(fixture, { who: 'everyone' });
  const speaker = discord.as('member');
  const exchange = await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'a long story' });
  const running = await exchange.message((message) => labels(message).includes('Stop'));
  const refused = await (await discord.as('other').click(running, 'Stop')).followUp();
  expect(text(refused)).toContain('Only the member who requested');
  await speaker.click(running, 'Stop');
  expect(text(await exchange.message(hasEnded))).toMatch(/a long story[\s\S]*Stopped\./);
});

it('The Delete button of a reply in a live conversation also deletes its voice message', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture);
  const answer = await sendUtterance(fixture, opening, 'hello');
  await discord.until(() => discord.messages(thread).find(isVoiceMessage));
  await discord.as('member').click(answer, 'Delete');
  await discord.until(() => (publicMessages(fixture, thread).length === 1 ? true : undefined));
});

const nonEmpty = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

it('The first words of a conversation for everyone name its thread, until they are deleted', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture, { who: 'everyone' });
  const threadName = () => discord.world.channel(thread).name;
  const answer = await sendUtterance(fixture, opening, 'tell **everyone** <@123> of https://snow.example today');
  await expect.poll(threadName).toBe('tell everyone of today');
  await sendUtterance(fixture, opening, 'and of ice');
  expect(threadName()).toBe('tell everyone of today');
  await discord.as('member').click(answer, 'Delete');
  await expect.poll(threadName).toBe(`Live: ${TALK_MODEL}`);
});

it('Deleted data takes the name of a thread back once, because Discord accepts only two names in ten minutes', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot();
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture, { who: 'everyone' });
  await sendUtterance(fixture, opening, 'tell everyone of today');
  const newNames = () =>
    discord.requests
      .filter(({ method, path }) => method === 'PATCH' && path === `/channels/${thread}`)
      .flatMap(({ body }) => (body as { name?: string }).name ?? []);
  await expect.poll(newNames).toEqual(['tell everyone of today']);
  const page = await (await requestErasure(fixture)).message(says('data has been deleted'));
  expect(text(page)).toContain('data has been deleted');
  await expect.poll(newNames).toEqual(['tell everyone of today', `Live: ${TALK_MODEL}`]);
});

it('A conversation for one member does not name its thread', { tags: ['breadth'] }, async () => {
  const fixture = await startTalkBot();
  const { thread, opening } = await startTalk(fixture, {}, 'no-private-threads');
  await sendUtterance(fixture, opening, 'tell me of snow');
  expect(fixture.discord.world.channel(thread).name).toBe(`Live: ${TALK_MODEL}`);
});
