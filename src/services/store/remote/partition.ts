import { type Backend, StoreError } from '../backend.ts';
import { type Lease, type LeaseParts, leaseClock, type StoreOwnership } from '../lease.ts';
import { refuseNewer, SCHEMA_KEY } from '../marks.ts';
import { LEASE_MS, type RemoteParts } from './connect.ts';
import { writeUnder } from './leased.ts';
import type { Server } from './server.ts';

/** A store that is reserved for this process until it is closed. */
export interface OpenedBackend {
  backend: Backend;
  ownership: StoreOwnership;
  close(): Promise<void>;
}

interface PartitionParts extends RemoteParts {
  /** The process that takes the lease, if others need to know it. */
  holder?: string | undefined;
}

/**
 * Opens a partition on a prepared server. Returns undefined if the lease cannot be obtained. Closing releases the lease, and leaves the connections to the
 * server open.
 */
export async function openPartition(
  server: Server,
  partition: number,
  { log, leaseMs = LEASE_MS, leaseClock: clock = leaseClock, holder }: PartitionParts,
  acquire: (parts: LeaseParts) => Promise<Lease | undefined>,
): Promise<OpenedBackend | undefined> {
  let lease: Lease | undefined;
  const backend = server.store(partition, () => {
    if (!lease) throw new StoreError('failed', `The store ${backend.name} is not open yet.`);
    return lease;
  });
  const { name, leaseServer } = backend;
  const onWait = (endsInMs: number): void =>
    log.info(
      { store: name, endsInMs },
      'Another bot may still own the store: waiting until it renews its lease or the lease expires.',
    );
  const acquired = await acquire({ leaseServer, name, ms: leaseMs, clock, holder, onWait });
  if (!acquired) return undefined;
  lease = acquired;
  log.debug({ store: name, number: acquired.number }, 'This process owns the store.');
  const close = async (): Promise<void> => {
    try {
      await acquired.release();
    } catch (error) {
      // The lease will expire by itself.
      log.warn({ store: name, err: error }, 'The lease of the store could not be released.');
    }
  };
  const ownership: StoreOwnership = {
    assertOwned: () => acquired.assertHeld(),
    lost: acquired.lost,
    trouble: () => server.connection.trouble,
  };
  try {
    const schema = await backend.adapter('meta', 'immediate').get<string>(SCHEMA_KEY);
    refuseNewer(name, typeof schema === 'string' ? schema : undefined);
    return { backend: writeUnder(acquired, backend), ownership, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The rows of a partition without its lease, for reading only, because a bot may own it. Undefined if there are none. */
export async function readPartition(server: Server, partition: number): Promise<Backend | undefined> {
  const backend = server.store(partition, () => {
    throw new StoreError('failed', `The store ${backend.name} is open for reading only.`);
  });
  return (await backend.isEmpty()) ? undefined : backend;
}
