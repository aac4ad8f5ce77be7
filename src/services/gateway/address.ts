import { GatewayError } from './errors.ts';

/** Where the gateway is; with credentials in it an address would end up in logs. */
export function baseOf(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '') return url;
  throw new GatewayError('The gateway needs an address such as https://gateway.example.', { kind: 'invalid' });
}

export function queryText(query: Readonly<Record<string, string | undefined>> | undefined): string {
  if (!query) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, value);
  return search.size > 0 ? `?${search}` : '';
}
