import { pause, systemClock } from '../../../lib/clock.ts';
import { StoreError } from '../../tasks/store-error.ts';
import type { Backend } from '../backend.ts';
import { Lease } from '../lease.ts';
import { namespaceNames, openNamespaces } from '../namespaces.ts';
import { openPartition, type RemoteParts, readPartition } from '../remote/open-remote.ts';
import type { Server } from '../remote/server-connection.ts';
import { hashSecret, hashSecretMark, hasSchemaMark, markedPartitions, markPartitions } from './marks.ts';
import { hasRows } from './raw-rows.ts';

/** How often to check whether another process, which is also starting for the first time, has written the facts. */
const CHECK_INTERVAL_MS = 100;
const MAX_WAIT_MS = 30_000;

/** What partition 0 says about the whole store. */
export interface StoreFacts {
  /** The number of partitions, which is fixed at the first start. A store that was created without partitions has one. */
  count: number;
  /** The key with which all partitions hash members; undefined if there is only one. */
  secret: string | undefined;
}

/** Reads the facts about a store, which the first process that starts on it writes. `configuredCount` is for a store without any rows. */
export async function readOrCreateFacts(
  server: Server,
  parts: RemoteParts,
  configuredCount: number,
): Promise<StoreFacts> {
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
