/** The number of servers per shard: Discord recommends about a thousand, and allows 2,500. */
export const GUILDS_PER_SHARD = 2_000;

/** How the shards of a bot are distributed. */
export interface Shape {
  shards: number;
  processes: number;
}

export const shapes: readonly Shape[] = [
  { shards: 1, processes: 1 },
  { shards: 5, processes: 1 },
  { shards: 25, processes: 1 },
  { shards: 25, processes: 5 },
];

export const nameOf = ({ shards, processes }: Shape): string => {
  const guilds = (shards * GUILDS_PER_SHARD).toLocaleString('en');
  return `${shards} shard${shards === 1 ? '' : 's'}, ${guilds} servers, ${processes} process${processes === 1 ? '' : 'es'}`;
};
