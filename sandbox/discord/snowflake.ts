/** Discord's own epoch (documentation, reference, "Snowflakes"). */
const EPOCH = 1_420_070_400_000n;
/** discord.js recognises the ids that share a bucket by 17 to 19 digits, so nothing is ever dated before this. */
const EARLIEST = 1_483_228_800_000;

export type MakeId = () => string;

/** Ids that rise with time, and never repeat while time stands still. */
export function snowflakes(now: () => number): MakeId {
  let last = 0n;
  return () => {
    const next = (BigInt(Math.max(now(), EARLIEST)) - EPOCH) << 22n;
    last = next > last ? next : last + 1n;
    return String(last);
  };
}
