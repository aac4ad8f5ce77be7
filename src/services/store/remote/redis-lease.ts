import type { LeaseDesk } from '../lease/lease-desk.ts';
import type { Line } from './line.ts';

/** As far as it is needed here. */
interface Scripts {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** What is said of the holder: whose it is, and how often it was renewed. */
const LEASE = 'atelier:lease';
/** Counted up with every new holder, and never down. */
export const LEASE_NUMBER = 'atelier:lease:number';

const TAKE = `
  if redis.call('EXISTS', KEYS[1]) == 1 then
    return { table.concat(redis.call('HMGET', KEYS[1], 'holder', 'renewals'), ' '), redis.call('PTTL', KEYS[1]) }
  end
  redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'renewals', 0)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return redis.call('INCR', KEYS[2])`;

const RENEW = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  redis.call('HINCRBY', KEYS[1], 'renewals', 1)
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const GIVE_BACK = `
  if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])`;

/** A script is one step to the server: nobody comes between the look and the change. */
export function redisLease(client: Scripts, line: Line): LeaseDesk {
  const run = (script: string, ...values: (string | number)[]): Promise<unknown> =>
    line.ask(() => client.eval(script, { keys: [LEASE, LEASE_NUMBER], arguments: values.map(String) }));
  return {
    async take(holder, ms) {
      const answer = await run(TAKE, holder, ms);
      if (!Array.isArray(answer)) return Number(answer);
      return { mark: String(answer[0]), endsInMs: Number(answer[1]) };
    },
    renew: async (holder, ms) => Number(await run(RENEW, holder, ms)) === 1,
    async giveBack(holder) {
      await run(GIVE_BACK, holder);
    },
  };
}
