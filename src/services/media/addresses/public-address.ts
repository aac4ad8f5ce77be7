import { BlockList, isIP } from 'node:net';

/**
 * Addresses that no file host of the public internet has: IANA's registries of special-purpose addresses, multicast, and
 * the one public address behind which a cloud (Azure) keeps the secrets of its machines.
 */
const SPECIAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
] as const;

/** All that is given out for the public internet: mapped, translated (NAT64), unique local and link-local ones lie outside. */
const PUBLIC_6 = ['2000::/3'] as const;
/** Special ones within: Teredo and its neighbours, documentation, 6to4, AS112. */
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const;

const special4 = listOf(SPECIAL_4, 'ipv4');
const public6 = listOf(PUBLIC_6, 'ipv6');
const special6 = listOf(SPECIAL_6, 'ipv6');

/** Whether anybody on the internet may be asked at this address. What is no address is none of the public. */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this very machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  return family === 6 && public6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start = '', bits] = range.split('/');
    list.addSubnet(start, Number(bits), family);
  }
  return list;
}
