import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type LedgerEntry, standingOf } from '../../../src/services/money/entry.ts';

import { fileOf } from '../../../src/services/store/backend.ts';
import { sql } from '../../services/store/store-fixture.ts';
import { examineStore } from '../../support/examine-store.ts';
import { shippedArgs } from '../../support/shipped.ts';

import { createFixture, type Fixture, GATEWAY_API_KEY } from '../bot.ts';
import { labels } from '../quick.ts';
import { hasEnded, isOpening, isVoiceMessage, TALK_MODEL, threadOf } from './fixture.ts';
import { chargedReplyCount, recordSessions, storedEntries } from './wire.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const processes: ChildProcess[] = [];

afterEach(async () => {
  for (const child of processes.splice(0)) await kill(child);
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Starts the shipped bot as a separate process and waits until it is ready. */
async function startBotProcess({ discord, gateway, config }: Fixture): Promise<ChildProcess> {
  const child = spawn(process.execPath, shippedArgs('src/index.ts'), {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY,
      STORE_URL: config.store.url,
      DEFAULT_TALK_MODEL: TALK_MODEL,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await expect.poll(() => output).toContain('Atelier is ready.');
  return child;
}

async function submitUtterance({ discord }: Fixture, target: Message, words: string) {
  const speaker = discord.as('member');
  return speaker.fill(await (await speaker.click(target, 'Speak')).modal(), { words });
}

const HANG_FAULT = { type: 'hang' } as const;
const CHANNEL_MESSAGE_ROUTE = { method: 'POST', route: /channels\/\d+\/messages$/ };

it('A bot that is killed at any moment of a live conversation continues it, and nothing is sent, posted or charged twice', {
  tags: ['breadth'],
}, async () => {
  const fixture = await createFixture({ gateway: { seed: 1, speed: 10 } });
  const { discord, gateway } = fixture;
  const sessionLog = recordSessions(gateway);
  const voiceMessages = (thread: string) => discord.messages(thread).filter(isVoiceMessage);
  let bot = await startBotProcess(fixture);
  const thread = await threadOf(
    await discord.as('member').slash('talk start', { voice: 'sage', instructions: 'Be a pirate.' }),
  );
  const opening = await discord.until(() => discord.messages(thread).find(isOpening), 'the first message');
  await (await submitUtterance(fixture, opening, 'my name is Wren')).message(hasEnded);
  await discord.until(() => voiceMessages(thread)[0], 'a voice message');

  // Kills the bot during the stream of a reply.
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
  const streaming = await submitUtterance(fixture, opening, 'tell me of snow');
  await streaming.message((message) => /sandbox/.test(text(message)));
  await kill(bot);
  bot = await startBotProcess(fixture);
  const interrupted = await streaming.message(hasEnded);
  expect(text(interrupted)).toContain('The bot was stopped before the reply was complete.');
  expect(sessionLog.requestCount()).toBe(2);

  // Kills the bot between the request for a reply and the beginning of the reply.
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-hang-asked' });
  const unconfirmed = await submitUtterance(fixture, opening, 'tell me of ice');
  await expect.poll(sessionLog.requestCount).toBe(3);
  await kill(bot);
  bot = await startBotProcess(fixture);
  const unconfirmedMessage = await unconfirmed.message((message) => labels(message).includes('Dismiss'));
  expect(text(unconfirmedMessage)).toContain('couldn’t confirm whether the gateway accepted this');
  await discord.as('member').click(unconfirmedMessage, 'Dismiss');
  await unconfirmed.message((message) => text(message).includes('Dismissed.'));

  // Kills the bot between the end of a reply and its voice message, which Discord has not received.
  discord.faults.add({ on: CHANNEL_MESSAGE_ROUTE, do: HANG_FAULT });
  const withoutVoice = await (await submitUtterance(fixture, opening, 'who am I?')).message(hasEnded);
  expect(text(withoutVoice)).toContain('The first of 3 things was: “my name is Wren”');
  expect(text(withoutVoice)).toContain('I was told: “Be a pirate.”');
  await expect.poll(() => discord.requests.some(isHanging)).toBe(true);
  await kill(bot);
  discord.faults.clear();
  bot = await startBotProcess(fixture);
  await discord.until(() => voiceMessages(thread).length === 2 || undefined, 'the voice message after all');

  // Kills the bot after Discord has posted a voice message, but before the bot gets the response.
  discord.faults.add({ on: CHANNEL_MESSAGE_ROUTE, do: { ...HANG_FAULT, done: true } });
  await (await submitUtterance(fixture, opening, 'and who are you?')).message(hasEnded);
  await discord.until(() => voiceMessages(thread).length === 3 || undefined, 'an unconfirmed voice message');
  await kill(bot);
  discord.faults.clear();
  bot = await startBotProcess(fixture);

  const last = await (await submitUtterance(fixture, opening, 'what did I say?')).message(hasEnded);
  expect(text(last)).toContain('The first of 5 things was: “my name is Wren”');
  await discord.until(() => voiceMessages(thread).length === 4 || undefined, 'the last voice message');
  expect(new Set(voiceMessages(thread).map(({ message_reference }) => message_reference?.message_id)).size).toBe(4);
  expect(gateway.realtime.sessions.map(({ settings }) => settings.voice)).toEqual(['sage']);
  expect(sessionLog.requestCount()).toBe(6);
  bot.kill('SIGTERM');
  await once(bot, 'exit');
  const entries = storedEntries(fixture);
  const standings = entries.map(standingOf).sort();
  expect(standings).toEqual(Array(6).fill('settled'));
  expect(chargedReplyCount(gateway)).toBe(6);

  // The doctor finds nothing to repair and derives the same ledger from the tasks.
  const { store } = fixture.config;
  expect(await examineStore(store.url, { repair: false })).toMatchObject({ contents: {}, findings: [] });
  sql(fileOf(store), "DELETE FROM atelier WHERE namespace = 'ledger'");
  await examineStore(store.url, { repair: true });
  // Only the first and last facts are compared, because a task does not record that its outcome was unknown for a while.
  const firstAndLast = ({ facts, ...entry }: LedgerEntry) => ({ ...entry, facts: [facts[0], facts.at(-1)] });
  expect(storedEntries(fixture).map(firstAndLast)).toEqual(entries.map(firstAndLast));
});

const isHanging = ({ method, path, status }: { method: string; path: string; status: number }): boolean =>
  method === 'POST' && CHANNEL_MESSAGE_ROUTE.route.test(path) && status === 0;
