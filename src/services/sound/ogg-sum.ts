const POLYNOMIAL = 0x04c11db7;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ POLYNOMIAL : value << 1;
  return value;
});

/** Where a page keeps its own sum, which counts as zero while it is made. */
export const SUM_AT = 22;

/** The checksum of an Ogg page (RFC 3533): a CRC that begins with zero, most significant bit first. */
export function sumOf(page: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < page.length; at++) {
    const byte = at >= SUM_AT && at < SUM_AT + 4 ? 0 : (page[at] ?? 0);
    sum = (sum << 8) ^ (TABLE[((sum >>> 24) ^ byte) & 0xff] ?? 0);
  }
  return sum >>> 0;
}
