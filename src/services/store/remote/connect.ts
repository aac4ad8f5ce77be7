import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { publicName, type StoreAddress } from '../backend.ts';
import { type LeaseClock, requestLimitMs } from '../lease.ts';
import { openPostgres } from './postgres.ts';
import { openRedis } from './redis.ts';
import type { Server } from './server.ts';
import { postgresFailure, redisFailure, ServerConnection } from './server-connection.ts';

/** How long a store stays reserved for a bot that no longer renews its lease. */
export const LEASE_MS = 10_000;

export interface RemoteParts {
  log: Log;
  clock: Clock;
  leaseMs?: number | undefined;
  leaseClock?: LeaseClock | undefined;
}

export function connectServer(address: StoreAddress, { log, clock, leaseMs = LEASE_MS }: RemoteParts): Promise<Server> {
  const name = publicName(address);
  const isRedis = address.scheme.startsWith('redis');
  const limitMs = requestLimitMs(leaseMs);
  const toStoreError = isRedis ? redisFailure : postgresFailure;
  const connection = new ServerConnection({ name, limitMs, clock, log, toStoreError });
  return (isRedis ? openRedis : openPostgres)({ url: address.url, name, connection, limitMs });
}

export async function logWarnings(server: Server, log: Log): Promise<void> {
  for (const warning of await server.warnings()) log.warn({ store: server.name }, warning);
}
