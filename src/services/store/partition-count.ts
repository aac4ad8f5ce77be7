import { pause, systemClock } from '../../lib/clock.ts';
import { type Backend, StoreError } from './backend.ts';
import { Lease } from './lease.ts';
import { hasSchemaMark, markedPartitions, markPartitions } from './marks.ts';
import { type Namespaces, namespaceNames, openNamespaces } from './namespaces.ts';
import type { RemoteParts } from './remote/partition.ts';
import { openPartition, readPartition } from './remote/partition.ts';
import type { Server } from './remote/server-connection.ts';

/** How often to check whether another process, which is also starting for the first time, has written the number. */
const CHECK_INTERVAL_MS = 100;
const MAX_WAIT_MS = 30_000;

interface CountParts extends RemoteParts {
  /** The number of partitions for a store without any rows. */
  partitions: number;
  holder: string;
}

/** The number of partitions of a store, which is fixed at its first start. A store that was created without partitions has one. */
export async function partitionCount(server: Server, parts: CountParts): Promise<number> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const storedCount = await readCount(server);
    if (storedCount !== undefined) return storedCount;
    const partition = await openPartition(server, 0, parts, Lease.tryAcquire);
    if (partition) {
      try {
        return await initializeCount(partition.backend, parts.partitions);
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

/**
 * The rows are searched for before the number is read, and the number is written before all other rows, so a store with a number is never taken for one
 * without.
 */
async function readCount(server: Server): Promise<number | undefined> {
  const backend = await readPartition(server, 0);
  if (!backend) return undefined;
  const namespaces = openNamespaces(backend);
  const isUsed = await hasRows(backend, namespaces);
  return (await markedPartitions(namespaces.meta, backend.name)) ?? (isUsed ? 1 : undefined);
}

async function initializeCount(backend: Backend, configured: number): Promise<number> {
  const namespaces = openNamespaces(backend);
  const storedCount = await markedPartitions(namespaces.meta, backend.name);
  if (storedCount !== undefined) return storedCount;
  if (await hasRows(backend, namespaces)) return 1;
  await markPartitions(namespaces.meta, configured);
  return configured;
}

/** Every store that a bot has started on has the mark; the rows are checked in case a move or a restore has not yet written the mark. */
async function hasRows(backend: Backend, { meta }: Namespaces): Promise<boolean> {
  if (await hasSchemaMark(meta)) return true;
  for await (const _ of backend.everyRow(namespaceNames)) return true;
  return false;
}
