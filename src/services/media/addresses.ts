import { BlockList, isIP, type LookupFunction } from 'node:net';
import { MediaError } from './errors.ts';

/** What is not on the public internet (IANA's special-purpose registries, multicast), and Azure's metadata address. */
const special4 = listOf('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
]);

/** Everything assigned to the public internet: mapped, NAT64, unique local and link-local addresses lie outside. */
const public6 = listOf('ipv6', ['2000::/3']);
/** Special ranges within it: Teredo and its neighbours, documentation, 6to4, AS112. */
const special6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/** Anything that is not an IP address counts as not public. */
export function isPublicAddress(address: string): boolean {
  // A zone id names an interface of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  return family === 6 && public6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', bits] = range.split('/');
    list.addSubnet(start, Number(bits), family);
  }
  return list;
}

/** The host as it is looked up: `URL` has normalised other spellings, and an IPv6 address loses its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export type Resolve = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Checks a host that is an IP address: such a host is never looked up, so `guardedLookup` does not see it. */
export function refuseSpecialHost(url: URL): void {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw forbidden(url.hostname);
}

/**
 * The lookup for untrusted hosts. What it returns is what is connected to, so nothing can change after the check; a single
 * special address among many refuses the name.
 */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicAddress(address))) callback(forbidden(name), '', 0);
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function forbidden(host: string): MediaError {
  return new MediaError('forbidden-address', `The file is said to be at ${host}, which is not on the public internet.`);
}
