import { Client, Events, GatewayIntentBits, HTTPError, REST } from 'discord.js';
import type { Log } from '../../lib/log.ts';
import { type MakeRequest, sendUploads, withUploads } from './uploads.ts';

/** Uploads are counted in here too: a large file on a slow line is not a failure. */
const REST_TIMEOUT_MS = 60_000;
/** After three seconds Discord no longer takes an acknowledgement, so it is no use to wait for longer. */
const ACKNOWLEDGEMENT_TIMEOUT_MS = 2_500;
/** Discord blocks an address after 10,000 invalid requests in ten minutes; the log hears of it long before. */
const INVALID_WARNING_INTERVAL = 100;

/** The library keeps a queue for each token that was ever used, for an hour unless it is told otherwise. */
const QUEUE_SWEEP_MS = 60_000;

export type Reads = Pick<REST, 'get'>;

export interface DiscordClients {
  /** Logs in and hears interactions. Its REST carries the bot's token and obeys Discord's 50 requests per second. */
  client: Client;
  /**
   * For addresses that carry an interaction's own token. Such requests are outside of Discord's global limit, and must be
   * sent without the bot's token: an expired one is answered with 401, for which the library would drop the bot's token.
   */
  tokenRest: REST;
  /** For the first answers, which have three seconds in all: whoever sends them decides about another try. */
  callbackRest: REST;
  /** Asks Discord, and can change nothing there. */
  reads: Reads;
  /** Logs out and stops the timers of all three, which would otherwise keep them in memory for good. */
  close(): Promise<void>;
}

/** `mayAct` throws where nothing may be done any more: it is asked before every single request, however long that has waited. */
export function discordClients(
  apiUrl: string,
  { messageContent } = { messageContent: false },
  mayAct: () => void = () => undefined,
): DiscordClients {
  const make = sentOnce(sendUploads());
  const shared = {
    api: apiUrl,
    version: '10',
    timeout: REST_TIMEOUT_MS,
    invalidRequestWarningInterval: INVALID_WARNING_INTERVAL,
    handlerSweepInterval: QUEUE_SWEEP_MS,
    makeRequest: async (...request: Parameters<MakeRequest>) => {
      mayAct();
      return make(...request);
    },
  };
  // Slash commands and buttons need no intent, and without them a server costs next to no memory. Messages are read from the packets: the
  // library tells of none in a channel that it has not seen.
  const intents = messageContent ? [GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent] : [];
  const client = new Client({ intents, allowedMentions: { parse: [] }, rest: shared });
  // READY names every server, and the library would keep an empty shell of thirty lists for each; an interaction brings all
  // that is asked of its server. Ten thousand shells are some 50 MB, which a later clearing does not give back.
  client.guilds.cache.set = () => client.guilds.cache;
  inOneQueue(withUploads(client.rest));
  const unbound = { ...shared, globalRequestsPerSecond: Number.MAX_SAFE_INTEGER };
  const tokenRest = inOneQueue(withUploads(new REST(unbound)));
  const callbackRest = withUploads(new REST({ ...unbound, timeout: ACKNOWLEDGEMENT_TIMEOUT_MS, retries: 0 }));
  return {
    client,
    tokenRest,
    callbackRest,
    reads: client.rest,
    async close() {
      for (const rest of [tokenRest, callbackRest]) {
        rest.clearHashSweeper();
        rest.clearHandlerSweeper();
      }
      await client.destroy();
    },
  };
}

/**
 * Until Discord has named a route's bucket the library queues its requests under the name of the route, and from then on, beside those that
 * still wait there, under the name of the bucket. Two queues would use up one limit without knowing of each other: the old one goes on
 * under the new name.
 */
function inOneQueue(rest: REST): REST {
  const { hashes, handlers } = rest;
  const set = hashes.set.bind(hashes);
  hashes.set = (route, bucket) => {
    const unnamed = `Global(${route}):`;
    if (!hashes.has(route))
      for (const [id, queue] of [...handlers]) {
        const named = `${bucket.value}:${id.slice(unnamed.length)}`;
        if (id.startsWith(unnamed) && !handlers.has(named)) handlers.set(named, queue);
      }
    set(route, bucket);
    return hashes;
  };
  return rest;
}

/**
 * The library sends a request again where it was answered with a 5xx, reset or too late. A POST may have been carried out all the same, and
 * a message would stand there twice: its outcome is unknown, and whoever sent it decides. A 429 was refused for certain, so the library
 * goes on waiting and sending by itself.
 */
function sentOnce(make: MakeRequest): MakeRequest {
  return async (url, init) => {
    if (init.method !== 'POST') return make(url, init);
    const response = await make(url, init).catch((cause: unknown) => {
      // By its name or its code the library would know it for one to repeat.
      throw new Error('Discord did not say what became of a message.', { cause });
    });
    if (response.status < 500) return response;
    await response.arrayBuffer();
    const { headers, status, statusText } = response;
    const fail = async (): Promise<never> => {
      throw new HTTPError(status, statusText, 'POST', url, { body: undefined, files: undefined });
    };
    // The library reads from its headers how many requests are left, and fails where it reads the body: by then it repeats nothing.
    const unreadable = { ok: true, body: null, bodyUsed: true, json: fail, text: fail, arrayBuffer: fail };
    return { ...unreadable, headers, status, statusText };
  };
}

/** Writes down what an operator wants to know of the connection to Discord. */
export function chronicle({ client, tokenRest, callbackRest }: DiscordClients, log: Log): void {
  client.on(Events.Error, (error) => log.error({ err: error }, 'The Discord client failed.'));
  client.on(Events.ShardReconnecting, () => log.info('The connection to Discord is being renewed.'));
  client.on(Events.ShardResume, () => log.info('The connection to Discord is back.'));
  client.rest.on('rateLimited', ({ route, timeToReset, global }) =>
    log.warn({ route, timeToReset, global }, 'Discord asks to wait.'),
  );
  tokenRest.on('rateLimited', ({ route, timeToReset }) => log.warn({ route, timeToReset }, 'Discord asks to wait.'));
  for (const rest of [client.rest, tokenRest, callbackRest]) {
    rest.on('invalidRequestWarning', ({ count }) =>
      log.warn({ count }, 'Discord counts many invalid requests; at 10,000 it shuts the address out.'),
    );
  }
}
