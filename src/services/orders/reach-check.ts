import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostOf, isPublicAddress } from '../media/hosts.ts';

interface ReachOptions {
  gatewayOrigin: string;
  /** The file origins of an embedded Discord. */
  extraOrigins: readonly string[];
  allowPrivate: boolean;
  resolve?: (name: string) => Promise<readonly { address: string }[]>;
}

export type ReachCheck = (url: string) => Promise<boolean>;

const lookUpAll = (name: string) => lookup(name, { all: true });

/**
 * Any gateway can reach a public URL. In a private network, only the gateway's own files and those of an embedded
 * Discord are allowed, and only if the operator permits it and the gateway itself is in that network. Otherwise members
 * could probe the network through the gateway.
 */
export function createReachCheck({
  gatewayOrigin,
  extraOrigins,
  allowPrivate,
  resolve = lookUpAll,
}: ReachOptions): ReachCheck {
  const allowedOrigins = new Set([gatewayOrigin, ...extraOrigins].map((origin) => new URL(origin).origin));
  return async (url) => {
    if (await isPublic(url, resolve)) return true;
    const origin = URL.parse(url)?.origin;
    return (
      allowPrivate && origin !== undefined && allowedOrigins.has(origin) && !(await isPublic(gatewayOrigin, resolve))
    );
  };
}

async function isPublic(address: string, resolve: NonNullable<ReachOptions['resolve']>): Promise<boolean> {
  const url = URL.parse(address);
  const host = url ? hostOf(url) : '';
  if (isIP(host) !== 0) return isPublicAddress(host);
  // An unknown host name cannot lead into a private network. Checking the file will show that it cannot be fetched.
  const addresses = await resolve(host).catch(() => undefined);
  return addresses === undefined || (addresses.length > 0 && addresses.every((one) => isPublicAddress(one.address)));
}
