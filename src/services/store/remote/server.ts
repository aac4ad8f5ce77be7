import type { Backend } from '../backend.ts';
import type { Lease, LeaseServer } from '../lease.ts';
import type { ServerConnection } from './server-connection.ts';

export interface ServerParts {
  url: string;
  name: string;
  limitMs: number;
  connection: ServerConnection;
}

/** A server with stores, which share the connections to it. */
export interface Server {
  readonly name: string;
  readonly connection: ServerConnection;
  /** The store of a partition; partition 0 is also the store of a bot without partitions. `lease` throws before the lease is taken. */
  store(partition: number, lease: () => Lease): ServerStore;
  /** The current lease holders of the first `count` partitions. */
  holders(count: number): Promise<ReadonlyMap<number, string>>;
  /** The partitions in which a bot has started. */
  usedPartitions(): Promise<readonly number[]>;
  /** Creates what every store needs. */
  prepare?(): Promise<void>;
  /** Says which settings of this server an operator should change, so that nothing confirmed is lost. */
  warnings(): Promise<string[]>;
  close(): Promise<void>;
}

export interface ServerStore extends Backend {
  readonly leaseServer: LeaseServer;
  /** Whether no bot has ever used the store. */
  isEmpty(): Promise<boolean>;
}

export const partitionName = (name: string, partition: number): string =>
  partition === 0 ? name : `${name} (partition ${partition})`;
