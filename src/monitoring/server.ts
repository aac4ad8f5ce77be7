import { createHash, timingSafeEqual } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import type { PlainLog } from '../lib/log.ts';
import { PortError } from '../lib/port-error.ts';
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

/** Returns once the port is open. */
export async function startServer(
  settings: HttpSettings,
  { readiness, metrics, log }: { readiness: ReadinessCheck; metrics: Metrics; log: Pick<PlainLog, 'warn'> },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = fastify({
    forceCloseConnections: true,
    bodyLimit: 1,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: RESPONSE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: REQUEST_TIMEOUT_MS },
  });
  server.server.maxConnections = MAX_CONNECTIONS;
  allowOnlyReads(server);
  server.setErrorHandler((error, _, reply) => {
    // The error's message is only for the log.
    log.warn({ err: error }, 'A request for the state of the bot failed.');
    return reply.code(500).send({ error: 'The request failed.' });
  });
  server.get('/livez', () => ({ live: true }));
  server.get('/readyz', async (_, reply) => {
    const state = await readiness.check();
    const isReady = readyParts.every((part) => state[part] === undefined);
    return reply.code(isReady ? 200 : 503).send({ ready: isReady, parts: partsOf(state) });
  });
  server.get('/metrics', async ({ headers }, reply) => {
    if (!mayRead(headers.authorization, settings.metricsToken))
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'A token is needed.' });
    return reply.type(metrics.contentType).send(await metrics.text());
  });
  try {
    await server.listen({ port: settings.port, host: settings.host });
  } catch (error) {
    throw new PortError({ ...settings, settings: 'HTTP_HOST and HTTP_PORT' }, error);
  }
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : settings.port,
    close: () => server.close(),
  };
}

const partsOf = (state: Readiness) =>
  Object.fromEntries(
    readyParts.map((part) => {
      const reason = state[part];
      return [part, reason === undefined ? { ready: true } : { ready: false, reason }];
    }),
  );

function allowOnlyReads(server: FastifyInstance): void {
  server.addHook('onRequest', async ({ method, headers }, reply) => {
    reply.header('cache-control', 'no-store');
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
    if (!hasBody && READ_METHODS.has(method)) return undefined;
    // The request's body is not read, so the connection cannot be reused.
    reply.header('connection', 'close');
    if (READ_METHODS.has(method)) return reply.code(413).send({ error: 'A request must have no body.' });
    return reply.code(405).header('allow', 'GET, HEAD').send({ error: 'Only GET and HEAD are served.' });
  });
  server.setNotFoundHandler((_, reply) =>
    reply.code(404).send({ error: 'Not found. The endpoints are /livez, /readyz and /metrics.' }),
  );
}

/** Both values are hashed first, because the comparison needs equal lengths. */
function mayRead(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization ?? ''), hash(`Bearer ${token}`));
}
