import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Clock } from '../../lib/clock.ts';
import { chunksOf } from './event-stream.ts';

/** An event of a live conversation has at most 15 MiB. */
const MOST_BYTES_A_MESSAGE = 16 * 2 ** 20;
/** Of a refusal more is never read. */
const MOST_BYTES_OF_REFUSAL = 64 * 2 ** 10;

/** An answer that opened no socket. */
interface RefusedUpgrade {
  statusCode: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface Upgrade {
  url: URL;
  headers: Readonly<Record<string, string>>;
  clock: Clock;
  /** Until it is open, or refused to the last word. */
  patienceMs: number;
  signal?: AbortSignal | undefined;
}

/** The code is what the words of an unreachable gateway are found by. */
class TooLate extends Error {
  readonly code = 'UND_ERR_HEADERS_TIMEOUT';
}

/** Asks for a socket. It comes paused, so that nothing is said before somebody listens; no redirect is followed. */
export async function upgraded({
  url,
  headers,
  clock,
  patienceMs,
  signal,
}: Upgrade): Promise<WebSocket | RefusedUpgrade> {
  const socket = new WebSocket(url, {
    headers,
    followRedirects: false,
    // Sound in base64 hardly becomes smaller, and every socket would pay for the attempt.
    perMessageDeflate: false,
    maxPayload: MOST_BYTES_A_MESSAGE,
  });
  const outcome = Promise.withResolvers<WebSocket | RefusedUpgrade>();
  const takenBack = (): void => outcome.reject(signal?.reason);
  const cancel = clock.after(patienceMs, () => outcome.reject(new TooLate()));
  signal?.addEventListener('abort', takenBack);
  // Stays for good: a socket that is given up says so once more, and without a listener that would end the process.
  socket.on('error', outcome.reject);
  socket.once('open', () => {
    socket.pause();
    outcome.resolve(socket);
  });
  socket.once('unexpected-response', (_request, response) => {
    const { statusCode = 0, headers: told } = response;
    textOf(response).then((text) => outcome.resolve({ statusCode, headers: told, text }), outcome.reject);
  });
  let answer: WebSocket | RefusedUpgrade | undefined;
  try {
    answer = await outcome.promise;
    return answer;
  } finally {
    cancel();
    signal?.removeEventListener('abort', takenBack);
    if (answer !== socket) socket.terminate();
  }
}

/** The status alone is clear enough where the words are cut. */
async function textOf(response: IncomingMessage): Promise<string> {
  try {
    const { chunks } = await chunksOf(response, MOST_BYTES_OF_REFUSAL);
    return Buffer.concat(chunks).toString('utf8');
  } catch {
    return '';
  }
}
