import { z } from 'zod';
import { LAST_CHARACTER } from '../backend.ts';
import type { SharedFacts } from '../shared-facts.ts';
import { openRedisClient } from './redis-client.ts';
import type { ServerConnection } from './server-connection.ts';

const CLAIM_PREFIX = 'atelier:facts:claim:';
const NOTE_PREFIX = 'atelier:facts:note:';
const LIST_PREFIX = 'atelier:facts:list:';
/** The sorted names of claims, so that listing them does not scan a whole store. It may contain claims that have expired. */
const CLAIM_NAMES_KEY = 'atelier:facts:claims';

const CLAIM = `
  local held = redis.call('GET', KEYS[1])
  if held and held ~= ARGV[1] and held ~= ARGV[3] then return 0 end
  redis.call('ZADD', KEYS[2], 0, ARGV[4])
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`;

const RELEASE = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('ZREM', KEYS[2], ARGV[2])
  return redis.call('DEL', KEYS[1])`;

/** KEYS: the names, then the claims. ARGV: the name of each. Removes the names of claims that have expired. */
const READ_HOLDERS = `
  local holders = {}
  for at, name in ipairs(ARGV) do
    holders[at] = redis.call('GET', KEYS[at + 1])
    if not holders[at] then redis.call('ZREM', KEYS[1], name) end
  end
  return holders`;

const WRITE = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[2], ARGV[2])
  return 1`;

/** ARGV: whether nothing is expected, what is expected, the new text. */
const REPLACE = `
  local known = redis.call('GET', KEYS[1])
  if ARGV[1] == '1' then
    if known then return 0 end
  elseif known ~= ARGV[2] then return 0 end
  redis.call('SET', KEYS[1], ARGV[3])
  return 1`;

const addedSchema = z.tuple([z.string(), z.array(z.string())]);

const NOW = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Entries are sorted by the time at which they were added. */
const ADD_ENTRY = `${NOW}
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const ADDED_SINCE = `${NOW}
  return {string.format('%.0f', now), redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf')}`;

/** Claims are keys that expire, notes are keys that stay. */
export async function openRedisFacts(connection: ServerConnection): Promise<SharedFacts> {
  const client = await openRedisClient(connection);
  /** Whether the script returned 1. */
  const isDone = async (...script: Parameters<typeof client.eval>): Promise<boolean> =>
    (await client.eval(...script)) === 1;
  return {
    claim: (name, holder, ms, ended = '') =>
      isDone(CLAIM, [CLAIM_PREFIX + name, CLAIM_NAMES_KEY], [holder, ms, ended, name]),
    release: async (name, holder) =>
      void (await client.eval(RELEASE, [CLAIM_PREFIX + name, CLAIM_NAMES_KEY], [holder, name])),
    async claims(prefix) {
      const [first, end] = [`[${prefix}`, `(${prefix}${LAST_CHARACTER}`];
      const names = await client.run((redis) => redis.zRange(CLAIM_NAMES_KEY, first, end, { BY: 'LEX' }));
      if (names.length === 0) return new Map();
      const keys = names.map((name) => CLAIM_PREFIX + name);
      const holders = await client.eval(READ_HOLDERS, [CLAIM_NAMES_KEY, ...keys], names);
      if (!Array.isArray(holders)) throw new Error('A list of holders was expected.');
      return new Map(
        names.flatMap((name, index) => (typeof holders[index] === 'string' ? [[name, holders[index]] as const] : [])),
      );
    },
    read: async (name) => (await client.run((redis) => redis.get(NOTE_PREFIX + name))) ?? undefined,
    write: (name, text, { claim, holder }) => isDone(WRITE, [CLAIM_PREFIX + claim, NOTE_PREFIX + name], [holder, text]),
    replace: (name, expected, newText) =>
      isDone(REPLACE, [NOTE_PREFIX + name], [expected === undefined ? '1' : '0', expected ?? '', newText]),
    add: async (list, entry, ms) => void (await client.eval(ADD_ENTRY, [LIST_PREFIX + list], [entry, ms])),
    async addedSince(list, since) {
      const [at, entries] = addedSchema.parse(await client.eval(ADDED_SINCE, [LIST_PREFIX + list], [since]));
      return { at: Number(at), entries };
    },
    close: client.close,
  };
}
