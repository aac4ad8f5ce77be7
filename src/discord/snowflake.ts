/** https://discord.com/developers/docs/reference#snowflakes */
const DISCORD_EPOCH_MS = 1_420_070_400_000;
const TIME_SHIFT = 22n;

/** When Discord created what has this id. */
export const timestampOf = (id: string): number => Number(BigInt(id) >> TIME_SHIFT) + DISCORD_EPOCH_MS;

/** The lowest id of everything that is created at this time. */
export const snowflakeAt = (time: number): bigint => BigInt(time - DISCORD_EPOCH_MS) << TIME_SHIFT;
