import { HTTPError, REST } from '@discordjs/rest';
import { WebSocketShardEvents as Events } from '@discordjs/ws';
import { GatewayIntentBits } from 'discord-api-types/v10';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { NotDiscord } from '../reach.ts';
import { Connection, FATAL_CODES } from './connection.ts';
import type { Identity } from './identity.ts';
import { TOO_MANY_REQUESTS, Traffic } from './traffic.ts';
import { type MakeRequest, streamUploads, uploadSender } from './uploads.ts';

/** Long enough for uploads: a large file on a slow connection is not a failure. */
const REST_TIMEOUT_MS = 60_000;
/** Discord rejects acknowledgements after three seconds. */
const ACKNOWLEDGEMENT_TIMEOUT_MS = 2_500;
/** Discord blocks an IP address after 10,000 invalid requests in ten minutes; a warning is logged long before that. */
const INVALID_WARNING_INTERVAL = 100;

/** discord.js keeps a queue per token, for an hour by default. */
const QUEUE_SWEEP_MS = 60_000;

export type DiscordReads = Pick<REST, 'get'>;

export type DiscordClients = ReturnType<typeof createDiscordClients>;

/** Slash commands, buttons, and the text of messages to the bot need no privileged intent. The operator enables the one for other messages here and in Discord's developer portal. */
export function intentsOf({ mentions, messageContent }: ReadMessages): number {
  const { GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  return (mentions ? GuildMessages | DirectMessages : 0) | (messageContent ? GuildMessages | MessageContent : 0);
}

/** Which messages the bot reads: those to it, and those in the threads of conversations. */
export interface ReadMessages {
  mentions: boolean;
  messageContent: boolean;
}

/** `assertMayAct` throws once the store is lost. It is called before every request, even one that has waited. */
export function createDiscordClients(
  apiUrl: string,
  settings: ReadMessages = { mentions: false, messageContent: false },
  assertMayAct: () => void = () => undefined,
) {
  const traffic = new Traffic();
  const makeRequest = sendPostsOnce(detectUncertainEdits(limitRateLimits(traffic.countRequests(uploadSender()))));
  const sharedOptions = {
    api: apiUrl,
    version: '10',
    timeout: REST_TIMEOUT_MS,
    invalidRequestWarningInterval: INVALID_WARNING_INTERVAL,
    handlerSweepInterval: QUEUE_SWEEP_MS,
    makeRequest: async (...request: Parameters<MakeRequest>) => {
      assertMayAct();
      return makeRequest(...request);
    },
  };
  const rest = mergeQueues(streamUploads(new REST(sharedOptions)));
  const unlimitedOptions = { ...sharedOptions, globalRequestsPerSecond: Number.MAX_SAFE_INTEGER };
  const tokenRest = mergeQueues(streamUploads(new REST(unlimitedOptions)));
  const callbackRest = streamUploads(
    new REST({ ...unlimitedOptions, timeout: ACKNOWLEDGEMENT_TIMEOUT_MS, retries: 0 }),
  );
  traffic.watchLimits([rest, tokenRest, callbackRest]);
  const reads: DiscordReads = rest;
  const identity: Identity = {};
  const connection = new Connection(rest, identity, intentsOf(settings));
  return {
    /** Opened only if the bot is one process. */
    connection,
    identity,
    /** Sends the bot's token, and respects Discord's 50 requests per second. */
    rest,
    /** Exempt from Discord's global limit. Must not send the bot's token: discord.js discards it on a 401. */
    tokenRest,
    /** For initial responses, which have three seconds in total: the caller decides about retries. */
    callbackRest,
    reads,
    /** Counts the requests to Discord and how long its rate limits made them wait. */
    traffic,

    isConnected: () => connection.isReady,

    /** Sets this process's share of Discord's limit for requests with the bot's token, if other processes use the token too. */
    setRequestsPerSecond(share: number): void {
      // discord.js reads this option at the start of each second.
      rest.options.globalRequestsPerSecond = Math.max(1, Math.floor(share));
    },

    /** Disconnects, and stops the timers of all three REST clients, which would otherwise keep them in memory forever. */
    async close(): Promise<void> {
      for (const one of [rest, tokenRest, callbackRest]) {
        one.clearHashSweeper();
        one.clearHandlerSweeper();
      }
      await connection.close();
    },
  };
}

/**
 * Until Discord names a route's bucket, discord.js queues requests under the route. Afterwards it starts a second queue
 * under the bucket while the first may still hold requests, and the two would exceed their common limit. So the
 * existing queue is registered under the bucket as well.
 */
function mergeQueues(rest: REST): REST {
  const { hashes, handlers } = rest;
  const setHash = hashes.set.bind(hashes);
  hashes.set = (route, bucket) => {
    const routePrefix = `Global(${route}):`;
    if (!hashes.has(route))
      for (const [id, queue] of [...handlers]) {
        const bucketKey = `${bucket.value}:${id.slice(routePrefix.length)}`;
        if (id.startsWith(routePrefix) && !handlers.has(bucketKey)) handlers.set(bucketKey, queue);
      }
    setHash(route, bucket);
    return hashes;
  };
  return rest;
}

/**
 * discord.js retries a request after a 5xx, a reset or a timeout. A POST may still have taken effect, and a second message would appear: its
 * outcome is unknown, and the caller decides. A request refused with a 429 had no
 * effect, so discord.js still waits and retries it.
 */
function sendPostsOnce(makeRequest: MakeRequest): MakeRequest {
  return async (url, init) => {
    if (init.method !== 'POST') return makeRequest(url, init);
    const response = await makeRequest(url, init).catch((cause: unknown) => {
      // discord.js retries errors that it recognises by name or code, so this one has neither.
      throw new Error('It is unknown whether Discord posted the message.', { cause });
    });
    if (response.status < 500) return response;
    await response.arrayBuffer();
    const { headers, status, statusText } = response;
    const fail = async (): Promise<never> => {
      throw new HTTPError(status, statusText, 'POST', url, { body: undefined, files: undefined });
    };
    // discord.js reads the rate limit from the headers, then fails at the body, when it no longer retries.
    const unreadableResponse = { ok: true, body: null, bodyUsed: true, json: fail, text: fail, arrayBuffer: fail };
    return { ...unreadableResponse, headers, status, statusText };
  };
}

/**
 * discord.js repeats a change after a 5xx or a reset. If the repetition is refused, for example because the token has expired in the meantime, the
 * first one may still have taken effect: the outcome is unknown, and does not count as a refusal.
 */
function detectUncertainEdits(makeRequest: MakeRequest): MakeRequest {
  // All attempts of a request share the same headers object.
  const uncertainRequests = new WeakSet<object>();
  return async (url, init) => {
    const { method, headers } = init;
    if (method !== 'PATCH' || !headers) return makeRequest(url, init);
    const response = await makeRequest(url, init).catch((error: unknown) => {
      uncertainRequests.add(headers);
      throw error;
    });
    if (response.status >= 500) uncertainRequests.add(headers);
    else if (!response.ok && response.status !== TOO_MANY_REQUESTS && uncertainRequests.has(headers)) {
      await response.arrayBuffer();
      throw new Error('It is unknown whether Discord changed the message.');
    }
    return response;
  };
}

/** discord.js waits as long as Discord demands before it repeats a request, so a request is rarely refused even twice. */
const MAX_RATE_LIMITS = 10;

/** discord.js repeats a request after each 429, without end and, if Discord demands none, without a wait. */
function limitRateLimits(makeRequest: MakeRequest): MakeRequest {
  // All attempts of a request share the same headers object.
  const counts = new WeakMap<object, number>();
  return async (url, init) => {
    const response = await makeRequest(url, init);
    if (response.status !== TOO_MANY_REQUESTS || !init.headers) return response;
    const count = (counts.get(init.headers) ?? 0) + 1;
    counts.set(init.headers, count);
    if (count < MAX_RATE_LIMITS) return response;
    await response.arrayBuffer();
    throw new Error('Discord refused a request too often because of its rate limits.');
  };
}

/** Ordinary latency is less, and a token of an interaction lasts fifteen minutes. */
const MAX_CLOCK_ERROR_MS = 60_000;

/**
 * Refuses the page of a proxy, and warns of a wrong clock: interactions are dated by Discord, and to a machine with another time they all look expired, or
 * never do. Reads the first response itself: with a listener for responses, discord.js would load Node's own fetch, which takes 7 MB.
 */
function checkFirstResponse({ options }: REST, log: Log): void {
  const { makeRequest } = options;
  options.makeRequest = async function checkFirst(...request) {
    const response = await makeRequest(...request);
    if (options.makeRequest !== checkFirst) return response;
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html')) throw new NotDiscord();
    options.makeRequest = makeRequest;
    // Not an injected clock, because Discord's date is the real one.
    const aheadMs = systemClock.now() - Date.parse(response.headers.get('date') ?? '');
    if (Math.abs(aheadMs) > MAX_CLOCK_ERROR_MS)
      log.warn(
        { seconds: Math.abs(Math.round(aheadMs / 1_000)) },
        `The clock of this machine is ${aheadMs > 0 ? 'ahead of' : 'behind'} Discord’s, so interactions may fail. Synchronize it, for example with NTP, and restart Atelier.`,
      );
    return response;
  };
}

/** discord.js repeats a refused connection twice a second. */
const RECONNECT_LOG_INTERVAL_MS = 60_000;

/** Logs what an operator needs to know about the connection to Discord. */
export function logDiscordEvents(clients: DiscordClients, log: Log, clock: Clock): void {
  const { rest, tokenRest, callbackRest } = clients;
  const { socket } = clients.connection;
  checkFirstResponse(rest, log);
  let socketError: Error | undefined;
  let isClosed = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  socket.on(Events.Error, ({ error }) => {
    socketError = error;
  });
  socket.on(Events.Closed, ({ code }) => {
    isClosed = true;
    if (FATAL_CODES.has(code) || clock.now() - loggedAt < RECONNECT_LOG_INTERVAL_MS) return;
    loggedAt = clock.now();
    log.info({ err: socketError }, 'Reconnecting to Discord.');
    socketError = undefined;
  });
  // A session that Discord has forgotten is not resumed: a new one is ready.
  for (const event of [Events.Resumed, Events.Ready])
    socket.on(event, () => {
      if (isClosed) log.info('Reconnected to Discord.');
      isClosed = false;
    });
  rest.on('rateLimited', ({ route, timeToReset, global }) =>
    log.warn({ route, timeToReset, global }, 'Rate limited by Discord.'),
  );
  tokenRest.on('rateLimited', ({ route, timeToReset }) => log.warn({ route, timeToReset }, 'Rate limited by Discord.'));
  for (const one of [rest, tokenRest, callbackRest]) {
    one.on('invalidRequestWarning', ({ count }) =>
      log.warn({ count }, 'Many invalid requests to Discord; it blocks the IP address at 10,000.'),
    );
  }
}
