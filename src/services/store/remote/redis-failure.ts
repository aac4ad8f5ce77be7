import { StoreError } from '../store-error.ts';
import { unreachable } from './line.ts';

/** An error reply begins with a word in capitals that says what is wrong: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors */
const CODE = /^[A-Z]+\b/;

/** What the server of a Redis, or the way to it, threw. */
export function redisFailure(error: unknown, name: string): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  switch (CODE.exec(reason)?.[0]) {
    case 'WRONGPASS':
    case 'NOAUTH':
    case 'NOPERM':
      return new StoreError(
        'denied',
        `The store ${name} does not let Atelier in. Check the user and the password in STORE_URL, and what they may do.`,
        error,
      );
    case 'OOM':
      return new StoreError(
        'full',
        `There is no room left for the store ${name}. Give its server more memory (maxmemory); nothing that was stored before is lost.`,
        error,
      );
    case 'WRONGTYPE':
    case 'ERR':
    case 'MISCONF':
      return new StoreError('failed', `The store ${name} does not work: ${reason}.`, error);
    default:
      // Sockets that break, a server that is loading or has become a replica: all of that passes.
      return unreachable(name, reason, error);
  }
}
