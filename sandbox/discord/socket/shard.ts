/** One of the parts into which an application divides its guilds (documentation, events/gateway, "Sharding"). */
export interface Shard {
  readonly id: number;
  readonly count: number;
}

/** Selects shards with this id; with `count`, only those of a bot that is divided into that many shards. */
export type ShardChoice = Pick<Shard, 'id'> & Partial<Shard>;

const SINGLE_SHARD: Shard = { id: 0, count: 1 };

/** The shard named in an IDENTIFY; undefined if it is invalid. */
export function readShard(value: unknown): Shard | undefined {
  if (value === undefined) return SINGLE_SHARD;
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [id, count] = value as unknown[];
  if (!isNonNegativeInteger(id) || !isNonNegativeInteger(count) || id >= count) return undefined;
  return { id, count };
}

const isNonNegativeInteger = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export const shardOf = (guildId: string, count: number): number => Number((BigInt(guildId) >> 22n) % BigInt(count));

/** Events without a guild belong to shard 0. */
export const coversGuild = ({ id, count }: Shard, guildId: string | undefined): boolean =>
  id === (guildId === undefined ? 0 : shardOf(guildId, count));

export const isChosen = ({ id, count }: Shard, choice: ShardChoice | undefined): boolean =>
  choice === undefined || (id === choice.id && (choice.count === undefined || count === choice.count));
