import type { AppContext } from '../../../lib/app-context.ts';
import type { Log } from '../../../lib/log.ts';
import { once } from '../../../lib/once.ts';
import { type Backend, inUseError, type StoreAddress } from '../backend.ts';
import {
  type AcquireLease,
  Lease,
  type LeaseClock,
  leaseClock,
  requestLimitMs,
  type StoreOwnership,
} from '../lease.ts';
import { openNamespaces } from '../namespaces.ts';
import { markedPartitions, refuseNewer, refusePartitioned, SCHEMA_KEY } from '../rows/marks.ts';
import { openPostgres } from './postgres.ts';
import { openRedis } from './redis.ts';
import { partitionName, type Server, ServerConnection } from './server-connection.ts';

/** How long a store stays reserved for a bot that no longer renews its lease. */
const LEASE_MS = 10_000;

export interface RemoteParts extends AppContext {
  leaseMs?: number | undefined;
  leaseClock?: LeaseClock | undefined;
  /** The process that takes the leases, if others need to know it. */
  holder?: string | undefined;
}

/** A store that is reserved for this process until it is closed. */
export interface OpenedBackend {
  backend: Backend;
  ownership: StoreOwnership;
  close(): Promise<void>;
}

export function connectServer(address: StoreAddress, parts: RemoteParts): Promise<Server> {
  const connection = new ServerConnection(address, requestLimitMs(parts.leaseMs ?? LEASE_MS), parts);
  return (connection.isRedis ? openRedis : openPostgres)(connection);
}

export async function logWarnings(server: Server, log: Log): Promise<void> {
  for (const warning of await server.warnings()) log.warn({ store: server.connection.name }, warning);
}

/**
 * Opens a partition on a prepared server. Returns undefined if the lease cannot be obtained. Closing releases the lease, and leaves the connections to the
 * server open.
 */
export async function openPartition(
  server: Server,
  partition: number,
  { log, leaseMs = LEASE_MS, leaseClock: clock = leaseClock, holder }: RemoteParts,
  acquire: AcquireLease,
): Promise<OpenedBackend | undefined> {
  const name = partitionName(server.connection.name, partition);
  const onWait = (endsInMs: number): void =>
    log.info(
      { store: name, endsInMs },
      'Another bot may still own the store: waiting until it renews its lease or the lease expires.',
    );
  const leaseServer = server.leaseServer(partition);
  const lease = await acquire({ leaseServer, name, ms: leaseMs, clock, holder }, onWait);
  if (!lease) return undefined;
  log.debug({ store: name, number: lease.number }, 'This process owns the store.');
  const close = async (): Promise<void> => {
    try {
      await lease.release();
    } catch (error) {
      // The lease will expire by itself.
      log.warn({ store: name, err: error }, 'The lease of the store could not be released.');
    }
  };
  const ownership: StoreOwnership = {
    assertOwned: () => lease.assertHeld(),
    lost: lease.lost,
    trouble: () => server.connection.trouble,
  };
  try {
    const backend = server.store(partition, lease);
    const schema = await backend.adapter('meta').get<string>(SCHEMA_KEY);
    refuseNewer(name, typeof schema === 'string' ? schema : undefined);
    return { backend, ownership, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The rows of a partition without its lease, for reading only, because a bot may own it. Undefined if there are none. */
export const readPartition = async (server: Server, partition: number): Promise<Backend | undefined> =>
  (await server.isEmpty(partition)) ? undefined : server.store(partition);

/** Reserves the store of a bot without partitions, and creates it if it is missing. */
export async function openRemote(address: StoreAddress, parts: RemoteParts): Promise<OpenedBackend> {
  const server = await connectServer(address, parts);
  try {
    const existing = await readPartition(server, 0);
    if (existing) await refusePartitioned(openNamespaces(existing).meta, server.connection.name);
    await server.prepare?.();
    const store = await openPartition(server, 0, parts, Lease.acquire);
    if (!store) throw inUseError(server.connection.name);
    await logWarnings(server, parts.log);
    const close = once(async () => {
      await store.close();
      await server.close();
    });
    return { ...store, close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** A store that was opened without a lease, for reading only. */
export interface ReadableStore {
  count: number;
  /** The partitions that have rows. */
  partitions: ReadonlyMap<number, Backend>;
  close(): Promise<void>;
}

/** Opens a store without a lease, so only for reading, because a bot may own it. Undefined if there is no store. */
export async function openRemoteReadOnly(
  address: StoreAddress,
  parts: RemoteParts,
): Promise<ReadableStore | undefined> {
  const server = await connectServer(address, parts);
  try {
    const first = await readPartition(server, 0);
    if (first) {
      const count = (await markedPartitions(openNamespaces(first).meta, server.connection.name)) ?? 1;
      const partitions = new Map([[0, first]]);
      for (let number = 1; number < count; number += 1) {
        const backend = await readPartition(server, number);
        if (backend) partitions.set(number, backend);
      }
      return { count, partitions, close: () => server.close() };
    }
  } catch (error) {
    await server.close();
    throw error;
  }
  await server.close();
  return undefined;
}
