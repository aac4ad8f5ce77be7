import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, SteadyClock, systemClock, withTimeout } from '../../lib/clock.ts';
import { isRecord } from '../../lib/exact-json.ts';
import { listen } from '../../lib/listen.ts';
import type { PlainLog } from '../../lib/log.ts';
import { TokenBuckets } from '../../lib/token-buckets.ts';
import { collectChunks } from '../gateway/event-stream.ts';
import { parseJson, places } from '../gateway/places.ts';
import { findRecord, meaningOfStatus, readStatusWord } from '../gateway/record.ts';

const MAX_HEADER_BYTES = 8 * 1024;
const REQUEST_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 256;
/** Half of all connections, so that one source with idle connections does not block the others. */
const MAX_CONNECTIONS_PER_SOURCE = 128;
const MAX_REQUESTS_PER_CONNECTION = 1_000;
/** A longer body is not read: its content could only have saved a poll. */
const MAX_BODY_BYTES = 64 * 1024;
const BODY_TIMEOUT_MS = 1_000;
/** The limit for each callback URL; the fastest gateway reports about ten changes. */
const KNOWN_URL_RATE = { atOnce: 20, perSecond: 2 };
/** The limit for requests to unknown URLs, by source. A valid URL is never refused, since all requests may come through one proxy. */
const UNKNOWN_URL_RATE = { atOnce: 50, perSecond: 10 };

export interface CallbackRecipient {
  /** The id of the task that a URL belongs to. */
  find(target: string): string | undefined;
  process(id: string, meaning: CallbackMeaning): void;
  report(outcome: 'unknown' | 'limited'): void;
}

interface ListenerParts {
  callbacks: CallbackRecipient;
  log: PlainLog;
  /** A clock that never goes back. Requests from another program take real time. */
  clock?: Clock;
}

/**
 * The port that gateways call. It is plain `node:http`: a request to an unknown URL is answered from its first line alone,
 * and its body is dropped. Nothing about a request is logged. Returns once the port is open.
 */
export async function openListener(
  { port, host }: { port: number; host: string },
  { callbacks, log, clock = new SteadyClock(systemClock) }: ListenerParts,
): Promise<{ port: number; close(): Promise<void> }> {
  const unknownUrlLimiter = new TokenBuckets(UNKNOWN_URL_RATE, clock);
  const knownUrlLimiter = new TokenBuckets(KNOWN_URL_RATE, clock);
  // Loaded only here: Node's own fetch comes with it, which takes as long as a tenth of a start.
  const { createServer } = await import('node:http');
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  limitSources(server);
  server.on('clientError', (_, socket) => socket.destroy());
  server.on('request', (request, response) => {
    if (request.method !== 'POST') return respond(request, response, 405);
    const id = callbacks.find(request.url ?? '');
    if (id === undefined) {
      const isAllowed = unknownUrlLimiter.take(request.socket.remoteAddress ?? '');
      callbacks.report(isAllowed ? 'unknown' : 'limited');
      return respond(request, response, isAllowed ? 202 : 429);
    }
    if (!knownUrlLimiter.take(id)) {
      callbacks.report('limited');
      return respond(request, response, 202);
    }
    void readBody(request, clock).then((body) => {
      const meaning = readCallback(body);
      callbacks.process(id, meaning);
      if (typeof meaning === 'object') respond(request, response, 200, meaning);
      else respond(request, response, 202);
    });
  });
  const listener = await listen(server, { port, host, settings: 'CALLBACK_HOST and CALLBACK_PORT' });
  log.info({ host, port: listener.port }, 'Listening for callbacks from the gateway.');
  return listener;
}

/** Limits the connections of each source. Only open connections are tracked, so memory is bounded by their number. */
function limitSources(server: Server): void {
  const connectionCounts = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const source = socket.remoteAddress ?? '';
    const count = (connectionCounts.get(source) ?? 0) + 1;
    if (count > MAX_CONNECTIONS_PER_SOURCE) {
      socket.destroy();
      return;
    }
    connectionCounts.set(source, count);
    socket.once('close', () => {
      const remaining = (connectionCounts.get(source) ?? 1) - 1;
      if (remaining > 0) connectionCounts.set(source, remaining);
      else connectionCounts.delete(source);
    });
  });
}

/** Undefined if it was too long, too slow or truncated. */
async function readBody(request: IncomingMessage, clock: Clock): Promise<string | undefined> {
  const reading = collectChunks(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES);
  const body = await withTimeout(
    clock,
    BODY_TIMEOUT_MS,
    reading.catch(() => undefined),
  );
  return body?.isComplete ? Buffer.concat(body.chunks).toString('utf8') : undefined;
}

function respond(request: IncomingMessage, response: ServerResponse, status: number, body?: object): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    'content-length': Buffer.byteLength(text),
    ...(text !== '' && { 'content-type': 'application/json' }),
    ...(status === 405 && { allow: 'POST' }),
  };
  // Node reads and drops the rest of a short body, and does not wait for a long one.
  const isShort = request.complete || Number(request.headers['content-length'] ?? Number.NaN) <= MAX_BODY_BYTES;
  if (isShort) {
    response.writeHead(status, headers).end(text);
    return;
  }
  response.writeHead(status, { ...headers, connection: 'close' }).end(text, () => request.socket.destroySoon());
}

const MAX_CHALLENGE_LENGTH = 200;
const STATUS_PLACES = places('task_status', 'status', 'state');

/**
 * What a callback's body says, as far as it determines whether to poll now. It is never stored or shown, and `end` is not proof of an end:
 * only a poll shows the state of a job.
 */
export type CallbackMeaning = { challenge: string } | 'progress' | 'end' | 'unclear';

export function readCallback(body: string | undefined): CallbackMeaning {
  const json = body === undefined ? undefined : parseJson(body);
  if (!isRecord(json)) return 'unclear';
  const { challenge } = json;
  if (typeof challenge === 'string' && challenge.length <= MAX_CHALLENGE_LENGTH) return { challenge };
  const statusWord = readStatusWord(findRecord(json), STATUS_PLACES);
  switch (statusWord === undefined ? undefined : meaningOfStatus(statusWord)?.state) {
    case 'queued':
    case 'running':
      return 'progress';
    case 'succeeded':
    case 'failed':
      return 'end';
    default:
      // The other states include "needs a prompt", which a poll has to confirm.
      return 'unclear';
  }
}
