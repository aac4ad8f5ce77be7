import { existsSync } from 'node:fs';
import { once } from '../../../lib/once.ts';
import { StoreError } from '../../tasks/store-error.ts';
import { type Backend, fileOf, isLocal, publicName, type StoreAddress, unsupportedError } from '../backend.ts';
import { Lease } from '../lease.ts';
import { openNamespaces } from '../namespaces.ts';
import { openBackend } from '../open-store.ts';
import {
  connectServer,
  type OpenedBackend,
  openPartition,
  type RemoteParts,
  readPartition,
} from '../remote/open-remote.ts';
import type { Server } from '../remote/server-connection.ts';
import { markedPartitions } from './marks.ts';
import { isEmpty } from './raw-rows.ts';

/** Every partition of a store, reserved for this process until the store is closed. A file, or a store created without partitions, has one. */
export interface WholeStore {
  /** A name to show: a file, or a URL without its password. */
  readonly name: string;
  readonly partitions: readonly [OpenedBackend, ...OpenedBackend[]];
  /** All partitions in which a bot has started, including those beyond the store's number of partitions. */
  usedPartitions(): Promise<readonly number[]>;
  /** Says which settings of the store's server an operator should change. */
  warnings(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface WholeParts extends RemoteParts {
  create: boolean;
  /** The number of partitions that it must have; undefined accepts any number. */
  count?: number | undefined;
}

/** Takes the leases of all partitions; fails while a bot has any of them. Returns undefined if there is no store and none is to be created. */
export async function openWhole(address: StoreAddress, parts: WholeParts): Promise<WholeStore | undefined> {
  if (!isLocal(address)) return openServer(address, parts);
  if ((parts.count ?? 1) > 1)
    throw unsupportedError(
      `The store ${publicName(address)} is a file, which has no partitions. Choose a Redis or Postgres server; from there, \`npm run migrate-store\` makes one partition of several.`,
    );
  if (!parts.create && !existsSync(fileOf(address))) return undefined;
  const openedBackend = await openBackend(address, parts);
  return {
    name: openedBackend.backend.name,
    partitions: [openedBackend],
    usedPartitions: async () => [0],
    warnings: async () => [],
    close: openedBackend.close,
  };
}

async function openServer(address: StoreAddress, parts: WholeParts): Promise<WholeStore | undefined> {
  const server = await connectServer(address, parts);
  const partitions: OpenedBackend[] = [];
  const close = once(async () => {
    await Promise.all(partitions.map((one) => one.close()));
    await server.close();
  });
  try {
    const existing = await readPartition(server, 0);
    if (!existing && !parts.create) {
      await close();
      return undefined;
    }
    await server.prepare?.();
    const isPartitioned = existing !== undefined && ((await markedCount(existing)) ?? 1) > 1;
    const acquire = (number: number) => acquirePartition(server, number, { parts, isPartitioned });
    const first = await acquire(0);
    partitions.push(first);
    const count = await countOf(first.backend, parts.count);
    const pendingPartitions = Array.from({ length: count - 1 }, (_, index) => acquire(index + 1));
    // The leases taken so far are released if another one cannot be obtained.
    const results = await Promise.allSettled(pendingPartitions);
    for (const one of results) if (one.status === 'fulfilled') partitions.push(one.value);
    for (const one of results) if (one.status === 'rejected') throw one.reason;
    return {
      name: server.connection.name,
      partitions: [first, ...partitions.slice(1)],
      usedPartitions: () => server.usedPartitions(),
      warnings: () => server.warnings(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const markedCount = (backend: Backend): Promise<number | undefined> =>
  markedPartitions(openNamespaces(backend).meta, backend.name);

async function acquirePartition(
  server: Server,
  number: number,
  { parts, isPartitioned }: { parts: RemoteParts; isPartitioned: boolean },
): Promise<OpenedBackend> {
  try {
    const openedBackend = await openPartition(server, number, parts, Lease.acquire);
    if (openedBackend) return openedBackend;
  } catch (error) {
    const isInUse = error instanceof StoreError && error.kind === 'in-use';
    if (!isInUse || (number === 0 && !isPartitioned)) throw error;
  }
  throw new StoreError(
    'in-use',
    `Workers are using the store ${server.connection.name}. Stop all processes with ATELIER_ROLE=worker, then run this again; shards can continue to run.`,
  );
}

async function countOf(first: Backend, required: number | undefined): Promise<number> {
  const storedCount = await markedCount(first);
  if (required === undefined || required === storedCount) return storedCount ?? 1;
  if (storedCount === undefined && (required === 1 || (await isEmpty(first)))) return required;
  const [actual, expected] = [storedCount ?? 1, required].map((count) => `${count} partition${count === 1 ? '' : 's'}`);
  throw unsupportedError(
    `The store ${first.name} has ${actual}, and ${expected} would be needed. Choose an empty store, or one with as many partitions.`,
  );
}
