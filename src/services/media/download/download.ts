import type { Dispatcher } from 'undici';
import { MediaError, tooLarge } from '../errors.ts';
import type { MediaLimits } from '../limits.ts';
import { failed, refused } from './failures.ts';
import type { Hosts } from './hosts.ts';
import type { Claim, Room } from './room.ts';

/** How much a file of unknown size is given at first; then as much again as it has. */
const FIRST_STEP = 1024 * 1024;
/** What a host may still say after a redirect or a refusal before its connection is cut. */
const MOST_WASTE = 64 * 1024;

export interface Held {
  readonly bytes: Buffer;
  readonly claim: Claim;
}

export interface DownloadOptions {
  readonly most: number;
  readonly signal: AbortSignal;
}

/** Fetches what is behind an address, in memory that was asked for before. */
export class Downloads {
  readonly #hosts: Hosts;
  readonly #room: Room;
  readonly #limits: MediaLimits;

  constructor(hosts: Hosts, room: Room, limits: MediaLimits) {
    this.#hosts = hosts;
    this.#room = room;
    this.#limits = limits;
  }

  async get(address: string, options: DownloadOptions): Promise<Held> {
    let url = webAddress(address);
    // The first foreign host ends it: who sends us back to the gateway must not make us show the key.
    let withKey = true;
    for (let redirects = 0; ; redirects++) {
      withKey &&= this.#hosts.isGateway(url);
      try {
        const response = await this.#hosts.ask(url, { withKey, signal: options.signal });
        const target = await this.#targetOf(response, url);
        if (target === undefined) return await this.#read(response, options);
        if (redirects >= this.#limits.redirects) {
          throw new MediaError('unreachable', `The file host ${url.host} redirects too often.`, { code: 'redirects' });
        }
        url = webAddress(target, url);
      } catch (error) {
        throw failed(error, url.host);
      }
    }
  }

  /** Where a redirect leads; undefined for the file itself. */
  async #targetOf(response: Dispatcher.ResponseData, url: URL): Promise<string | undefined> {
    const { statusCode: status, headers, body } = response;
    if (status >= 200 && status < 300) return undefined;
    await body.dump({ limit: MOST_WASTE });
    const { location } = headers;
    if (status >= 300 && status < 400 && typeof location === 'string') return location;
    throw refused(status, url.host);
  }

  async #read({ body, headers }: Dispatcher.ResponseData, { most, signal }: DownloadOptions): Promise<Held> {
    // What ends a body is met when it is read; unheard, a host that gives up while we wait would end the process.
    body.on('error', () => undefined);
    const length = headers['content-length'];
    const announced = length === undefined ? undefined : Number(length);
    const claim = this.#room.claim({ grows: announced === undefined });
    try {
      if (announced !== undefined && announced > most) throw tooLarge(most);
      let bytes = await this.#enlarged(Buffer.alloc(0), announced ?? Math.min(FIRST_STEP, most), claim, signal);
      let filled = 0;
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        const needed = filled + piece.byteLength;
        if (needed > most) throw tooLarge(most);
        if (needed > bytes.length) {
          bytes = await this.#enlarged(bytes, Math.min(most, Math.max(needed, bytes.length * 2)), claim, signal);
        }
        bytes.set(piece, filled);
        filled = needed;
      }
      claim.settle(filled);
      return { bytes: bytes.subarray(0, filled), claim };
    } catch (error) {
      body.destroy();
      claim.release();
      throw error;
    }
  }

  /** Memory is asked for before it is used; what a system has not written to yet costs it nothing. */
  async #enlarged(bytes: Buffer, length: number, claim: Claim, signal: AbortSignal): Promise<Buffer> {
    await claim.take(length - bytes.length, signal);
    const larger = Buffer.allocUnsafeSlow(length);
    bytes.copy(larger);
    return larger;
  }
}

function webAddress(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new MediaError('forbidden-address', 'The address of the file is not one of the web.');
}
