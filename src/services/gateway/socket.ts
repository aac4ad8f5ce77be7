import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { errors } from 'undici';
import { WebSocket } from 'ws';
import type { Clock } from '../../lib/clock.ts';
import { readChunks } from './event-stream.ts';

/** An event of a live conversation has at most 15 MiB. */
const MAX_BYTES_A_MESSAGE = 16 * 2 ** 20;
const MAX_BYTES_OF_REFUSAL = 64 * 2 ** 10;

interface RefusedUpgrade {
  statusCode: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Opens a socket within a time limit, paused so that no event is lost before someone listens. Follows no redirect. */
export async function openSocket(
  url: URL,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
  limitMs: number,
  signal?: AbortSignal,
): Promise<WebSocket | RefusedUpgrade> {
  const socket = new WebSocket(url, {
    headers,
    followRedirects: false,
    // Audio in base64 hardly compresses, and every socket would pay for the attempt.
    perMessageDeflate: false,
    maxPayload: MAX_BYTES_A_MESSAGE,
  });
  const outcome = Promise.withResolvers<WebSocket | RefusedUpgrade>();
  const onAbort = (): void => outcome.reject(signal?.reason);
  // Its code selects the message of the gateway's error.
  const cancel = clock.after(limitMs, () => outcome.reject(new errors.HeadersTimeoutError()));
  signal?.addEventListener('abort', onAbort);
  // Never removed: an abandoned socket emits another error, which would end the process without a listener.
  socket.on('error', outcome.reject);
  socket.once('open', () => {
    socket.pause();
    outcome.resolve(socket);
  });
  socket.once('unexpected-response', (_request, response) => {
    const { statusCode = 0, headers: responseHeaders } = response;
    readText(response).then((text) => outcome.resolve({ statusCode, headers: responseHeaders, text }), outcome.reject);
  });
  let answer: WebSocket | RefusedUpgrade | undefined;
  try {
    answer = await outcome.promise;
    return answer;
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
    if (answer !== socket) socket.terminate();
  }
}

/** Without the body, the status is clear enough. */
async function readText(response: IncomingMessage): Promise<string> {
  try {
    const { chunks } = await readChunks(response, MAX_BYTES_OF_REFUSAL);
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return '';
  }
}
