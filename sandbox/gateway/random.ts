import { createHash } from 'node:crypto';

/** Seeded random numbers, so gateways with the same seed produce the same durations and images. */
export interface Random {
  /** A number of at least 0 and less than 1. */
  next(): number;
  integer(limit: number): number;
  /** Lower-case letters and digits. */
  alphanumeric(count: number): string;
  uuid(): string;
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: small, fast, and good enough for durations and names.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (limit: number) => Math.floor(next() * limit);
  const pick = (alphabet: string, count: number) =>
    Array.from({ length: count }, () => alphabet[integer(alphabet.length)]).join('');
  const hex = (count: number) => pick('0123456789abcdef', count);
  return {
    next,
    integer,
    alphanumeric: (count) => pick('abcdefghijklmnopqrstuvwxyz0123456789', count),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick('89ab', 1)}${hex(3)}-${hex(12)}`,
  };
}

/** A seed that depends only on the arguments. */
export function seedFrom(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join('\u0000')).digest().readUInt32LE(0);
}

/** A log-normal distribution, as observed in real queues: most values are near the median, and a few are much larger. */
export function logNormal(random: Random, median: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return median * Math.exp(sigma * normal);
}
