import { domainToASCII } from 'node:url';

/** Also without a scheme, as members write them. */
const LINK =
  /(https?:\/\/)?(?:[^\s/@:<>()[\]"'`]{1,200}@)?((?:[\p{L}\p{N}_-]{1,63}[.\u3002\uff0e\uff61]){1,10}[\p{L}\p{N}-]{2,63})/giu;

interface Link {
  host: string;
  /** A name such as `v1.final` may be no link at all. */
  hasScheme: boolean;
}

export const linksIn = (text: string): Link[] =>
  [...text.matchAll(LINK)].flatMap(([, scheme, host = '']) => {
    const plain = plainHost(host);
    return plain === '' ? [] : [{ host: plain, hasScheme: scheme !== undefined }];
  });

/** In small letters, in ASCII, and without the dot that may end it; empty where it is no host. */
export const plainHost = (host: string): string => domainToASCII(host.replace(/[.\u3002\uff0e\uff61]$/, ''));

/** A domain includes everything below it. */
export const isBelow = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));

/** Files that members upload. */
export const DISCORD_HOSTS = ['cdn.discordapp.com', 'media.discordapp.net'];
