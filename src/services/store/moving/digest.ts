import { createHash } from 'node:crypto';

const MODULUS = 2n ** 128n;

/** What a namespace holds, in short: the same rows in any order come to the same. */
export interface Sum {
  count: number;
  checksum: string;
}

export function digestOf(key: string, text: string): string {
  return createHash('sha256').update(`${key.length} ${key}${text}`).digest('hex').slice(0, 32);
}

export function sumOf(digests: Iterable<string>): Sum {
  let count = 0;
  let total = 0n;
  for (const digest of digests) {
    count += 1;
    total = (total + BigInt(`0x${digest}`)) % MODULUS;
  }
  return { count, checksum: total.toString(16).padStart(32, '0') };
}
