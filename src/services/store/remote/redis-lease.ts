import type { LeaseServer } from '../lease.ts';
import type { RedisClient } from './redis-client.ts';

/** The prefix of every key of a partition, because other programs may use the same database. */
export const prefixOf = (partition: number): string => (partition === 0 ? 'atelier:' : `atelier:p${partition}:`);

/** The key that stores the holder's name, and how often the lease was renewed. */
export const leaseKey = (partition: number): string => `${prefixOf(partition)}lease`;
export const leaseNumberKey = (partition: number): string => `${prefixOf(partition)}lease:number`;

const ACQUIRE = `
  local held = redis.call('HMGET', KEYS[1], 'holder', 'renewals')
  if held[1] and held[1] ~= ARGV[3] then return { held[1], held[2], redis.call('PTTL', KEYS[1]) } end
  redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'renewals', 0)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return redis.call('INCR', KEYS[2])`;

const RENEW = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  redis.call('HINCRBY', KEYS[1], 'renewals', 1)
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const RELEASE = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`;

const READ_HOLDERS = `
  local holders = {}
  for at, key in ipairs(KEYS) do holders[at] = redis.call('HGET', key, 'holder') end
  return holders`;

export function createRedisLeaseServer(client: RedisClient, partition: number): LeaseServer {
  const keys = [leaseKey(partition), leaseNumberKey(partition)];
  return {
    async acquire(holder, ms, ended = '') {
      const result = await client.eval(ACQUIRE, keys, [holder, ms, ended]);
      if (!Array.isArray(result)) return Number(result);
      const [heldBy, renewals, endsInMs] = result;
      return { holder: String(heldBy), renewals: String(renewals), endsInMs: Number(endsInMs) };
    },
    renew: async (holder, ms) => Number(await client.eval(RENEW, keys, [holder, ms])) === 1,
    async release(holder) {
      await client.eval(RELEASE, keys, [holder]);
    },
  };
}

/** The current lease holders of the first `count` partitions. */
export async function readRedisHolders(client: RedisClient, count: number): Promise<Map<number, string>> {
  const keys = Array.from({ length: count }, (_, partition) => leaseKey(partition));
  const result = await client.eval(READ_HOLDERS, keys);
  const holders = Array.isArray(result) ? result : [];
  return new Map(
    holders.flatMap((holder, partition) => (typeof holder === 'string' ? [[partition, holder] as const] : [])),
  );
}
