import { once } from '../../../lib/once.ts';
import { type Backend, inUseError, type StoreAddress } from '../backend.ts';
import { Lease } from '../lease.ts';
import { markedPartitions, refusePartitioned } from '../marks.ts';
import { openNamespaces } from '../namespaces.ts';
import {
  connectServer,
  logWarnings,
  type OpenedBackend,
  openPartition,
  type RemoteParts,
  readPartition,
} from './partition.ts';

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
  /** How many partitions the store has. */
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
