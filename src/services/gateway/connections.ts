import { addAbortListener } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Dispatcher, errors, Pool } from 'undici';
import { WebSocket } from 'ws';
import { type Clock, timerFor } from '../../lib/clock.ts';
import { collectChunks } from './event-stream.ts';
import { defaultGatewayLimits, type GatewayLimits, type GatewaySettings, parseBaseUrl } from './settings.ts';

/** The connections to the gateway, and whether it accepts the key. Several clients in one process can share them. */
export class GatewayConnections {
  readonly #createPool: (count: number) => Pool;
  #count: number;
  #pool: Pool;
  /** Pools that have been replaced, until their last request has ended. */
  readonly #replacedPools = new Set<Pool>();
  answeredAt: number | undefined;
  keyRejectedAt: number | undefined;

  constructor({ baseUrl, connections: count }: GatewaySettings, limits: Partial<GatewayLimits> = {}) {
    const { origin } = parseBaseUrl(baseUrl);
    const { connectMs, bodyMs } = { ...defaultGatewayLimits, ...limits };
    this.#createPool = (connections) =>
      new Pool(origin, { connections, connect: { timeout: connectMs }, bodyTimeout: bodyMs });
    this.#count = count;
    this.#pool = this.#createPool(count);
  }

  get dispatcher(): Dispatcher {
    return this.#pool;
  }

  /** Changes the limit. Requests that have begun keep their connections, in addition to the new ones. */
  setCount(count: number): void {
    if (count === this.#count) return;
    const replacedPool = this.#pool;
    this.#count = count;
    this.#pool = this.#createPool(count);
    this.#replacedPools.add(replacedPool);
    void replacedPool.close().finally(() => this.#replacedPools.delete(replacedPool));
  }

  /** Aborts all requests. */
  async close(): Promise<void> {
    await Promise.all([this.#pool, ...this.#replacedPools].map((pool) => pool.destroy()));
  }
}

/** Events of a live conversation are at most 15 MiB in size. */
const MAX_MESSAGE_BYTES = 16 * 2 ** 20;
const MAX_REFUSAL_BYTES = 64 * 2 ** 10;

interface RefusedUpgrade {
  statusCode: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Opens a socket within a time limit. It is paused, so that no event is lost before there is a listener. Redirects are not followed. */
export async function openSocket(
  url: URL,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<WebSocket | RefusedUpgrade> {
  const socket = new WebSocket(url, {
    headers,
    followRedirects: false,
    // Audio in base64 hardly compresses, and the compression would take memory for each socket.
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const outcome = Promise.withResolvers<WebSocket | RefusedUpgrade>();
  // The code of this error selects the message of the `GatewayError`.
  using _timer = timerFor(clock, timeoutMs, () => outcome.reject(new errors.HeadersTimeoutError()));
  using _listener = signal && addAbortListener(signal, () => outcome.reject(signal.reason));
  // This listener is never removed: an abandoned socket emits another error, which would end the process if no one listened.
  socket.on('error', outcome.reject);
  socket.once('open', () => {
    socket.pause();
    outcome.resolve(socket);
  });
  socket.once('unexpected-response', (_request, response) => {
    const { statusCode = 0, headers: responseHeaders } = response;
    readText(response).then((text) => outcome.resolve({ statusCode, headers: responseHeaders, text }), outcome.reject);
  });
  let result: WebSocket | RefusedUpgrade | undefined;
  try {
    result = await outcome.promise;
    return result;
  } finally {
    if (result !== socket) socket.terminate();
  }
}

/** Returns the body, or '' if it cannot be read, because the status is clear enough. */
async function readText(response: IncomingMessage): Promise<string> {
  try {
    const { chunks } = await collectChunks(response, MAX_REFUSAL_BYTES);
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return '';
  }
}
