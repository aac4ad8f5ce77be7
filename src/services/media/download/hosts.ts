import { Agent, type Dispatcher } from 'undici';
import { guardedLookup, type Resolve, refuseSpecialHost } from '../addresses/guard.ts';
import type { MediaLimits } from '../limits.ts';
import type { MediaSettings } from '../settings.ts';

/**
 * Everybody a file may be fetched from: the gateway, which is trusted wherever it stands, and strangers, who must be on the
 * public internet. Each has connections of its own, so that none made for the one is ever used for the other.
 */
export class Hosts {
  readonly #settings: MediaSettings;
  readonly #gatewayOrigin: string;
  readonly #gateway: Agent;
  readonly #strangers: Agent;

  constructor(settings: MediaSettings, limits: MediaLimits, resolve: Resolve) {
    this.#settings = settings;
    this.#gatewayOrigin = new URL(settings.gatewayOrigin).origin;
    const timeout = limits.connectMs;
    const options: Agent.Options = {
      connections: limits.connections,
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.pieceMs,
      // Files come one by one; a second protocol would only be a second set of faults.
      allowH2: false,
    };
    this.#gateway = new Agent({ ...options, connect: { timeout } });
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
    const isGateway = this.isGateway(url);
    if (!isGateway && !this.#settings.allowPrivate) refuseSpecialHost(url);
    return await (isGateway ? this.#gateway : this.#strangers).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: {
        accept: 'image/*, video/*, audio/*, application/octet-stream',
        // Nothing is decompressed here, so nothing may come compressed.
        'accept-encoding': 'identity',
        'user-agent': 'atelier',
        ...(isGateway && withKey ? { authorization: `Bearer ${this.#settings.apiKey}` } : {}),
      },
      signal,
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#gateway.destroy(), this.#strangers.destroy()]);
  }
}
