import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { isLocal, publicName, type StoreAddress, StoreError } from '../backend.ts';
import { PostgresFacts } from './postgres-facts.ts';
import { RedisFacts } from './redis-facts.ts';
import { postgresFailure, redisFailure, ServerConnection } from './server-connection.ts';

/** Small facts that the processes of a cluster share. A claim ends by itself unless its holder repeats it. */
export interface SharedFacts {
  /**
   * True if the claim is ours now: it was free, had expired, or was ours already (then it is renewed). `ended`: a holder whose process has certainly
   * ended, whose claim may be taken.
   */
  claim(name: string, holder: string, ms: number, ended?: string): Promise<boolean>;
  /** Gives a claim back; without effect where it is not ours. */
  release(name: string, holder: string): Promise<void>;
  /** The live claims whose names begin so, with their holders. */
  claims(prefix: string): Promise<ReadonlyMap<string, string>>;
  read(name: string): Promise<string | undefined>;
  /** Only while `claim` is held by `holder`; false: it is not, and nothing changed. */
  write(name: string, text: string, held: { claim: string; holder: string }): Promise<boolean>;
  /** Only where `name` still says `before` (undefined: nothing); false: it does not, and nothing changed. */
  replace(name: string, before: string | undefined, after: string): Promise<boolean>;
  /** Keeps an entry in a list for this time; added again, it is kept from then on. */
  add(list: string, entry: string, ms: number): Promise<void>;
  /** The entries that were added after a time by the server's clock, in their order, and the time of this reading. */
  addedSince(list: string, since: number): Promise<{ entries: readonly string[]; at: number }>;
  close(): Promise<void>;
}

interface FactsParts {
  log: Log;
  clock: Clock;
  /** The time limit of each request. */
  limitMs: number;
}

/** Over connections of its own, on the server of a store. All times are by the server's clock. */
export async function openSharedFacts(
  address: StoreAddress,
  { log, clock, limitMs }: FactsParts,
): Promise<SharedFacts> {
  const name = publicName(address);
  if (isLocal(address))
    throw new StoreError(
      'unsupported',
      `The store ${name} is a file, which the processes of a cluster cannot share. Set STORE_URL to a Redis or Postgres server.`,
    );
  const isRedis = address.scheme.startsWith('redis');
  const toStoreError = isRedis ? redisFailure : postgresFailure;
  const connection = new ServerConnection({ name, limitMs, clock, log, toStoreError });
  return (isRedis ? RedisFacts : PostgresFacts).open({ url: address.url, name, limitMs, connection });
}
