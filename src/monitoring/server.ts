import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../lib/listen.ts';
import type { PlainLog } from '../lib/log.ts';
import { type Readiness, type ReadinessCheck, readyParts } from '../services/readiness.ts';
import type { Metrics } from './metrics.ts';
import type { HttpSettings } from './port.ts';

/** A probe is a line and a few headers; anything longer or slower is not a probe. */
const MAX_HEADER_BYTES = 8 * 1024;
const REQUEST_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 64;
/** The slowest response has to wait for the gateway's list of models. */
const RESPONSE_TIMEOUT_MS = 10_000;

const READ_METHODS = new Set(['GET', 'HEAD']);

interface HttpResponse {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

/** Returns once the port is open. */
export async function startServer(
  settings: HttpSettings,
  { readiness, metrics, log }: { readiness: ReadinessCheck; metrics: Metrics; log: Pick<PlainLog, 'warn'> },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  server.timeout = RESPONSE_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', async (request, response) => {
    const fail = (error: unknown): HttpResponse => {
      // The error's message is only for the log.
      log.warn({ err: error }, 'A request for the state of the bot failed.');
      return { status: 500, body: { error: 'The request failed.' } };
    };
    const { status, body, headers } = await respond(request, settings, readiness, metrics).catch(fail);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, {
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...headers,
    });
    response.end(text);
  });
  return await listen(server, { ...settings, settings: 'HTTP_HOST and HTTP_PORT' });
}

async function respond(
  request: IncomingMessage,
  { metricsToken }: HttpSettings,
  readiness: ReadinessCheck,
  metrics: Metrics,
): Promise<HttpResponse> {
  const { method = '', headers, url = '' } = request;
  // The request's body is not read, so the connection cannot be reused.
  const connection = 'close';
  if (!READ_METHODS.has(method))
    return {
      status: 405,
      headers: { connection, allow: 'GET, HEAD' },
      body: { error: 'Only GET and HEAD are served.' },
    };
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0)
    return { status: 413, headers: { connection }, body: { error: 'A request must have no body.' } };
  switch (URL.parse(url, 'http://localhost')?.pathname) {
    case '/livez':
      return { status: 200, body: { live: true } };
    case '/readyz': {
      const state = await readiness.check();
      const isReady = readyParts.every((part) => state[part] === undefined);
      return { status: isReady ? 200 : 503, body: { ready: isReady, parts: partsOf(state) } };
    }
    case '/metrics':
      return mayRead(headers.authorization, metricsToken)
        ? { status: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.text() }
        : { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: { error: 'A token is needed.' } };
    default:
      return { status: 404, body: { error: 'Not found. The endpoints are /livez, /readyz and /metrics.' } };
  }
}

const partsOf = (state: Readiness) =>
  Object.fromEntries(
    readyParts.map((part) => {
      const reason = state[part];
      return [part, reason === undefined ? { ready: true } : { ready: false, reason }];
    }),
  );

/** Both values are hashed first, because the comparison needs equal lengths. */
function mayRead(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization ?? ''), hash(`Bearer ${token}`));
}
