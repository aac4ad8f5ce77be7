import { Agent, type Dispatcher } from 'undici';
import { guardedLookup, type Resolve, refuseSpecialHost } from '../addresses/guard.ts';
import type { MediaLimits } from '../limits.ts';
import type { MediaSettings } from '../settings.ts';

/** Without a key, nobody is shown one. */
interface HostsSettings extends Omit<MediaSettings, 'apiKey'> {
  readonly apiKey?: string;
}

/**
 * Everybody a file may be fetched from: the gateway and a few others, who are trusted wherever they stand, and strangers, who
 * must be on the public internet. Each side has connections of its own, so that none made for the one is ever used for the other.
 */
export class Hosts {
  readonly #settings: HostsSettings;
  readonly #gatewayOrigin: string;
  readonly #trustedOrigins: ReadonlySet<string>;
  readonly #trusted: Agent;
  readonly #strangers: Agent;

  constructor(settings: HostsSettings, limits: MediaLimits, resolve: Resolve) {
    this.#settings = settings;
    const { gatewayOrigin, alsoAllowed = [] } = settings;
    this.#gatewayOrigin = new URL(gatewayOrigin).origin;
    this.#trustedOrigins = new Set([gatewayOrigin, ...alsoAllowed].map((origin) => new URL(origin).origin));
    const timeout = limits.connectMs;
    const options: Agent.Options = {
      connections: limits.connections,
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.pieceMs,
      // Files come one by one; a second protocol would only be a second set of faults.
      allowH2: false,
    };
    this.#trusted = new Agent({ ...options, connect: { timeout } });
    const lookup = guardedLookup(resolve);
    this.#strangers = new Agent({
      ...options,
      connect: settings.allowPrivate ? { timeout } : { timeout, lookup },
    });
  }

  isGateway(url: URL): boolean {
    return url.origin === this.#gatewayOrigin;
  }

  /** One question without following anything. The key is for the gateway's own origin, and only where the caller says so. */
  async ask(
    url: URL,
    { withKey, signal }: { withKey: boolean; signal: AbortSignal },
  ): Promise<Dispatcher.ResponseData> {
    const { apiKey, allowPrivate } = this.#settings;
    const isTrusted = this.#trustedOrigins.has(url.origin);
    if (!isTrusted && !allowPrivate) refuseSpecialHost(url);
    return await (isTrusted ? this.#trusted : this.#strangers).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: {
        accept: 'image/*, video/*, audio/*, application/octet-stream',
        // Nothing is decompressed here, so nothing may come compressed.
        'accept-encoding': 'identity',
        'user-agent': 'atelier',
        ...(withKey && apiKey !== undefined && this.isGateway(url) ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      signal,
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#trusted.destroy(), this.#strangers.destroy()]);
  }
}
