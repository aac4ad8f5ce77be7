import { domainToASCII } from 'node:url';

interface Link {
  host: string;
  /** Without a scheme, a name such as `v1.final` may not be a link at all. */
  hasScheme: boolean;
}

const SEPARATOR = /[\s<>()[\]{}"'`,;|*]/;
const SCHEME = /(?=https?:\/\/)/i;
const DOT = /[.\u3002\uff0e\uff61]/;
const LABEL = /^[\p{L}\p{N}_-]{1,63}$/u;
const LETTER = /\p{L}/u;
/** Its brackets separate links too. */
const IPV6_LINK = /https?:\/\/(?:[^\s@/[\]]{1,200}@)?(\[[\da-f:.]{2,50}\])/gi;

/** Finds the links in a text, including those without a scheme, as members often write them. */
export const linksIn = (text: string): Link[] => [
  ...text
    .split(SEPARATOR)
    .flatMap((chunk) => chunk.split(SCHEME))
    .flatMap((chunk) => linkIn(chunk) ?? []),
  ...[...text.matchAll(IPV6_LINK)].map(([, host = '']) => ({ host, hasScheme: true })),
];

function linkIn(chunk: string): Link | undefined {
  const scheme = /^https?:\/\//i.exec(chunk)?.[0] ?? '';
  const [authority = ''] = chunk.slice(scheme.length).split(/[/?#\\]/, 1);
  const [name = ''] = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1);
  const labels = name.split(DOT);
  if (labels.at(-1) === '') labels.pop();
  const lastLabel = labels.at(-1) ?? '';
  if (
    labels.length < 2 ||
    lastLabel.length < 2 ||
    !LETTER.test(lastLabel) ||
    !labels.every((label) => LABEL.test(label))
  )
    // After a scheme, a number or a single word is a host too.
    return scheme === '' || name === '' ? undefined : { host: name.toLowerCase(), hasScheme: true };
  const host = plainHost(labels.join('.'));
  return host === '' ? undefined : { host, hasScheme: scheme !== '' };
}

/** In lower case, in ASCII, and without a trailing dot; empty if it is not a host name. */
export const plainHost = (host: string): string => domainToASCII(host.replace(/[.\u3002\uff0e\uff61]$/, ''));

/** Whether a host belongs to one of the domains, which include all of their subdomains. */
export const isInDomains = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/** The hosts of files that members upload; the last one is that of the embedded Discord, and no site. */
export const DISCORD_HOSTS = ['cdn.discordapp.com', 'media.discordapp.net', '127.0.0.1'];
