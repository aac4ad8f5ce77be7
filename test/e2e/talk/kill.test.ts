import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type Entry, standingOf } from '../../../src/services/ledger/entry.ts';

import { fileOf } from '../../../src/services/store/backend.ts';
import { sql } from '../../services/store/stage.ts';
import { shipped } from '../../support/shipped.ts';

import { key, type Stage, stage } from '../bot.ts';
import { labels } from '../quick.ts';
import { hasEnded, isOpening, isVoice, model, threadOf } from './proof.ts';
import { chargedReplies, recordSessions, storedEntries } from './wire.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) await kill(child);
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, 'exit');
  child.kill('SIGKILL');
  await over;
}

/** Starts the shipped bot as a separate process and waits until it is ready. */
async function run({ discord, gateway, config }: Stage): Promise<ChildProcess> {
  const child = spawn(process.execPath, shipped('src/index.ts'), {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
      ...{ GATEWAY_BASE_URL: gateway.url, GATEWAY_API_KEY: key, STORE_URL: config.store.url },
      DEFAULT_TALK_MODEL: model,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await expect.poll(() => output, { timeout: 20_000 }).toContain('Atelier is ready.');
  return child;
}

const doctor = ({ config }: Stage, ...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const entry = [...shipped('scripts/doctor.ts'), ...args];
    const env = { PATH: process.env.PATH ?? '', STORE_URL: config.store.url };
    execFile(process.execPath, entry, { cwd: root, env }, (_error, out, problems) => resolve(out + problems));
  });

async function say({ discord }: Stage, on: Message, words: string) {
  const speaker = discord.as('member');
  return speaker.fill(await (await speaker.click(on, 'Speak')).modal(), { words });
}

const HANGS = { type: 'hang' } as const;
const TO_A_CHANNEL = { method: 'POST', route: /channels\/\d+\/messages$/ };

it('A bot that is killed at any moment of a live conversation continues it, and nothing is sent, posted or charged twice', {
  timeout: 90_000,
}, async () => {
  const fixture = await stage({ gateway: { seed: 1, speed: 10 } });
  const { discord, gateway } = fixture;
  const wire = recordSessions(gateway);
  const voices = (thread: string) => discord.messages(thread).filter(isVoice);
  let bot = await run(fixture);
  const thread = await threadOf(
    await discord.as('member').slash('talk start', { voice: 'sage', instructions: 'Be a pirate.' }),
  );
  const opening = await discord.until(() => discord.messages(thread).find(isOpening), 'the first message');
  await (await say(fixture, opening, 'my name is Wren')).message(hasEnded);
  await discord.until(() => voices(thread)[0], 'a voice message');

  // During the stream of a reply.
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-slow' });
  const streaming = await say(fixture, opening, 'tell me of snow');
  await streaming.message((message) => /sandbox/.test(text(message)));
  await kill(bot);
  bot = await run(fixture);
  const broken = await streaming.message(hasEnded);
  expect(text(broken)).toContain('The bot restarted mid-reply.');
  expect(wire.requestCount()).toBe(2);

  // Between the request for a reply and its beginning.
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-hang-asked' });
  const unconfirmed = await say(fixture, opening, 'tell me of ice');
  await expect.poll(wire.requestCount, { timeout: 10_000 }).toBe(3);
  await kill(bot);
  bot = await run(fixture);
  const asking = await unconfirmed.message((message) => labels(message).includes('Dismiss'));
  expect(text(asking)).toContain('couldn’t confirm whether the gateway accepted this');
  await discord.as('member').click(asking, 'Dismiss');
  await unconfirmed.message((message) => text(message).includes('Dismissed.'));

  // Between the end of a reply and its voice message, which Discord has not received.
  discord.faults.add({ on: TO_A_CHANNEL, do: HANGS });
  const unsent = await (await say(fixture, opening, 'who am I?')).message(hasEnded);
  expect(text(unsent)).toContain('The first of 3 things was: “my name is Wren”');
  expect(text(unsent)).toContain('I was told: “Be a pirate.”');
  await expect.poll(() => discord.requests.some(isHanging), { timeout: 10_000 }).toBe(true);
  await kill(bot);
  discord.faults.clear();
  bot = await run(fixture);
  await discord.until(() => voices(thread).length === 2 || undefined, 'the voice message after all');

  // The same, but the voice message is already posted.
  discord.faults.add({ on: TO_A_CHANNEL, do: { ...HANGS, done: true } });
  await (await say(fixture, opening, 'and who are you?')).message(hasEnded);
  await discord.until(() => voices(thread).length === 3 || undefined, 'an unconfirmed voice message');
  await kill(bot);
  discord.faults.clear();
  bot = await run(fixture);

  const last = await (await say(fixture, opening, 'what did I say?')).message(hasEnded);
  expect(text(last)).toContain('The first of 5 things was: “my name is Wren”');
  await discord.until(() => voices(thread).length === 4 || undefined, 'the last voice message');
  expect(new Set(voices(thread).map(({ message_reference }) => message_reference?.message_id)).size).toBe(4);
  expect(gateway.realtime.sessions.map(({ settings }) => settings.voice)).toEqual(['sage']);
  expect(wire.requestCount()).toBe(6);
  bot.kill('SIGTERM');
  await once(bot, 'exit');
  const entries = storedEntries(fixture);
  const standings = entries.map(standingOf).sort();
  expect(standings).toEqual(Array(6).fill('settled'));
  expect(chargedReplies(gateway)).toBe(6);

  // The doctor finds nothing to repair and derives the same ledger from the tasks.
  expect(await doctor(fixture, '--dry-run')).toContain('no problems found');
  sql(fileOf(fixture.config.store), "DELETE FROM atelier WHERE namespace = 'ledger'");
  await doctor(fixture);
  // A task no longer shows that its outcome was unknown before its owner decided.
  const firstAndLast = ({ facts, ...entry }: Entry) => ({ ...entry, facts: [facts[0], facts.at(-1)] });
  expect(storedEntries(fixture).map(firstAndLast)).toEqual(entries.map(firstAndLast));
});

const isHanging = ({ method, path, status }: { method: string; path: string; status: number }): boolean =>
  method === 'POST' && TO_A_CHANNEL.route.test(path) && status === 0;
