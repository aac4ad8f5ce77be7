import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { samplesFrom } from '../../../sandbox/gateway/realtime/input-buffer.ts';
import { PCM_RATE, secondsOf } from '../../../src/lib/pcm.ts';
import { similarity } from '../../services/media/sound/listen.ts';
import { SECONDS, toneSamples } from '../../services/media/sound/tones.ts';
import { itVariants } from '../../support/variants.ts';
import { messagesWith } from '../quick.ts';
import { bytesOf } from '../tasks/fixture.ts';
import { hasEnded, isVoiceMessage, startListeningBot, startTalk, startTalkBot, type TalkFixture } from './fixture.ts';
import { decodeVoiceMessage } from './voice-message-decoder.ts';
import { recordSessions, storedEntries, storedTasks } from './wire.ts';

const fastGateway = { seed: 1, speed: 10 };
const recording = (name: string) => readFile(new URL(`../../services/media/sound/files/${name}`, import.meta.url));
const originalSamples = toneSamples(PCM_RATE);

/** Submits the audio through the form, with or without text. */
async function speak({ discord }: TalkFixture, opening: Message, name: string, bytes: Buffer, words = '') {
  const speaker = discord.as('member');
  const modal = await (await speaker.click(opening, 'Speak')).modal();
  return speaker.fill(modal, { words, sound: [{ name, bytes }] });
}

const voiceMessagesIn = ({ discord }: TalkFixture, thread: string): Message[] =>
  discord.messages(thread).filter((one) => isVoiceMessage(one) && one.author.bot);

it('The samples of voice messages and audio files reach the gateway unchanged', { tags: ['breadth'] }, async () => {
  const fixture = await startListeningBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const { thread, opening } = await startTalk(fixture);
  const voice = await discord
    .as('member')
    .in(thread)
    .speak({ bytes: await recording('mono.ogg'), seconds: SECONDS });
  await discord.until(() =>
    discord.messages(thread).find((one) => one.message_reference?.message_id === voice.id && hasEnded(one)),
  );
  for (const name of ['constant-with-title.mp3', 'twenty-four-bits.wav', 'stereo.ogg']) {
    const answer = await (await speak(fixture, opening, name, await recording(name))).message(hasEnded);
    // The gateway reports the length and the loudest tone that it received.
    expect(text(answer)).toMatch(/Heard: “a (?:clear|loud) sound of 0\.9 seconds, at about 330 hertz”/);
  }
  expect(sessionLog.utteranceAudio).toHaveLength(4);
  for (const samples of sessionLog.utteranceAudio) {
    expect(secondsOf(samples)).toBeCloseTo(SECONDS, 2);
    expect(similarity(originalSamples, samples)).toBeGreaterThan(0.99);
  }
});

it('Text and audio are sent as one utterance, and the audio is remembered by its transcript', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const sessionLog = recordSessions(fixture.gateway);
  const { opening } = await startTalk(fixture);
  const exchange = await speak(fixture, opening, 'tones.ogg', await recording('mono.ogg'), 'what do you hear?');
  expect(text(await exchange.message(hasEnded))).toMatch(/what do you hear\?[\s\S]*Heard: “a/);
  expect(sessionLog.requestCount()).toBe(1);
  // The next session receives the audio as text.
  fixture.gateway.realtime.dropAll();
  const next = await speak(fixture, opening, 'tones.wav', await recording('with-a-list.wav'));
  expect(text(await next.message(hasEnded))).toMatch(
    /The first of \d things was: “what do you hear\? a clear sound of 0\.9 seconds/,
  );
  expect(fixture.gateway.realtime.openedCount).toBe(2);
});

const unsupportedFormat = 'audio format is not supported';

itVariants([
  ['a file in AAC', 'tones.m4a', () => recording('tones.m4a'), unsupportedFormat],
  ['random bytes', 'a.ogg', async () => Buffer.from('OggS and nothing behind it'), unsupportedFormat],
  ['noise', 'noise.mp3', async () => Buffer.alloc(2_000, 0xff), unsupportedFormat],
  ['an empty file', 'empty.wav', async () => Buffer.alloc(0), 'recording is empty'],
  ['an image', 'a.mp3', async () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), unsupportedFormat],
])(
  'An utterance with %s is refused with an explanation, and nothing is sent or charged',
  async (_, name, bytes, words) => {
    const fixture = await startTalkBot({ gateway: fastGateway });
    const sessionLog = recordSessions(fixture.gateway);
    const { opening } = await startTalk(fixture);
    const eventCountBefore = fixture.gateway.realtime.sessions[0]?.receivedEvents.length;
    const reply = text(await (await speak(fixture, opening, name, await bytes())).message());
    expect(reply).toContain(words);
    expect(fixture.gateway.realtime.sessions[0]?.receivedEvents.length).toBe(eventCountBefore);
    expect([sessionLog.requestCount(), sessionLog.utteranceAudio]).toEqual([0, []]);
    expect(storedEntries(fixture)).toEqual([]);
    expect(storedTasks(fixture).map(({ kind }) => kind)).toEqual(['talk']);
  },
);

it('A voice message plays the reply from the gateway and states its duration', async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const { thread, opening } = await startTalk(fixture, { voice: 'cedar' });
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-odd-bytes' });
  const speaker = discord.as('member');
  await (await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'hello' })).message(
    hasEnded,
  );
  const voice = await discord.until(() => voiceMessagesIn(fixture, thread)[0], 'a voice message');
  const [sentReply] = sessionLog.replies.values();
  const sentSamples = samplesFrom(Buffer.concat(sentReply?.audio ?? []));
  const postedSamples = await decodeVoiceMessage(await bytesOf(voice));
  expect(sentSamples.length).toBeGreaterThan(5 * PCM_RATE);
  expect(postedSamples.length).toBe(sentSamples.length);
  const part = (audio: Int16Array) => audio.subarray(PCM_RATE, 4 * PCM_RATE);
  expect(similarity(part(sentSamples), part(postedSamples), 2)).toBeGreaterThan(0.95);
  const end = (audio: Int16Array) => audio.subarray(-2 * PCM_RATE);
  expect(similarity(end(sentSamples), end(postedSamples), 2)).toBeGreaterThan(0.95);
  const [file] = voice.attachments;
  expect(file?.duration_secs).toBeCloseTo(secondsOf(sentSamples), 1);
  expect(waveformSimilarity(Buffer.from(file?.waveform ?? '', 'base64'), sentSamples)).toBeGreaterThan(0.8);
  expect([voice.content, voice.embeds, voice.components ?? [], voice.attachments.length]).toEqual(['', [], [], 1]);
  expect(voiceMessagesIn(fixture, thread)).toHaveLength(1);
  // Audio that is posted in Discord is deleted from the store.
  await expect.poll(() => storesAudio(fixture)).toBe(false);
});

itVariants([
  ['may not send voice messages', 403, 50_173],
  ['sends an invalid voice message', 400, 50_160],
])('If Discord says that the bot %s, the audio is posted once as a file', async (_, status, code) => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord } = fixture;
  const sessionLog = recordSessions(fixture.gateway);
  const { thread, opening } = await startTalk(fixture);
  const speaker = discord.as('member');
  const exchange = await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'hello' });
  discord.faults.add({ on: { method: 'POST', route: /messages$|webhooks/ }, do: { type: 'status', status, code } });
  await exchange.message(hasEnded);
  const file = await discord.until(() => messagesWith(discord, thread, 'Voice reply')[0], 'a file');
  expect(voiceMessagesIn(fixture, thread)).toEqual([]);
  const sentAudio = Buffer.concat([...sessionLog.replies.values()].flatMap(({ audio }) => audio));
  expect(sentAudio.length).toBeGreaterThan(PCM_RATE);
  expect(await decodeVoiceMessage(await bytesOf(file))).toHaveLength(samplesFrom(sentAudio).length);
  expect(messagesWith(discord, thread, 'Voice reply')).toHaveLength(1);
});

it.each([
  ['is temporarily unavailable', { type: 'status', status: 503 }],
  ['closes the connection', { type: 'reset' }],
  ['accepts it and closes the connection', { type: 'reset', done: true }],
] as const)('If Discord %s, the voice message is still posted once', { tags: ['breadth'] }, async (_, fault) => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord } = fixture;
  const { thread, opening } = await startTalk(fixture);
  const speaker = discord.as('member');
  const exchange = await speaker.fill(await (await speaker.click(opening, 'Speak')).modal(), { words: 'hello' });
  discord.faults.add({ on: { method: 'POST', route: /channels\/\d+\/messages$/ }, do: fault, times: 2 });
  await exchange.message(hasEnded);
  await discord.until(() => voiceMessagesIn(fixture, thread)[0], 'a voice message');
  await expect.poll(() => storesAudio(fixture)).toBe(false);
  expect(voiceMessagesIn(fixture, thread)).toHaveLength(1);
  expect(messagesWith(discord, thread, 'Voice reply')).toEqual([]);
});

const storesAudio = (fixture: TalkFixture): boolean =>
  storedTasks(fixture).some(({ answer }) => answer?.voice?.sound !== undefined);

/** The correlation between the posted waveform and the volume of the audio. */
function waveformSimilarity(waveform: Buffer, audio: Int16Array): number {
  const heights = Array.from({ length: waveform.length }, (_, index) => {
    const part = audio.subarray(
      (index * audio.length) / waveform.length,
      ((index + 1) * audio.length) / waveform.length,
    );
    return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / Math.max(1, part.length));
  });
  return similarity(heights, waveform, 0);
}
