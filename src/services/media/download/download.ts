import type { Dispatcher } from 'undici';
import type { Clock } from '../../../lib/clock.ts';
import { MediaError, tooLarge } from '../errors.ts';
import type { MediaLimits } from '../limits.ts';
import { failed, refused } from './failures.ts';
import type { Hosts } from './hosts.ts';
import { Pace } from './pace.ts';
import { type Held, type Places, Receiver } from './receiver.ts';

/** What a host may still say after a redirect or a refusal before its connection is cut. */
const MOST_WASTE = 64 * 1024;

export interface DownloadOptions {
  readonly most: number;
  readonly signal: AbortSignal;
}

interface DownloadsParts {
  readonly hosts: Hosts;
  readonly places: Places;
  readonly limits: MediaLimits;
  readonly clock: Clock;
}

/** Fetches what is behind an address, into room that is claimed as its bytes arrive. */
export class Downloads {
  readonly #parts: DownloadsParts;

  constructor(parts: DownloadsParts) {
    this.#parts = parts;
  }

  async get(address: string, options: DownloadOptions): Promise<Held> {
    const { hosts, limits } = this.#parts;
    let url = webAddress(address);
    // The first foreign host ends it: who sends us back to the gateway must not make us show the key.
    let withKey = true;
    for (let redirects = 0; ; redirects++) {
      withKey &&= hosts.isGateway(url);
      try {
        const response = await hosts.ask(url, { withKey, signal: options.signal });
        const target = await this.#targetOf(response, url);
        if (target === undefined) return await this.#read(response, options);
        if (redirects >= limits.redirects) {
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
    const { places, clock, limits } = this.#parts;
    const length = headers['content-length'];
    const announced = length === undefined ? undefined : Number(length);
    const receiver = new Receiver(places, { most, announced });
    const pace = new Pace(clock, limits, () => body.destroy(tooSlow()));
    try {
      if (announced !== undefined && announced > most) throw tooLarge(most);
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        pace.heard(piece.byteLength);
        await pace.heldUp(receiver.take(piece, signal));
      }
      return await receiver.finish();
    } catch (error) {
      body.destroy();
      receiver.discard();
      throw error;
    } finally {
      pace.end();
    }
  }
}

function tooSlow(): MediaError {
  return new MediaError('timeout', 'The file arrives too slowly.', { code: 'too-slow' });
}

function webAddress(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new MediaError('forbidden-address', 'The address of the file is not one of the web.');
}
