import { Agent } from 'undici';
import { guardedLookup, type Resolve, refuseSpecialHost } from '../addresses.ts';
import type { MediaLimits, MediaSettings } from '../settings.ts';

/** Where an address comes from: a result of the gateway, or a member. */
export type Trust = 'results' | 'given';

/**
 * The hosts that files may be fetched from: the gateway and a few other origins, trusted wherever they are, and untrusted hosts,
 * which must be on the public internet. Each group has its own connections. Files from members are fetched without the key, and
 * from the public internet alone, whatever is allowed for results.
 */
export class Hosts {
  readonly #apiKey: string | undefined;
  readonly #isGuarded: boolean;
  readonly #gatewayOrigin: string;
  readonly #trustedOrigins: ReadonlySet<string>;
  readonly #trusted: Agent;
  readonly #strangers: Agent;

  constructor(settings: MediaSettings, limits: MediaLimits, resolve: Resolve, trust: Trust) {
    const { gatewayOrigin, alsoAllowed = [], apiKey, allowPrivate } = settings;
    this.#apiKey = trust === 'results' ? apiKey : undefined;
    this.#isGuarded = trust === 'given' || !allowPrivate;
    this.#gatewayOrigin = new URL(gatewayOrigin).origin;
    this.#trustedOrigins = new Set([gatewayOrigin, ...alsoAllowed].map((origin) => new URL(origin).origin));
    const timeout = limits.connectMs;
    const options: Agent.Options = {
      connections: limits.connections,
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.pieceMs,
      // Files come one by one; HTTP/2 would only add a second set of faults.
      allowH2: false,
    };
    this.#trusted = new Agent({ ...options, connect: { timeout } });
    const lookup = guardedLookup(resolve);
    this.#strangers = new Agent({ ...options, connect: this.#isGuarded ? { timeout, lookup } : { timeout } });
  }

  isGateway(url: URL): boolean {
    return url.origin === this.#gatewayOrigin;
  }

  /** One request, no redirect followed. The key goes to the gateway's own origin only, and only where the caller says so. */
  async ask(url: URL, { withKey, signal }: { withKey: boolean; signal: AbortSignal }) {
    const apiKey = this.#apiKey;
    const isTrusted = this.#trustedOrigins.has(url.origin);
    if (!isTrusted && this.#isGuarded) refuseSpecialHost(url);
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
