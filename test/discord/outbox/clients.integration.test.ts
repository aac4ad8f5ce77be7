import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketShardEvents as Events } from '@discordjs/ws';
import { GatewayIntentBits } from 'discord-api-types/v10';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDiscordClients, intentsOf, logDiscordEvents } from '../../../src/discord/outbox/clients.ts';
import { NotDiscord, reachDiscord } from '../../../src/discord/reach.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { entriesOf } from '../../../src/lib/entries.ts';
import { createLogger } from '../../../src/lib/log.ts';

/** The clients of a server that responds like this in Discord's place. */
async function clientsOf(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = createDiscordClients(`http://127.0.0.1:${port}/api`);
  onTestFinished(async () => {
    await clients.close();
    server.closeAllConnections();
    server.close();
  });
  return clients;
}

it('The Discord clients leave no timer that would keep the process of a stopped bot alive', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { close } = createDiscordClients('http://127.0.0.1:9/api');
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  await close();
  expect(vi.getTimerCount()).toBe(0);
});

it('Reconnecting to Discord is logged once a minute, with the reason of the last failure', async () => {
  const clients = createDiscordClients('http://127.0.0.1:9/api');
  onTestFinished(clients.close);
  const lines: string[] = [];
  const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: (line) => void lines.push(line) });
  let now = 0;
  logDiscordEvents(clients, log, { ...systemClock, now: () => now });
  const refuse = (reason: string): void => {
    clients.connection.socket.emit(Events.Error, { error: new Error(reason), shardId: 0 });
    clients.connection.socket.emit(Events.Closed, { code: 1006, shardId: 0 });
  };
  for (const reason of ['refused', 'refused', 'refused']) refuse(reason);
  now = 60_000;
  refuse('timed out');
  expect(lines).toEqual([expect.stringContaining('refused'), expect.stringContaining('timed out')]);
});

it('A resumed session and a new one end what is logged about reconnecting to Discord, and the first session logs nothing', () => {
  const clients = createDiscordClients('http://127.0.0.1:9/api');
  onTestFinished(clients.close);
  const lines: string[] = [];
  const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: (line) => void lines.push(line) });
  logDiscordEvents(clients, log, systemClock);
  const { socket } = clients.connection;
  const becomeReady = () =>
    socket.emit(Events.Ready, { data: { user: { id: '1' }, application: { id: '1' } } as never, shardId: 0 });
  becomeReady();
  expect(lines).toEqual([]);
  for (const reconnect of [becomeReady, () => socket.emit(Events.Resumed, { shardId: 0 })]) {
    socket.emit(Events.Closed, { code: 1006, shardId: 0 });
    reconnect();
    becomeReady();
  }
  expect(lines.filter((line) => line.includes('Reconnected to Discord.'))).toHaveLength(2);
});

it.each([
  [-3_600_000, 'ahead of'],
  [3_600_000, 'behind'],
  [0, undefined],
])(
  'A machine whose clock differs from that of Discord is reported once: Discord is %d ms ahead',
  async (ahead, word) => {
    const clients = await clientsOf((_request, response) => {
      const headers = { 'content-type': 'application/json', date: new Date(Date.now() + ahead).toUTCString() };
      response.writeHead(200, headers).end('{"url":"ws://127.0.0.1"}');
    });
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', secrets: [], isPretty: false, write: (line) => void lines.push(line) });
    logDiscordEvents(clients, log, systemClock);
    for (const path of ['/gateway', '/gateway'] as const)
      expect(await clients.reads.get(path, { auth: false })).toEqual({ url: 'ws://127.0.0.1' });
    const warning = expect.stringContaining(`The clock of this machine is ${word} Discord’s`);
    expect(lines).toEqual(word === undefined ? [] : [warning]);
  },
);

it('A page in place of Discord’s API is named as what it is, however often it is tried, and is no outage', async () => {
  const clients = await clientsOf((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>Welcome</title>');
  });
  logDiscordEvents(
    clients,
    createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined }),
    systemClock,
  );
  for (const path of ['/gateway', '/gateway/bot'] as const)
    await expect(reachDiscord(clients.reads.get(path, { auth: false }))).rejects.toThrow(NotDiscord);
});

it('A request that Discord always refuses because of its rate limits is given up', async () => {
  let requestCount = 0;
  const { reads } = await clientsOf((_request, response) => {
    requestCount += 1;
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '0' }).end('{"retry_after":0}');
  });
  await expect(reads.get('/channels/1', { auth: false })).rejects.toThrow('rate limits');
  expect(requestCount).toBe(10);
});

it.each([
  [{ mentions: true, messageContent: false }, 'GuildMessages DirectMessages'],
  [{ mentions: false, messageContent: false }, ''],
  [{ mentions: false, messageContent: true }, 'GuildMessages MessageContent'],
  [{ mentions: true, messageContent: true }, 'GuildMessages DirectMessages MessageContent'],
])('With %j, the intents are: %s', (settings, names) => {
  const bits = entriesOf({
    GuildMessages: GatewayIntentBits.GuildMessages,
    DirectMessages: GatewayIntentBits.DirectMessages,
    MessageContent: GatewayIntentBits.MessageContent,
  });
  const intents = intentsOf(settings);
  expect(bits.flatMap(([name, bit]) => ((intents & bit) === 0 ? [] : [name])).join(' ')).toBe(names);
  expect(intents & ~bits.reduce((sum, [, bit]) => sum | bit, 0)).toBe(0);
});
