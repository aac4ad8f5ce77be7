import { isIP, type LookupFunction } from 'node:net';
import { MediaError } from '../errors.ts';
import { isPublicAddress } from './public-address.ts';

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Everything that DNS says about a name. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

/** A host that is an address already is never looked up, so it is looked at before. `URL` has undone every other spelling. */
export function refuseSpecialHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
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
