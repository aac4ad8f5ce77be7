import type { Dispatcher } from 'undici';
import type { Clock } from '../../../lib/clock.ts';
import { connectionErrorCode } from '../../../lib/never-connected.ts';
import { fileTooLargeError, MediaError, type MediaErrorKind } from '../errors.ts';
import type { MediaLimits } from '../files/settings.ts';
import type { Hosts } from '../hosts.ts';
import { type FileStorage, type HeldFile, receiveFile } from './receive-file.ts';

/** How many bytes of a redirect's or an error's body are read before the connection is closed. */
const MAX_DISCARDED_BYTES = 64 * 1024;

interface DownloadOptions {
  readonly hosts: Hosts;
  readonly storage: FileStorage;
  readonly limits: MediaLimits;
  readonly clock: Clock;
  readonly max: number;
  /** Whether the address, although given by a member, is the one of a stored result. */
  isStoredResult(): Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Fetches a file; capacity is claimed as its bytes arrive. */
export async function download(address: string, options: DownloadOptions): Promise<HeldFile> {
  const { hosts, limits, signal } = options;
  let url = parseWebUrl(address);
  // The gateway gets no more trust and no API key after the first foreign host, not even if that host redirects back to the gateway.
  let sendsKey = true;
  let isStoredResult = hosts.isGateway(url) && (await options.isStoredResult());
  for (let redirects = 0; ; redirects++) {
    sendsKey &&= hosts.isGateway(url);
    try {
      isStoredResult &&= sendsKey;
      const response = await hosts.request(url, { sendsKey, isStoredResult, signal });
      const target = await redirectTarget(response, url);
      if (target === undefined) return await receiveBody(response, options);
      if (redirects >= limits.redirects) {
        throw new MediaError('unreachable', `The file host ${url.host} redirects too often.`, { code: 'redirects' });
      }
      url = parseWebUrl(target, url);
    } catch (error) {
      throw hostError(error, url.host);
    }
  }
}

/** Returns the target of a redirect; undefined if the response is the file itself. */
async function redirectTarget(response: Dispatcher.ResponseData, url: URL): Promise<string | undefined> {
  const { statusCode: status, headers, body } = response;
  if (status >= 200 && status < 300) return undefined;
  await body.dump({ limit: MAX_DISCARDED_BYTES });
  const { location } = headers;
  if (status >= 300 && status < 400 && typeof location === 'string') return location;
  if (status === 403 || status === 404 || status === 410) {
    throw new MediaError('expired', `The file is no longer at ${url.host}.`, { status });
  }
  const message = `The file host ${url.host} responded with HTTP ${status} instead of the file.`;
  throw new MediaError('unreachable', message, { status });
}

async function receiveBody({ body, headers }: Dispatcher.ResponseData, options: DownloadOptions): Promise<HeldFile> {
  // Errors are reported when the body is read. Without a listener, a host that aborts in the meantime would end the process.
  body.on('error', () => undefined);
  const { storage, clock, limits, max, signal } = options;
  const length = headers['content-length'];
  const announcedBytes = length === undefined ? undefined : Number(length);
  try {
    if (announcedBytes !== undefined && announcedBytes > max) throw fileTooLargeError(max);
    return await receiveFile(enforcePace(body, clock, limits), storage, { max, announcedBytes, signal });
  } catch (error) {
    body.destroy();
    throw error;
  }
}

function parseWebUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new MediaError('forbidden-address', 'The URL of the file must start with https:// or http://.');
}

/** Passes on the chunks of a file. The body of a host that sends too slowly is destroyed, because it would hold capacity that other files need. */
async function* enforcePace(
  body: Dispatcher.ResponseData['body'],
  clock: Clock,
  { paceMs, minBytesPerSecond }: MediaLimits,
) {
  let receivedBytes = 0;
  // How long the host has waited for us since the last check, and since when it has been waiting now.
  let heldUpMs = 0;
  let heldUpSince: number | undefined;
  const countHeldUp = (): void => {
    const now = clock.now();
    heldUpMs += now - (heldUpSince ?? now);
    heldUpSince = undefined;
  };
  const check = (): void => {
    const isHeldUp = heldUpSince !== undefined;
    countHeldUp();
    const sendingMs = paceMs - heldUpMs;
    // If the host had less than half of the time to send, the measured rate says nothing about it.
    if (sendingMs > paceMs / 2 && receivedBytes < (minBytesPerSecond * sendingMs) / 1_000) {
      body.destroy(new MediaError('timeout', 'The file is arriving too slowly.', { code: 'too-slow' }));
      return;
    }
    receivedBytes = 0;
    heldUpMs = 0;
    if (isHeldUp) heldUpSince = clock.now();
    cancel = clock.after(paceMs, check);
  };
  let cancel = clock.after(paceMs, check);
  try {
    const chunks: AsyncIterable<Uint8Array> = body;
    for await (const chunk of chunks) {
      receivedBytes += chunk.byteLength;
      // Time during which a chunk waits for capacity does not count against the host.
      heldUpSince = clock.now();
      yield chunk;
      countHeldUp();
    }
  } finally {
    cancel();
  }
}

const FAILURE_BY_CODE = new Map<string, readonly [MediaErrorKind, string]>([
  ['ECONNREFUSED', ['unreachable', 'refused the connection']],
  ['ENOTFOUND', ['unreachable', 'was not found: its name does not exist']],
  ['EAI_AGAIN', ['unreachable', 'was not found: its name could not be looked up']],
  ['ECONNRESET', ['unreachable', 'dropped the connection']],
  ['UND_ERR_SOCKET', ['unreachable', 'dropped the connection']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['unreachable', 'dropped the connection']],
  ['ETIMEDOUT', ['timeout', 'could not be reached in time']],
  ['UND_ERR_CONNECT_TIMEOUT', ['timeout', 'could not be reached in time']],
  ['UND_ERR_HEADERS_TIMEOUT', ['timeout', 'did not respond in time']],
  ['UND_ERR_BODY_TIMEOUT', ['timeout', 'stopped in the middle of the file']],
]);

function hostError(cause: unknown, host: string): MediaError {
  if (cause instanceof MediaError) return cause;
  const code = connectionErrorCode(cause);
  const [kind, description] = FAILURE_BY_CODE.get(code) ?? ['unreachable', 'could not be used'];
  return new MediaError(kind, `The file host ${host} ${description}.`, { code, cause });
}
