import { Routes } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedDiscord, startDiscord, text } from '../../sandbox/discord/discord.ts';
import { Funnel } from '../../src/discord/funnel.ts';
import { definersFor, type EarlyContext } from '../../src/discord/handlers.ts';
import { createDiscordClients } from '../../src/discord/outbox/clients.ts';
import { Outbox } from '../../src/discord/outbox/outbox.ts';
import { RateLimiter } from '../../src/discord/rates.ts';
import { Router } from '../../src/discord/router.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { Refusal } from '../../src/lib/refusal.ts';

const { command } = definersFor<EarlyContext['services']>();

/** A command with one option of each type; its handler echoes the values. */
const echoCommand = command({
  name: 'tell',
  isPrivate: false,
  options: {
    words: { type: 'text', required: true },
    sure: { type: 'switch' },
    count: { type: 'number', isInteger: true },
    share: { type: 'number' },
    file: { type: 'attachment' },
  },
  parse: (values) => (values.count === 13 ? new Refusal('refusals.unknownTask') : values),
  run: async (values) => ({ content: JSON.stringify(values) }),
});

async function startEchoBot(): Promise<EmbeddedDiscord> {
  const discord = await startDiscord();
  onTestFinished(async () => {
    await discord.close();
    expect(discord.violations).toEqual([]);
  });
  const clients = createDiscordClients(discord.apiUrl);
  const { connection, rest } = clients;
  onTestFinished(() => clients.close());
  const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: () => undefined });
  const funnel = new Funnel(log);
  const parts = {
    services: { settings: { discord: { adminGuildIds: [] } } },
    funnel,
    outbox: new Outbox(clients, log),
    clock: systemClock,
  };
  const router = new Router({
    handlers: { commands: [echoCommand] },
    guards: [],
    rateLimiter: new RateLimiter({}, systemClock, log),
    ...parts,
  });
  connection.onInteraction((interaction) => void router.route(interaction));
  await connection.open(discord.token);
  const options = [
    { type: 3, name: 'words', description: 'x', required: true },
    { type: 5, name: 'sure', description: 'x' },
    { type: 4, name: 'count', description: 'x' },
    { type: 10, name: 'share', description: 'x' },
    { type: 11, name: 'file', description: 'x' },
  ];
  const body = [{ name: 'tell', description: 'x', options }];
  await rest.put(Routes.applicationCommands(discord.applicationId), { body });
  return discord;
}

describe('The options of a command', () => {
  it('Options keep their type, including zero and false', async () => {
    const discord = await startEchoBot();
    const enteredValues = { words: 'hello', sure: false, count: 0, share: 0.5 };
    const exchange = await discord.as('member').slash('tell', enteredValues);
    expect(JSON.parse(text(await exchange.message()))).toEqual(enteredValues);
  });

  it('Options without a value are omitted', async () => {
    const discord = await startEchoBot();
    const exchange = await discord.as('member').slash('tell', { words: 'hello' });
    expect(JSON.parse(text(await exchange.message()))).toEqual({ words: 'hello' });
  });

  it('A file option contains the URL and the properties that Discord states, and the file is not fetched', async () => {
    const discord = await startEchoBot();
    const file = { name: 'fox.png', bytes: Buffer.from('not looked into'), contentType: 'image/png' };
    const exchange = await discord.as('member').slash('tell', { words: 'look', file });
    const { file: received } = JSON.parse(text(await exchange.message()));
    expect(received).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: 'fox.png',
      address: expect.stringMatching(/^http.*\/fox\.png\?ex=/),
      size: 15,
      mediaType: 'image/png',
    });
    expect(discord.requests.filter(({ path }) => path.includes('fox.png'))).toEqual([]);
  });

  it('The options are parsed before the acknowledgement', async () => {
    const discord = await startEchoBot();
    const exchange = await discord.as('member').slash('tell', { words: 'hello', count: 13 });
    expect(await exchange.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
    expect(text(await exchange.message())).toContain('is no longer stored');
  });
});
