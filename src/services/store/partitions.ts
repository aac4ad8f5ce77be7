import type { AppContext } from '../../lib/app-context.ts';
import { pause, systemClock } from '../../lib/clock.ts';
import { StoreError } from '../tasks/store-error.ts';
import { type Backend, inUseError, isLocal, publicName, type StoreAddress, unsupportedError } from './backend.ts';
import { processOf } from './holder.ts';
import { type AcquireLease, Lease } from './lease.ts';
import { namespaceNames, openNamespaces } from './namespaces.ts';
import { openTasks, readTasks, type StoreParts } from './open-store.ts';
import { connectServer, logWarnings, openPartition, type RemoteParts, readPartition } from './remote/open-remote.ts';
import { openPostgresFacts } from './remote/postgres-facts.ts';
import { openRedisFacts } from './remote/redis-facts.ts';
import { type Server, ServerConnection } from './remote/server-connection.ts';
import {
  hashSecret,
  hashSecretMark,
  hasSchemaMark,
  markedPartitions,
  markPartitions,
  refuseIncomplete,
} from './rows/marks.ts';
import { hasRows } from './rows/raw-rows.ts';
import type { SharedFacts } from './shared-facts.ts';
import type { StoredTasks } from './stored-tasks.ts';

interface PartitionsParts extends StoreParts {
  /** The number of partitions for a store without any rows; an existing store keeps its number. */
  partitions: number;
  /** The name of this process, from `nameHolder()`. */
  holder: string;
}

/** Partition 0 says whether a move or a restore has filled all of them. */
async function assertComplete(server: Server): Promise<void> {
  const first = await readPartition(server, 0);
  if (first) await refuseIncomplete(openNamespaces(first).meta, server.connection.name);
}

export type Partitions = Awaited<ReturnType<typeof openPartitions>>;

/** Throws a `StoreError` if the store cannot be used. */
export async function openPartitions(address: StoreAddress, parts: PartitionsParts) {
  if (isLocal(address))
    throw unsupportedError(
      `The store ${publicName(address)} is a file, which has no partitions. Set STORE_URL to a Redis or Postgres server.`,
    );
  const server = await connectServer(address, parts);
  try {
    await server.prepare?.();
    await logWarnings(server, parts.log);
    await assertComplete(server);
    return partitionsOf(server, parts, await readOrCreateFacts(server, parts, parts.partitions));
  } catch (error) {
    await server.close();
    throw error;
  }
}

/**
 * Stores side by side on one server, over shared connections. Each has its own rows and its own lease; partition 0 is the store of a bot without
 * partitions.
 */
function partitionsOf(server: Server, parts: PartitionsParts, { count, secret }: StoreFacts) {
  const validate = (partition: number): number => {
    if (Number.isInteger(partition) && partition >= 0 && partition < count) return partition;
    throw new Error(`There is no partition ${partition} of ${count}.`);
  };
  const open = async (partition: number, acquire: AcquireLease): Promise<StoredTasks | undefined> => {
    const opened = await openPartition(server, validate(partition), parts, acquire);
    if (!opened) return undefined;
    try {
      await assertComplete(server);
      const secretMark = hashSecretMark(openNamespaces(opened.backend).meta);
      // A key that a partition already has is kept.
      if (secret !== undefined && !(await secretMark.read())) await secretMark.write({ secret });
    } catch (error) {
      await opened.close();
      throw error;
    }
    return openTasks(opened, parts);
  };
  return {
    count,
    /** Like `openStore`, waits for the rest of a lease whose holder may have died. Closing the store leaves the connections open. */
    async open(partition: number): Promise<StoredTasks> {
      const store = await open(partition, Lease.acquire);
      if (!store) throw inUseError(server.connection.name);
      return store;
    },
    /** Does not wait: returns undefined while another process has the partition. */
    tryOpen: (partition: number) => open(partition, Lease.tryAcquire),
    /** A partition that another process may own, for reading only; undefined if it has no rows. */
    async read(partition: number): Promise<StoredTasks | undefined> {
      const backend = await readPartition(server, validate(partition));
      return backend && readTasks(backend, parts);
    },
    /** The names of the processes that currently own partitions. */
    async owners(): Promise<ReadonlyMap<number, string>> {
      const holders = await server.holders(count);
      return new Map([...holders].map(([partition, holder]) => [partition, processOf(holder)]));
    },
    /** Undefined while the server responds. */
    trouble: () => server.connection.trouble,
    /** Closes the connections. A partition that is still open loses its lease when the lease expires. */
    close: () => server.close(),
  };
}

/** Uses separate connections to the server of a store. `limitMs`: the time limit of each request. All times are those of the server's clock. */
export async function openSharedFacts(
  address: StoreAddress,
  { limitMs, ...context }: AppContext & { limitMs: number },
): Promise<SharedFacts> {
  if (isLocal(address))
    throw unsupportedError(
      `The store ${publicName(address)} is a file, which the processes of a cluster cannot share. Set STORE_URL to a Redis or Postgres server.`,
    );
  const connection = new ServerConnection(address, limitMs, context);
  return (connection.isRedis ? openRedisFacts : openPostgresFacts)(connection);
}

/** How often to check whether another process, which is also starting for the first time, has written the facts. */
const CHECK_INTERVAL_MS = 100;
const MAX_WAIT_MS = 30_000;

/** What partition 0 says about the whole store. */
interface StoreFacts {
  /** The number of partitions, which is fixed at the first start. A store that was created without partitions has one. */
  count: number;
  /** The key with which all partitions hash members; undefined if there is only one. */
  secret: string | undefined;
}

/** Reads the facts about a store, which the first process that starts on it writes. `configuredCount` is for a store without any rows. */
async function readOrCreateFacts(server: Server, parts: RemoteParts, configuredCount: number): Promise<StoreFacts> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const first = await readPartition(server, 0);
    const facts = first && (await readFacts(first));
    if (facts) return facts;
    const partition = await openPartition(server, 0, parts, Lease.tryAcquire);
    if (partition) {
      try {
        return await createFacts(partition.backend, configuredCount);
      } finally {
        await partition.close();
      }
    }
    if (performance.now() > deadline)
      throw new StoreError(
        'in-use',
        `Another Atelier uses the store ${server.connection.name} and has not written anything yet. Start this one again when the other one is ready.`,
      );
    await pause(systemClock, CHECK_INTERVAL_MS);
  }
}

async function readFacts(backend: Backend): Promise<StoreFacts | undefined> {
  const count = await storedCount(backend);
  if (count === undefined || count === 1) return count && { count, secret: undefined };
  const mark = await hashSecretMark(openNamespaces(backend).meta).read();
  return mark && { count, secret: mark.secret };
}

async function createFacts(backend: Backend, configuredCount: number): Promise<StoreFacts> {
  const { meta } = openNamespaces(backend);
  const known = await storedCount(backend);
  if (known === undefined) await markPartitions(meta, configuredCount);
  const count = known ?? configuredCount;
  return { count, secret: count > 1 ? await hashSecret(meta) : undefined };
}

/**
 * The rows are searched for before the number is read, and the number is written before all other rows, so a store with a number is never taken for one
 * without. Every store that a bot has started on has the mark; the rows are checked in case a move or a restore has not yet written the mark.
 */
async function storedCount(backend: Backend): Promise<number | undefined> {
  const { meta } = openNamespaces(backend);
  const isUsed = (await hasSchemaMark(meta)) || (await hasRows(backend, namespaceNames));
  return (await markedPartitions(meta, backend.name)) ?? (isUsed ? 1 : undefined);
}
