import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { texts } from '../src/commands/index.ts';
import { Answers } from '../src/discord/answers/answers.ts';
import { Funnel } from '../src/discord/funnel.ts';
import { openDiscordClients } from '../src/discord/outbox/clients.ts';
import { errorFacts } from '../src/discord/outbox/errors.ts';
import { identify } from '../src/discord/outbox/identity.ts';
import { Outbox } from '../src/discord/outbox/outbox.ts';
import { Responder } from '../src/discord/outbox/responder.ts';
import { openServerCheck, readGateway } from '../src/discord/reads.ts';
import { systemClock } from '../src/lib/clock.ts';
import { openLog } from '../src/lib/log.ts';
import { createSay } from '../src/locales/index.ts';
import { defaultSettings, type Gateway, openGateway } from '../src/services/gateway/index.ts';

const PRIVATE = 'geheimnisvoll';
const BYTES = Buffer.from(`bytes ${PRIVATE}`);
const IMAGE = `data:image/png;base64,${Buffer.from(`${PRIVATE}.`.repeat(3)).toString('base64')}`;
const MESSAGE = '900000000000000100';

/** The failures of a server: a status with all received text in all of its fields, a truncated response, or none. */
const TROUBLES = [
  '400',
  '403',
  '404',
  '413',
  '429',
  '500',
  '200 with an error',
  'broken JSON',
  'HTML',
  'a cut socket',
] as const;

function fail(
  trouble: (typeof TROUBLES)[number],
  request: IncomingMessage,
  sent: string,
  response: ServerResponse,
): void {
  if (trouble === 'a cut socket') return void request.socket.destroy();
  const echo = `${sent} ${decodeURIComponent(request.url ?? '')} ${PRIVATE}`;
  const status = Number(trouble.split(' ')[0]) || 400;
  const quoted = { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message: `"${echo}" is too long` }] };
  const whole = JSON.stringify({
    code: trouble === '400' ? 50035 : PRIVATE.repeat(9),
    message: echo,
    errors: { content: quoted, [echo]: quoted },
    error: { message: echo, code: echo, type: echo, param: echo },
    ...(trouble === '429' && { retry_after: 0.01, global: false }),
  });
  const body = trouble === 'broken JSON' ? whole.slice(0, -20) : trouble === 'HTML' ? `<p>${echo}` : whole;
  const type = trouble === 'HTML' ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...(status === 429 && { 'retry-after': '0' }) }).end(body);
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Starts a server on which every request fails, and records the requests. */
async function failingServer(trouble: (typeof TROUBLES)[number]) {
  const requested = new Set<string>();
  const tries = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const requestLine = `${request.method} ${request.url}`;
    requested.add(requestLine);
    // discord.js waits for each 429.
    const count = (tries.get(requestLine) ?? 0) + 1;
    tries.set(requestLine, count);
    fail(trouble === '429' && count > 1 ? '500' : trouble, request, Buffer.concat(chunks).toString('latin1'), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}`, requested };
}

function logs() {
  const lines: string[] = [];
  const writing = (readable: boolean) =>
    openLog({ level: 'trace', secrets: [], readable, write: (line) => void lines.push(line) });
  return { lines, json: writing(false), readable: writing(true) };
}

/** Logs an error in every way that the bot does. */
async function logOf(call: () => Promise<unknown>, { json, readable }: ReturnType<typeof logs>): Promise<boolean> {
  try {
    await call();
    return false;
  } catch (error) {
    for (const log of [json, readable]) {
      new Funnel(createSay(texts), log).sentenceFor(error, 'a test');
      log.error({ err: error }, 'failed');
      log.error({ err: new Error('around', { cause: error }) }, 'failed');
      log.info(errorFacts(error), 'failed');
    }
    return true;
  }
}

function expectNoPrivateWord(lines: readonly string[]): void {
  const text = lines.join('');
  expect(text).not.toContain(PRIVATE);
  expect(text).not.toContain(BYTES.toString('base64'));
  expect(text).not.toContain(IMAGE.slice(30, 60));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(30_000);
}

const plan = {
  content: `words ${PRIVATE}`,
  files: [{ name: `${PRIVATE}.json`, bytes: BYTES, alt: PRIVATE }],
  controls: [{ type: 'button', id: `a.1.${PRIVATE}`, label: PRIVATE }],
} as const;
const voice = { voice: { seconds: 1, waveform: 'AAAA' }, files: [{ name: `${PRIVATE}.ogg`, bytes: BYTES }] };

/** Every request from the bot to Discord that contains text from members, by the name of its route in discord.js. */
function discordCalls(clients: ReturnType<typeof openDiscordClients>, log: ReturnType<typeof logs>['json']) {
  const botRest = clients.client.rest;
  const outbox = new Outbox(clients, log);
  const responder = new Responder(outbox, { applicationId: MESSAGE, interactionId: MESSAGE, token: 'token' });
  const place = { channelId: MESSAGE, id: MESSAGE };
  const token = { by: 'token', applicationId: MESSAGE, token: 'token' } as const;
  const answers = new Answers({
    ...{ outbox, log },
    delivery: { show: () => undefined },
    clock: systemClock,
    plansOf: () => ({ first: plan, further: [] }),
    change: () => Promise.reject(new Error('no task')),
  });
  const sent = { body: { content: PRIVATE, components: [], allowed_mentions: { parse: [] as [] } }, files: [] };
  return {
    interactionCallback: [
      () => responder.acknowledge('public answer'),
      () => responder.replyPrivately(plan),
      () => responder.suggest([{ name: PRIVATE, value: PRIVATE }]),
    ],
    webhook: [
      () => responder.followUpPrivately(plan),
      () => responder.postFollowUp(plan, true),
      () => outbox.addFollowUp(token, sent, true),
    ],
    webhookMessage: [
      () => responder.edit(plan),
      () => responder.edit(plan, MESSAGE),
      () => responder.delete(),
      () => outbox.edit(token, sent),
      () => outbox.remove(token),
    ],
    channelMessages: [
      () => outbox.post(MESSAGE, PRIVATE, sent),
      () => outbox.threads.postFirst(MESSAGE, PRIVATE, voice),
      () => answers.replyTo(place, plan),
      () => outbox.sendInChannel(MESSAGE, plan),
      () => outbox.before(MESSAGE, MESSAGE),
    ],
    channelMessage: [
      () => outbox.edit({ by: 'edit', message: place }, sent),
      () => outbox.remove({ by: 'edit', message: place }),
      () => answers.change(place, plan),
    ],
    userChannels: [() => outbox.sendDirectMessage(MESSAGE, plan), () => outbox.openDirectChannel(MESSAGE)],
    threads: [() => outbox.threads.make({ channelId: MESSAGE, name: PRIVATE, kind: 'public', memberId: MESSAGE })],
    threadMembers: [() => botRest.put(`/channels/${MESSAGE}/thread-members/${MESSAGE}`)],
    channel: [() => botRest.patch(`/channels/${MESSAGE}`, { body: { name: PRIVATE } })],
    guild: [() => openServerCheck(clients.reads)(MESSAGE)],
    gatewayBot: [() => readGateway(clients.reads)],
    user: [() => identify(clients.client, 'token')],
    currentApplication: [() => botRest.get('/oauth2/applications/@me')],
    applicationCommands: [() => botRest.put(`/applications/${MESSAGE}/commands`, { body: [{ name: PRIVATE }] })],
    applicationGuildCommands: [() => botRest.put(`/applications/${MESSAGE}/guilds/${MESSAGE}/commands`, { body: [] })],
  };
}

describe('The log at every level', () => {
  it.each(TROUBLES.filter((one) => one !== '200 with an error'))(
    'No private text is logged if all requests to Discord end with %s',
    async (trouble) => {
      const { url, requested } = await failingServer(trouble);
      const clients = openDiscordClients(`${url}/api`);
      clients.client.rest.setToken('token');
      closers.push(() => clients.close());
      const log = logs();
      const calls = discordCalls(clients, log.json);
      for (const call of Object.values(calls).flat()) await logOf(call, log);
      expect(requested.size).toBeGreaterThan(12);
      expect(log.lines.length).toBeGreaterThan(20);
      expectNoPrivateWord(log.lines);
    },
  );

  it('The search for private text covers every Discord route that the bot uses', () => {
    const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
    const known = new Set(
      sources.flatMap((source) => [...source.matchAll(/\bRoutes\.(\w+)/g)].map(([, name]) => name)),
    );
    const clients = openDiscordClients('http://127.0.0.1:9/api');
    closers.push(() => clients.close());
    expect(Object.keys(discordCalls(clients, logs().json)).sort()).toEqual([...known].sort());
  });

  it.each(TROUBLES)('No private text is logged if all requests to the gateway end with %s', async (trouble) => {
    const { url, requested } = await failingServer(trouble);
    const log = logs();
    const gateway = gatewayAt(url, log.json);
    let failed = 0;
    for (const call of Object.values(gatewayCalls(gateway)).flatMap((family) => Object.values(family))) {
      if (await logOf(call, log)) failed += 1;
    }
    expect(requested.size).toBeGreaterThan(20);
    expect(failed).toBeGreaterThan(20);
    expectNoPrivateWord(log.lines);
  });

  it('The search for private text covers every call to the gateway', () => {
    const gateway = gatewayAt('http://127.0.0.1:9', logs().json);
    const { close: _, answeredAt: __, ...families } = gateway;
    const methods = (family: object): string[] =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(family)).filter(
        (name) => !['constructor', 'close', 'checked', 'bodyOf'].includes(name),
      );
    const known = Object.entries(families).map(([name, family]) => [name, methods(family).sort()]);
    const called = Object.entries(gatewayCalls(gateway)).map(([name, family]) => [name, Object.keys(family).sort()]);
    expect(Object.fromEntries(called)).toEqual(Object.fromEntries(known));
  });
});

function gatewayAt(baseUrl: string, log: ReturnType<typeof logs>['json']): Gateway {
  const settings = { ...defaultSettings, baseUrl, apiKey: 'sk-test' };
  const gateway = openGateway(settings, { log }, { attempts: 1, readMs: 2_000, submitMs: 2_000, bodyMs: 2_000 });
  closers.push(() => gateway.close());
  return gateway;
}

/** Every gateway call, with private text in every text parameter. */
function gatewayCalls(gateway: Gateway) {
  const {
    models,
    usage,
    prices,
    fineTunes,
    imageJobs,
    imgx,
    videos,
    v1Videos,
    imageToVideo,
    music,
    responses,
    transcriptions,
    realtime,
  } = gateway;
  const video = { model: 'm', prompt: PRIVATE };
  return {
    models: { list: () => models.list(), listCompat: () => models.listCompat(), get: () => models.get(PRIVATE) },
    usage: { get: () => usage.get({ start: '2026-01-01', end: '2026-01-02' }), limit: () => usage.limit() },
    prices: { get: () => prices.get('/api/pricing') },
    fineTunes: { events: () => fineTunes.events(PRIVATE) },
    imageJobs: {
      create: () => imageJobs.create({ model: 'm', prompt: PRIVATE }, { idempotencyKey: PRIVATE }),
      send: () => imageJobs.send(JSON.stringify({ model: 'm', prompt: PRIVATE }), { idempotencyKey: PRIVATE }),
      get: () => imageJobs.get(PRIVATE),
    },
    imgx: {
      imagine: () => imgx.imagine({ prompt: PRIVATE, images: [IMAGE] }),
      describe: () => imgx.describe({ images: [IMAGE] }),
      shorten: () => imgx.shorten({ prompt: PRIVATE }),
      blend: () => imgx.blend({ images: [IMAGE, IMAGE] }),
      upload: () => imgx.upload({ images: [IMAGE] }),
      action: () => imgx.action({ taskId: PRIVATE, customId: PRIVATE }),
      change: () => imgx.change({ taskId: PRIVATE, action: 'UPSCALE', index: 1 }),
      simpleChange: () => imgx.simpleChange({ taskId: PRIVATE, action: 'UPSCALE', index: 1 }),
      modal: () => imgx.modal({ taskId: PRIVATE, prompt: PRIVATE, mask: IMAGE }),
      edits: () => imgx.edits({ prompt: PRIVATE, image: IMAGE }),
      video: () => imgx.video({ prompt: PRIVATE, image: IMAGE }),
      get: () => imgx.get(PRIVATE),
      getMany: () => imgx.getMany([PRIVATE]),
    },
    videos: { create: () => videos.create(video), get: () => videos.get(PRIVATE) },
    v1Videos: { create: () => v1Videos.create(video), get: () => v1Videos.get(PRIVATE) },
    imageToVideo: {
      create: () => imageToVideo.create({ model: 'm', prompt: PRIVATE, image: IMAGE }),
      get: () => imageToVideo.get(PRIVATE),
    },
    music: {
      makeSong: () => music.makeSong({ about: PRIVATE }),
      makeLyrics: () => music.makeLyrics({ about: PRIVATE }),
      get: () => music.get(PRIVATE),
      getMany: () => music.getMany([PRIVATE]),
    },
    responses: {
      create: () => responses.create({ model: 'm', input: PRIVATE }),
      stream: async () => {
        for await (const event of responses.stream({ model: 'm', input: PRIVATE })) {
          if ('response' in event && event.response.error) throw event.response.error;
        }
      },
    },
    transcriptions: { create: () => transcriptions.create({ model: PRIVATE, wav: Buffer.from(PRIVATE) }) },
    realtime: { open: () => realtime.open({ model: 'm', instructions: PRIVATE }) },
  };
}
