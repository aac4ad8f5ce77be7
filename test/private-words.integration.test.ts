import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Answers } from '../src/discord/answers/answers.ts';
import { Funnel } from '../src/discord/funnel.ts';
import { createDiscordClients } from '../src/discord/outbox/clients.ts';
import { errorFacts } from '../src/discord/outbox/errors.ts';
import { loadIdentity } from '../src/discord/outbox/identity.ts';
import { Outbox } from '../src/discord/outbox/outbox.ts';
import { Responder } from '../src/discord/outbox/responder.ts';
import { DiscordReader, readCommandAccess, readGateway } from '../src/discord/reads.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/log.ts';
import { createGateway, type Gateway } from '../src/services/gateway/gateway.ts';
import { defaultSettings } from '../src/services/gateway/settings.ts';
import { itVariants } from './support/variants.ts';

const PRIVATE_WORD = 'geheimnisvoll';
const PRIVATE_BYTES = Buffer.from(`bytes ${PRIVATE_WORD}`);
const PRIVATE_IMAGE = `data:image/png;base64,${Buffer.from(`${PRIVATE_WORD}.`.repeat(3)).toString('base64')}`;
const ID = '900000000000000100';

/** How a server can fail: with a response that echoes the request in all its fields, a truncated response, or none at all. */
const FAILURES = [
  '400',
  '403',
  '404',
  '413',
  '429',
  '500',
  '200 with an error',
  'broken JSON',
  'HTML',
  'a closed connection',
] as const;

function fail(
  failure: (typeof FAILURES)[number],
  request: IncomingMessage,
  requestBody: string,
  response: ServerResponse,
): void {
  if (failure === 'a closed connection') return void request.socket.destroy();
  const echo = `${requestBody} ${decodeURIComponent(request.url ?? '')} ${PRIVATE_WORD}`;
  const status = Number(failure.split(' ')[0]) || 400;
  const quoted = { _errors: [{ code: 'BASE_TYPE_BAD_LENGTH', message: `"${echo}" is too long` }] };
  const json = JSON.stringify({
    code: failure === '400' ? 50035 : PRIVATE_WORD.repeat(9),
    message: echo,
    errors: { content: quoted, [echo]: quoted },
    error: { message: echo, code: echo, type: echo, param: echo },
    ...(failure === '429' && { retry_after: 0.01, global: false }),
  });
  const body = failure === 'broken JSON' ? json.slice(0, -20) : failure === 'HTML' ? `<p>${echo}` : json;
  const type = failure === 'HTML' ? 'text/html' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...(status === 429 && { 'retry-after': '0' }) }).end(body);
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close();
});

/** Starts a server on which every request fails, and records the requests. */
async function failingServer(failure: (typeof FAILURES)[number]) {
  const requestLines = new Set<string>();
  const attempts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const requestLine = `${request.method} ${request.url}`;
    requestLines.add(requestLine);
    // discord.js waits and retries after a 429, so only the first attempt gets one.
    const count = (attempts.get(requestLine) ?? 0) + 1;
    attempts.set(requestLine, count);
    fail(failure === '429' && count > 1 ? '500' : failure, request, Buffer.concat(chunks).toString('latin1'), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}`, requestLines };
}

function createLogs() {
  const lines: string[] = [];
  const createLog = (readable: boolean) =>
    createLogger({ level: 'trace', secrets: [], isPretty: readable, write: (line) => void lines.push(line) });
  return { lines, json: createLog(false), readable: createLog(true) };
}

/** Logs the error of a call in every way that the bot does, and returns whether there was one. */
async function logFailure(
  call: () => Promise<unknown>,
  { json, readable }: ReturnType<typeof createLogs>,
): Promise<boolean> {
  try {
    await call();
    return false;
  } catch (error) {
    for (const log of [json, readable]) {
      new Funnel(log).messageFor(error, 'a test');
      log.error({ err: error }, 'failed');
      log.error({ err: new Error('around', { cause: error }) }, 'failed');
      log.info(errorFacts(error), 'failed');
    }
    return true;
  }
}

function expectNoPrivateWord(lines: readonly string[]): void {
  const text = lines.join('');
  expect(text).not.toContain(PRIVATE_WORD);
  expect(text).not.toContain(PRIVATE_BYTES.toString('base64'));
  expect(text).not.toContain(PRIVATE_IMAGE.slice(30, 60));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(30_000);
}

const plan = {
  content: `words ${PRIVATE_WORD}`,
  files: [{ name: `${PRIVATE_WORD}.json`, bytes: PRIVATE_BYTES, alt: PRIVATE_WORD }],
  controls: [{ type: 'button', id: `a.1.${PRIVATE_WORD}`, label: PRIVATE_WORD }],
} as const;
const voice = {
  voice: { seconds: 1, waveform: 'AAAA' },
  files: [{ name: `${PRIVATE_WORD}.ogg`, bytes: PRIVATE_BYTES }],
};

/** Every request from the bot to Discord that contains text from members, by the name of its route in discord.js. */
function discordCalls(clients: ReturnType<typeof createDiscordClients>, log: ReturnType<typeof createLogs>['json']) {
  const botRest = clients.rest;
  const outbox = new Outbox(clients, log);
  const reader = new DiscordReader(clients.reads, log);
  const responder = new Responder(outbox, { application_id: ID, id: ID, token: 'token' });
  const messageReference = { channelId: ID, id: ID };
  const token = { by: 'token', applicationId: ID, token: 'token' } as const;
  const answers = new Answers({
    outbox,
    log,
    delivery: { show: () => undefined },
    clock: systemClock,
    plansOf: () => ({ first: plan, further: [] }),
    messageOf: () => plan,
    change: () => Promise.reject(new Error('no task')),
  });
  const payload = { body: { content: PRIVATE_WORD, components: [], allowed_mentions: { parse: [] as [] } }, files: [] };
  return {
    interactionCallback: [
      () => responder.acknowledge('public answer'),
      () => responder.replyPrivately(plan),
      () => responder.suggest([{ name: PRIVATE_WORD, value: PRIVATE_WORD }]),
    ],
    webhook: [
      () => responder.followUpPrivately(plan),
      () => responder.postFollowUp(plan, true),
      () => outbox.addFollowUp(token, payload, true),
    ],
    webhookMessage: [
      () => responder.edit(plan),
      () => responder.edit(plan, ID),
      () => responder.delete(),
      () => outbox.edit(token, payload),
      () => outbox.remove(token),
    ],
    channelMessages: [
      () => outbox.post(ID, PRIVATE_WORD, payload),
      () => outbox.threads.postFirstMessage(ID, PRIVATE_WORD, voice),
      () => answers.replyTo(messageReference, plan),
      () => outbox.sendInChannel(ID, plan),
      () => outbox.messagesBefore(ID, ID),
    ],
    channelMessage: [
      () => outbox.edit({ by: 'edit', message: messageReference }, payload),
      () => outbox.remove({ by: 'edit', message: messageReference }),
      () => answers.editReply(messageReference, plan),
    ],
    userChannels: [() => outbox.sendDirectMessage(ID, plan), () => outbox.openDirectChannel(ID)],
    threads: [() => outbox.threads.create({ channelId: ID, name: PRIVATE_WORD, kind: 'public', memberId: ID })],
    threadMembers: [() => botRest.put(`/channels/${ID}/thread-members/${ID}`)],
    channel: [() => botRest.patch(`/channels/${ID}`, { body: { name: PRIVATE_WORD } })],
    guild: [() => reader.isInServer(ID)],
    guildMember: [() => reader.ownPermissions(ID, ID)],
    guildApplicationCommandsPermissions: [() => readCommandAccess(clients.reads, ID, ID)],
    guildRoles: [() => reader.serverNames(ID)],
    guildChannels: [() => reader.serverNames(ID)],
    gatewayBot: [() => readGateway(clients.reads)],
    user: [() => loadIdentity(clients, 'token')],
    currentApplication: [() => botRest.get('/oauth2/applications/@me')],
    applicationCommands: [() => botRest.put(`/applications/${ID}/commands`, { body: [{ name: PRIVATE_WORD }] })],
    applicationGuildCommands: [() => botRest.put(`/applications/${ID}/guilds/${ID}/commands`, { body: [] })],
  };
}

describe('The log at every level', () => {
  itVariants(FAILURES.filter((one) => one !== '200 with an error'))(
    'No private text is logged if all requests to Discord end with %s',
    async (failure) => {
      const { url, requestLines } = await failingServer(failure);
      const clients = createDiscordClients(`${url}/api`);
      clients.rest.setToken('token');
      cleanups.push(() => clients.close());
      const log = createLogs();
      const calls = discordCalls(clients, log.json);
      for (const call of Object.values(calls).flat()) await logFailure(call, log);
      expect(requestLines.size).toBeGreaterThan(12);
      expect(log.lines.length).toBeGreaterThan(20);
      expectNoPrivateWord(log.lines);
    },
  );

  it('The calls that are checked for private text cover every Discord route that the bot uses', () => {
    const sources = globSync('src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
    const usedRoutes = new Set(
      sources.flatMap((source) => [...source.matchAll(/\bRoutes\.(\w+)/g)].map(([, name]) => name)),
    );
    const clients = createDiscordClients('http://127.0.0.1:9/api');
    cleanups.push(() => clients.close());
    expect(Object.keys(discordCalls(clients, createLogs().json)).sort()).toEqual([...usedRoutes].sort());
  });

  itVariants(FAILURES)('No private text is logged if all requests to the gateway end with %s', async (failure) => {
    const { url, requestLines } = await failingServer(failure);
    const log = createLogs();
    const gateway = gatewayAt(url, log.json);
    let failureCount = 0;
    for (const call of Object.values(gatewayCalls(gateway)).flatMap((family) => Object.values(family))) {
      if (await logFailure(call, log)) failureCount += 1;
    }
    expect(requestLines.size).toBeGreaterThan(20);
    expect(failureCount).toBeGreaterThan(20);
    expectNoPrivateWord(log.lines);
  });

  it('The calls that are checked for private text cover every method of the gateway client', () => {
    const gateway = gatewayAt('http://127.0.0.1:9', createLogs().json);
    const { close: _, answeredAt: __, keyRejectedAt: ___, ...families } = gateway;
    const methods = (family: object): string[] =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(family)).filter(
        (name) => !['constructor', 'close', 'checked', 'bodyOf'].includes(name),
      );
    const allMethods = Object.entries(families).map(([name, family]) => [name, methods(family).sort()]);
    const calledMethods = Object.entries(gatewayCalls(gateway)).map(([name, family]) => [
      name,
      Object.keys(family).sort(),
    ]);
    expect(Object.fromEntries(calledMethods)).toEqual(Object.fromEntries(allMethods));
  });
});

function gatewayAt(baseUrl: string, log: ReturnType<typeof createLogs>['json']): Gateway {
  const settings = { ...defaultSettings, baseUrl, apiKey: 'sk-test' };
  const gateway = createGateway(settings, { log }, { attempts: 1, readMs: 2_000, submitMs: 2_000, bodyMs: 2_000 });
  cleanups.push(() => gateway.close());
  return gateway;
}

/** Every gateway call, with private text in every text parameter. */
function gatewayCalls(gateway: Gateway) {
  const {
    models,
    usage,
    prices,
    fineTunes,
    jobs,
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
  const video = { model: 'm', prompt: PRIVATE_WORD };
  return {
    models: { list: () => models.list(), listCompat: () => models.listCompat(), get: () => models.get(PRIVATE_WORD) },
    usage: { get: () => usage.get({ start: '2026-01-01', end: '2026-01-02' }), limit: () => usage.limit() },
    prices: { get: () => prices.get('/api/pricing') },
    fineTunes: { events: () => fineTunes.events(PRIVATE_WORD) },
    jobs: {
      submit: () => jobs.submit('image', { path: '/v1/jobs', body: { prompt: PRIVATE_WORD } }),
      get: () => jobs.get('image', '/v1/jobs/{id}', PRIVATE_WORD),
      getMany: () => jobs.getMany('image', '/v1/jobs', [PRIVATE_WORD]),
      fetchRecord: () => jobs.fetchRecord('/v1/jobs/{id}', PRIVATE_WORD),
      readTask: async () => jobs.readTask('image', { prompt: PRIVATE_WORD }),
      readTasks: async () => jobs.readTasks('image', { data: PRIVATE_WORD }),
    },
    imageJobs: {
      create: () => imageJobs.create({ model: 'm', prompt: PRIVATE_WORD }, { idempotencyKey: PRIVATE_WORD }),
      send: () =>
        imageJobs.send(JSON.stringify({ model: 'm', prompt: PRIVATE_WORD }), { idempotencyKey: PRIVATE_WORD }),
      get: () => imageJobs.get(PRIVATE_WORD),
    },
    imgx: {
      imagine: () => imgx.imagine({ prompt: PRIVATE_WORD, images: [PRIVATE_IMAGE] }),
      describe: () => imgx.describe({ images: [PRIVATE_IMAGE] }),
      shorten: () => imgx.shorten({ prompt: PRIVATE_WORD }),
      blend: () => imgx.blend({ images: [PRIVATE_IMAGE, PRIVATE_IMAGE] }),
      upload: () => imgx.upload({ images: [PRIVATE_IMAGE] }),
      action: () => imgx.action({ taskId: PRIVATE_WORD, customId: PRIVATE_WORD }),
      simpleChange: () => imgx.simpleChange({ taskId: PRIVATE_WORD, action: 'UPSCALE', index: 1 }),
      modal: () => imgx.modal({ taskId: PRIVATE_WORD, prompt: PRIVATE_WORD, mask: PRIVATE_IMAGE }),
      video: () => imgx.video({ prompt: PRIVATE_WORD, image: PRIVATE_IMAGE }),
      get: () => imgx.get(PRIVATE_WORD),
      getMany: () => imgx.getMany([PRIVATE_WORD]),
    },
    videos: { create: () => videos.create(video), get: () => videos.get(PRIVATE_WORD) },
    v1Videos: { create: () => v1Videos.create(video), get: () => v1Videos.get(PRIVATE_WORD) },
    imageToVideo: {
      create: () => imageToVideo.create({ model: 'm', prompt: PRIVATE_WORD, image: PRIVATE_IMAGE }),
      get: () => imageToVideo.get(PRIVATE_WORD),
    },
    music: {
      makeSong: () => music.makeSong({ about: PRIVATE_WORD }),
      get: () => music.get(PRIVATE_WORD),
      getMany: () => music.getMany([PRIVATE_WORD]),
    },
    responses: {
      stream: async () => {
        for await (const event of responses.stream({ model: 'm', input: PRIVATE_WORD })) {
          if ('response' in event && event.response.error) throw event.response.error;
        }
      },
    },
    transcriptions: { create: () => transcriptions.create({ model: PRIVATE_WORD, wav: Buffer.from(PRIVATE_WORD) }) },
    realtime: { open: () => realtime.open({ model: 'm', instructions: PRIVATE_WORD }) },
  };
}
