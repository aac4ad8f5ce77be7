import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostOf, isPublicAddress } from '../media/addresses.ts';

interface Whereabouts {
  gatewayOrigin: string;
  /** Where an embedded Discord keeps its files. */
  alsoAllowed: readonly string[];
  /** The operator says that private networks may be asked. */
  allowPrivate: boolean;
  /** What DNS says about a name. */
  resolve?: (name: string) => Promise<readonly { address: string }[]>;
}

/** Whether the gateway can fetch what is at an address. */
export type Reach = (address: string) => Promise<boolean>;

const byDns = (name: string) => lookup(name, { all: true });

/**
 * A public address can be reached by any gateway. Of a private network a gateway that stands in one itself is given its own files
 * and those of an embedded Discord, where the operator has allowed private addresses at all; whatever else a member names there
 * would let members ask around in that network, with the gateway's voice.
 */
export function gatewayReach({ gatewayOrigin, alsoAllowed, allowPrivate, resolve = byDns }: Whereabouts): Reach {
  const known = new Set([gatewayOrigin, ...alsoAllowed].map((origin) => new URL(origin).origin));
  return async (address) => {
    if (await isPublic(address, resolve)) return true;
    const origin = URL.parse(address)?.origin;
    return allowPrivate && origin !== undefined && known.has(origin) && !(await isPublic(gatewayOrigin, resolve));
  };
}

async function isPublic(address: string, resolve: NonNullable<Whereabouts['resolve']>): Promise<boolean> {
  const url = URL.parse(address);
  const host = url ? hostOf(url) : '';
  if (isIP(host) !== 0) return isPublicAddress(host);
  // A name that leads nowhere leads nobody into a private network; that it cannot be fetched shows when it is looked at.
  const found = await resolve(host).catch(() => undefined);
  return found === undefined || (found.length > 0 && found.every((one) => isPublicAddress(one.address)));
}

/**
 * Until when Discord's own address of a file leads to it; undefined for any other address. Its host does not matter, for the media
 * proxy and an embedded Discord sign alike (reference, "Signed Attachment CDN URLs").
 */
export function signedUntil(address: string): number | undefined {
  const url = URL.parse(address);
  // What Discord signs: files of messages, and those that only one member sees.
  if (!url || !/^\/(?:ephemeral-)?attachments\//.test(url.pathname)) return undefined;
  const seconds = url.searchParams.get('ex') ?? '';
  return /^[\da-f]{1,12}$/i.test(seconds) ? Number.parseInt(seconds, 16) * 1_000 : undefined;
}
