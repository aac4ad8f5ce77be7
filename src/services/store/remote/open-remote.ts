import type { StoreAddress } from '../backend.ts';
import { Lease } from '../lease.ts';
import { refusePartitioned } from '../marks.ts';
import { openNamespaces } from '../namespaces.ts';
import { connectServer, type RemoteParts, warnAbout } from './connect.ts';
import { type OpenedBackend, openPartition, readPartition } from './partition.ts';

/** Returns undefined if there is no store and none is to be created. */
export async function openRemote(
  address: StoreAddress,
  parts: RemoteParts,
  { makes }: { makes: boolean },
): Promise<OpenedBackend | undefined> {
  const { log } = parts;
  const server = await connectServer(address, parts);
  try {
    const existing = await readPartition(server, 0);
    if (existing) await refusePartitioned(openNamespaces(existing).meta, server.name);
    const isWanted = makes || existing !== undefined;
    if (isWanted) await server.prepare?.();
    const store = isWanted ? await openPartition(server, 0, parts, Lease.take) : undefined;
    if (!store) {
      await server.close();
      return undefined;
    }
    await warnAbout(server, log);
    let closing: Promise<void> | undefined;
    const end = async (): Promise<void> => {
      await store.close();
      await server.close();
    };
    const close = (): Promise<void> => {
      closing ??= end();
      return closing;
    };
    return { ...store, close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Connects without a lease and therefore cannot write, because a bot may own the store. Returns undefined if there is no store. */
export async function openRemoteToRead(
  address: StoreAddress,
  parts: RemoteParts,
): Promise<Omit<OpenedBackend, 'ownership'> | undefined> {
  const server = await connectServer(address, parts);
  try {
    const backend = await readPartition(server, 0);
    if (backend) {
      await refusePartitioned(openNamespaces(backend).meta, server.name);
      return { backend, close: server.close };
    }
  } catch (error) {
    await server.close();
    throw error;
  }
  await server.close();
  return undefined;
}
