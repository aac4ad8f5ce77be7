import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../lib/listen.ts';
import type { PlainLog } from '../lib/log.ts';
import { type ReadinessCheck, readinessReasons, readyParts } from '../services/operations/readiness.ts';
import type { Metrics } from './metrics.ts';

/** A probe is a line and a few headers; anything longer or slower is not a probe. */
const MAX_HEADER_BYTES = 8 * 1024;
const REQUEST_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 64;
/** The slowest response has to wait for the gateway's list of models. */
const RESPONSE_TIMEOUT_MS = 10_000;

export interface HttpSettings {
  port: number;
  host: string;
  metricsToken: string | undefined;
}

interface HttpResponse {
  status: number;
  body: object | string;
  headers?: Record<string, string>;
}

const failure = (status: number, error: string, headers = {}): HttpResponse => ({ status, body: { error }, headers });

/** Returns once the port is open. */
export async function startServer(
  settings: HttpSettings,
  { readiness, metrics, log }: { readiness: ReadinessCheck; metrics: Metrics; log: PlainLog },
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
    const { status, body, headers } = await respond(request, settings, readiness, metrics).catch((error: unknown) => {
      // The error's message is only for the log.
      log.warn({ err: error }, 'A request for the state of the bot failed.');
      return failure(500, 'The request failed.');
    });
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
  { method, headers, url = '' }: IncomingMessage,
  { metricsToken }: HttpSettings,
  readiness: ReadinessCheck,
  metrics: Metrics,
): Promise<HttpResponse> {
  // The request's body is not read, so the connection cannot be reused.
  const connection = 'close';
  if (method !== 'GET' && method !== 'HEAD')
    return failure(405, 'Only GET and HEAD are served.', { connection, allow: 'GET, HEAD' });
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0)
    return failure(413, 'A request must have no body.', { connection });
  switch (URL.parse(url, 'http://localhost')?.pathname) {
    case '/livez':
      return { status: 200, body: { live: true } };
    case '/readyz': {
      const state = await readiness.check();
      const parts = readyParts.map((part) => {
        const reason = state[part];
        return [part, { ready: reason === undefined, reason: reason && readinessReasons[reason] }];
      });
      const ready = readyParts.every((part) => state[part] === undefined);
      return { status: ready ? 200 : 503, body: { ready, parts: Object.fromEntries(parts) } };
    }
    case '/metrics':
      if (!mayRead(headers.authorization, metricsToken))
        return failure(401, 'A token is needed.', { 'www-authenticate': 'Bearer' });
      return { status: 200, body: await metrics.text(), headers: { 'content-type': metrics.contentType } };
    default:
      return failure(404, 'Not found. The endpoints are /livez, /readyz and /metrics.');
  }
}

/** Both values are hashed first, because the comparison needs equal lengths. */
function mayRead(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization ?? ''), hash(`Bearer ${token}`));
}
