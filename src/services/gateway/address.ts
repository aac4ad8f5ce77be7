import { BlockList, isIP } from 'node:net';
import { GatewayError } from './errors.ts';

/** Where the gateway is; with credentials in it an address would end up in logs. */
export function baseOf(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '') return url;
  throw new GatewayError('The gateway needs an address such as https://gateway.example.', { kind: 'invalid' });
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether prompts and the key travel to another machine where everybody on the way can read them, in a private network as well. */
export function isReadableOnTheWay({ protocol, hostname }: URL): boolean {
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return false;
  const family = isIP(host);
  return family === 0 || !LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

export function queryText(query: Readonly<Record<string, string | undefined>> | undefined): string {
  if (!query) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, value);
  return search.size > 0 ? `?${search}` : '';
}
