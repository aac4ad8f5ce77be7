import { BlockList, isIP, type LookupFunction } from 'node:net';
import { MediaError } from './errors.ts';

/** What is not on the public internet (IANA's special-purpose registries, multicast), and Azure's metadata address. */
const special4 = listOf('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
]);

/** All that is given out for the public internet: mapped, translated (NAT64), unique local and link-local ones lie outside. */
const public6 = listOf('ipv6', ['2000::/3']);
/** Special ones within: Teredo and its neighbours, documentation, 6to4, AS112. */
const special6 = listOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/** Whether anybody on the internet may be asked at this address. What is no address is none of the public. */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this very machine.
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

/** The host of an address as it is looked up: `URL` has undone every other spelling, and an IPv6 address loses its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export type Resolve = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** A host that is an address already is never looked up, so it is looked at before. */
export function refuseSpecialHost(url: URL): void {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw forbidden(url.hostname);
}

/**
 * The look-up for connections to strangers. What it gives is what is connected to, so nothing can change between the
 * look and the connection; and one special address among many is enough to refuse the name.
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
