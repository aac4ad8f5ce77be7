import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from '../services/media/addresses/public-address.ts';

interface Whereabouts {
  gatewayOrigin: string;
  /** The operator says that private networks may be asked. */
  allowPrivate: boolean;
  /** What DNS says about a name. */
  resolve?: (name: string) => Promise<readonly { address: string }[]>;
}

/** Whether the gateway can fetch what is at an address. */
export type Reach = (address: string) => Promise<boolean>;

const byDns = (name: string) => lookup(name, { all: true });

/**
 * A public address can be reached by any gateway. One in a private network only by a gateway that stands in such a network itself,
 * which is taken to be the same where the operator has allowed private addresses at all.
 */
export function gatewayReach({ gatewayOrigin, allowPrivate, resolve = byDns }: Whereabouts): Reach {
  return async (address) => {
    if (await isPublic(address, resolve)) return true;
    return allowPrivate && !(await isPublic(gatewayOrigin, resolve));
  };
}

async function isPublic(address: string, resolve: NonNullable<Whereabouts['resolve']>): Promise<boolean> {
  const host = URL.parse(address)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (isIP(host) !== 0) return isPublicAddress(host);
  const found = await resolve(host).then(
    (addresses) => addresses,
    // A name that leads nowhere leads nobody into a private network; that it cannot be fetched shows when it is looked at.
    () => undefined,
  );
  return found === undefined || (found.length > 0 && found.every((one) => isPublicAddress(one.address)));
}
