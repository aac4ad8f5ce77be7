import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { type Backend, publicName, type StoreAddress, StoreError } from '../backend.ts';
import { Lease, type LeaseClock, leaseClock, requestLimitMs, type StoreOwnership } from '../lease.ts';
import { refuseNewer, SCHEMA_KEY } from '../marks.ts';
import { Postgres } from './postgres.ts';
import { Redis } from './redis.ts';
import { postgresFailure, redisFailure, type Server, ServerConnection } from './server-connection.ts';

/** How long a store stays reserved for a bot that no longer renews its lease. */
const LEASE_MS = 10_000;

export interface RemoteParts {
  log: Log;
  clock: Clock;
  leaseMs?: number | undefined;
  leaseClock?: LeaseClock | undefined;
}

/** A store that is reserved for this process until it is closed. */
export interface OpenedBackend {
  backend: Backend;
  ownership: StoreOwnership;
  close(): Promise<void>;
}

/** undefined where there is no store and none is to be created. */
export async function openRemote(
  address: StoreAddress,
  { log, clock, leaseMs = LEASE_MS, leaseClock: watch = leaseClock }: RemoteParts,
  { makes }: { makes: boolean },
): Promise<OpenedBackend | undefined> {
  const name = publicName(address);
  let lease: Lease | undefined;
  const takenLease = (): Lease => {
    if (!lease) throw new StoreError('failed', `The store ${name} is not open yet.`);
    return lease;
  };
  const mustBeOurs = (): void => takenLease().mustBeHeld();
  const { backend, connection } = await connect(address, { log, clock, leaseMs }, takenLease);
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    try {
      await lease?.giveBack();
    } catch (error) {
      // It expires without our help.
      log.warn({ store: name, err: error }, 'The lease of the store could not be released.');
    }
    connection.close();
    await backend.close();
  };
  const close = (): Promise<void> => {
    closing ??= end();
    return closing;
  };
  try {
    if (!makes && (await backend.isEmpty())) {
      await close();
      return undefined;
    }
    await backend.prepare?.();
    const onWait = (endsInMs: number): void =>
      log.info(
        { store: name, endsInMs },
        'Another bot may still own the store: waiting until it renews its lease or the lease expires.',
      );
    lease = await Lease.take({ leaseServer: backend.leaseServer, name, ms: leaseMs, clock: watch, onWait });
    log.debug({ store: name, number: lease.number }, 'This process owns the store.');
    const schema = await backend.adapter('meta', 'at-once').get<string>(SCHEMA_KEY);
    refuseNewer(name, typeof schema === 'string' ? schema : undefined);
    await warnAbout(backend, log);
    return { backend, ownership: { mustBeOurs, lost: lease.lost, trouble: () => connection.trouble }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Connects without a lease, and so cannot write: a bot may own the store. undefined where there is none. */
export async function openRemoteToRead(
  address: StoreAddress,
  { log, clock, leaseMs = LEASE_MS }: RemoteParts,
): Promise<Omit<OpenedBackend, 'ownership'> | undefined> {
  const { backend, connection } = await connect(address, { log, clock, leaseMs }, () => {
    throw new StoreError('failed', `The store ${publicName(address)} is only read.`);
  });
  const close = async (): Promise<void> => {
    connection.close();
    await backend.close();
  };
  try {
    if (!(await backend.isEmpty())) return { backend, close };
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}

async function connect(
  address: StoreAddress,
  { log, clock, leaseMs }: RemoteParts & { leaseMs: number },
  lease: () => Lease,
): Promise<{ backend: Server; connection: ServerConnection }> {
  const name = publicName(address);
  const isRedis = address.scheme.startsWith('redis');
  const limitMs = requestLimitMs(leaseMs);
  const toStoreError = isRedis ? redisFailure : postgresFailure;
  const connection = new ServerConnection({ name, limitMs, clock, log, toStoreError });
  const backend: Server = await (isRedis ? Redis : Postgres).open({
    url: address.url,
    name,
    connection,
    limitMs,
    lease,
  });
  return { backend, connection };
}

/** Some servers do not reveal their settings, which is fine. */
async function warnAbout(backend: Server, log: Log): Promise<void> {
  try {
    await backend.warn?.(log);
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind === 'unreachable') throw error;
    log.debug({ store: backend.name, err: error }, "The settings of the store's server could not be read.");
  }
}
