/** Discord's own epoch (documentation, reference, "Snowflakes"). */
const DISCORD_EPOCH_MS = 1_420_070_400_000n;
/** discord.js recognizes ids in bucket routes by their 17 to 19 digits, and ids from before this date are shorter. */
const EARLIEST_MS = 1_483_228_800_000;

/** The lowest id that belongs to a millisecond. */
export const firstSnowflakeAt = (at: number): bigint => (BigInt(Math.max(at, EARLIEST_MS)) - DISCORD_EPOCH_MS) << 22n;

export type MakeId = () => string;

/** Creates ids that increase with time and stay unique even if the clock stands still. */
export function snowflakes(now: () => number): MakeId {
  let lastId = 0n;
  return () => {
    const nextId = firstSnowflakeAt(now());
    lastId = nextId > lastId ? nextId : lastId + 1n;
    return String(lastId);
  };
}
