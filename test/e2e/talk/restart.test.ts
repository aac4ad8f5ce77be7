import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { kindSpecs } from '../../../src/commands/index.ts';
import { standingOf } from '../../../src/services/money/entry.ts';
import { examine } from '../../../src/services/store/examination/examination.ts';
import { GATEWAY_API_KEY, startBot } from '../bot.ts';
import { describeDialects } from '../profiles.ts';
import { labels } from '../quick.ts';
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

const fastGateway = { seed: 1, speed: 10 };

const submitUtterance = async ({ discord }: TalkFixture, target: Message, words: string) => {
  const speaker = discord.as('member');
  return speaker.fill(await (await speaker.click(target, 'Speak')).modal(), { words });
};

const answerTo = ({ discord }: TalkFixture, thread: string, { id }: Message): Promise<Message> =>
  discord.until(
    () => discord.messages(thread).find((one) => one.message_reference?.message_id === id && hasEnded(one)),
    'an answer',
  );

describeDialects('A restart during a live conversation', (realtimeDialect) => {
  it('If the bot restarts before a reply has begun, the speaker can retry or dismiss the utterance, and the live conversation keeps its settings', async () => {
    const fixture = await startTalkBot({ gateway: { ...fastGateway, quirks: { realtimeDialect } } });
    const { discord, gateway, config, log, clock } = fixture;
    const sessionLog = recordSessions(gateway);
    const { thread, opening } = await startTalk(fixture, { voice: 'verse', instructions: 'Be a pirate.' });
    await sendUtterance(fixture, opening, 'my name is Wren');
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-hang-asked' });
    const exchange = await submitUtterance(fixture, opening, 'who am I?');
    await expect.poll(sessionLog.requestCount).toBe(2);
    const stopping = fixture.app.stop();
    // The bot waits for running requests, but only for a limited time.
    clock.advance(60_000);
    await stopping;
    expect(storedEntries(fixture).map(standingOf).sort()).toEqual(['settled', 'unconfirmed']);

    const second = await startBot(fixture);
    const unconfirmedMessage = await exchange.message((message) => labels(message).includes('Dismiss'));
    // There has been no utterance since the restart, so no new session has been opened.
    expect(gateway.realtime.openedCount).toBe(1);
    await discord.as('member').click(unconfirmedMessage, 'Try again (may be charged twice)');
    const answer = await exchange.message(hasEnded);
    expect(text(answer)).toContain('The first of 2 things was: “my name is Wren”');
    expect(text(answer)).toContain('I was told: “Be a pirate.”');
    expect(gateway.realtime.sessions.at(-1)?.settings.voice).toBe('verse');
    await discord.until(() => discord.messages(thread).filter(isVoiceMessage).length === 2 || undefined, 'both voices');
    await second.stop();
    expect(storedEntries(fixture).map(standingOf).sort()).toEqual(['settled', 'settled', 'settled']);
    expect([sessionLog.requestCount(), chargedReplyCount(gateway)]).toEqual([3, 3]);
    const { findings } = await examine(config.store, { specs: kindSpecs, clock, log, repair: false });
    expect(findings).toEqual([]);
    expect(fixture.logged()).not.toMatch(new RegExp(`Wren|pirate|who am I|${GATEWAY_API_KEY}`));
  });
});

it('A message is processed once, even if the connection to Discord is lost and resumed', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startListeningBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const { thread } = await startTalk(fixture);
  const speaker = discord.as('member').in(thread);
  await answerTo(fixture, thread, await speaker.say('one'));
  const { resumes } = discord.gateway;
  discord.gateway.dropConnections();
  const missedMessage = await speaker.say('two');
  const answer = await answerTo(fixture, thread, missedMessage);
  expect(text(answer)).toContain('The first of 2 things was: “one”');
  expect(discord.gateway.resumes).toBeGreaterThan(resumes);
  expect(sessionLog.requestCount()).toBe(2);
  expect(storedTasks(fixture).filter(({ kind }) => kind === 'said')).toHaveLength(2);
});

it('Audio that the gateway could not transcribe is still answered and recorded as audio', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startTalkBot({ gateway: fastGateway });
  const { discord, gateway } = fixture;
  const { opening } = await startTalk(fixture);
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-transcription-failed' });
  const bytes = await readFile(new URL('../../services/media/sound/files/mono.ogg', import.meta.url));
  const speaker = discord.as('member');
  const modal = await (await speaker.click(opening, 'Speak')).modal();
  const answer = await (await speaker.fill(modal, { sound: [{ name: 'mono.ogg', bytes }] })).message(hasEnded);
  expect(text(answer)).toContain('🎙️ Voice message');
  expect(text(answer)).not.toContain('Heard:');
  await fixture.app.stop();
  await startBot(fixture);
  const next = await sendUtterance(fixture, opening, 'what did I say?');
  expect(text(next)).toContain('The first of 2 things was: “[A spoken message that was not written down.]”');
});
