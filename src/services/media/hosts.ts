import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { MediaError } from './errors.ts';
import type { MediaLimits, MediaSettings, ResolveHost } from './files/settings.ts';

/** Where a URL comes from: a result from the gateway, or a member. */
export type UrlSource = 'results' | 'given';

interface RequestOptions {
  sendsKey: boolean;
  /** Whether the gateway is trusted at any address, although a member gave the URL. */
  isStoredResult: boolean;
  signal: AbortSignal;
}

/**
 * The hosts from which files may be fetched: the gateway and a few other origins, which are trusted at any IP address, and
 * untrusted hosts, which must be on the public internet. Each group has its own connections. Files from members are fetched
 * without the API key and only from the public internet, even if private addresses are allowed for results. For their URLs the
 * gateway is a host like any other, unless they name a stored result.
 */
export class Hosts {
  readonly #apiKey: string | undefined;
  readonly #isGuarded: boolean;
  readonly #gatewayOrigin: string;
  readonly #trustedOrigins: ReadonlySet<string>;
  readonly #trusted: Agent;
  readonly #untrusted: Agent;

  constructor(settings: MediaSettings, limits: MediaLimits, resolve: ResolveHost, source: UrlSource) {
    const { gatewayOrigin, extraOrigins = [], apiKey, allowPrivate } = settings;
    this.#apiKey = source === 'results' ? apiKey : undefined;
    this.#isGuarded = source === 'given' || !allowPrivate;
    this.#gatewayOrigin = new URL(gatewayOrigin).origin;
    const trustedOrigins = source === 'results' ? [gatewayOrigin, ...extraOrigins] : extraOrigins;
    this.#trustedOrigins = new Set(trustedOrigins.map((origin) => new URL(origin).origin));
    const timeout = limits.connectMs;
    const options: Agent.Options = {
      connections: limits.connections,
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.chunkMs,
      // Files are fetched one by one, so HTTP/2 would only add another way to fail.
      allowH2: false,
    };
    this.#trusted = new Agent({ ...options, connect: { timeout } });
    const lookup = createGuardedLookup(resolve);
    this.#untrusted = new Agent({ ...options, connect: this.#isGuarded ? { timeout, lookup } : { timeout } });
  }

  isGateway(url: URL): boolean {
    return url.origin === this.#gatewayOrigin;
  }

  /** Sends one request without following redirects. The API key is only sent to the gateway's own origin, and only if the caller says so. */
  async request(url: URL, { sendsKey, isStoredResult, signal }: RequestOptions) {
    const apiKey = this.#apiKey;
    const isTrusted = this.#trustedOrigins.has(url.origin) || (isStoredResult && this.isGateway(url));
    // A host that is an IP address is never looked up, so `createGuardedLookup` does not see it.
    const isSpecial = isIP(hostOf(url)) !== 0 && !isPublicAddress(hostOf(url));
    if (!isTrusted && this.#isGuarded && isSpecial) throw forbiddenHostError(url.hostname);
    return await (isTrusted ? this.#trusted : this.#untrusted).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: {
        accept: 'image/*, video/*, audio/*, application/octet-stream',
        // Nothing is decompressed here, so compressed responses are refused.
        'accept-encoding': 'identity',
        'user-agent': 'atelier',
        ...(sendsKey && apiKey !== undefined && this.isGateway(url) ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      signal,
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#trusted.destroy(), this.#untrusted.destroy()]);
  }
}

/** Addresses outside the public internet (IANA's special-purpose registries, multicast), and Azure's metadata address. */
const specialIpv4 = createBlockList('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
]);

/** Everything that is assigned to the public internet. Mapped, NAT64, unique local and link-local addresses are outside of it. */
const publicIpv6 = createBlockList('ipv6', ['2000::/3']);
/** Special ranges within the public one: Teredo and its neighbours, documentation, 6to4, AS112. */
const specialIpv6 = createBlockList('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

/** Anything that is not an IP address counts as not public. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone id belongs to an interface of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, 'ipv4');
  return family === 6 && publicIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function createBlockList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', bits] = range.split('/');
    list.addSubnet(start, Number(bits), family);
  }
  return list;
}

/** The host as it is looked up. `URL` has already normalised other spellings; an IPv6 address loses its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** A lookup for untrusted hosts, whose connections use exactly the checked addresses. A host with any special address is refused. */
export function createGuardedLookup(resolve: ResolveHost): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
          callback(forbiddenHostError(name), '', 0);
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

const forbiddenHostError = (host: string): MediaError =>
  new MediaError('forbidden-address', `The file host ${host} is not on the public internet.`);
