/** Returns a number from 0 to 1 for a pair of indexes; the same pair always results in the same number. */
export type Dice = (i: number, j?: number) => number;

/** FNV-1a over UTF-16 units: stable across platforms, and fast enough for every word of a long prompt. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return scramble(hash);
}

export function scramble(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * Numbers depend on their indexes, not on the order of the calls, so a style that draws one more tree, or a view that
 * shows more of the world, leaves everything else unchanged.
 */
export function diceOf(seed: number): Dice {
  return (i, j = 0) =>
    scramble(seed ^ Math.imul(i | 0, 0x9e3779b1) ^ Math.imul(scramble((j | 0) + 0x51ed27), 0x85ebca6b)) / 0x100000000;
}

/** Hashes values to a seed of 32 bits, because a gateway may use seeds of more than 32 bits, or fractions. */
export function seedOf(...parts: readonly (string | number)[]): number {
  return hashOf(parts.join('\u0000'));
}

export const clamp = (value: number, low = 0, high = 1) => Math.min(high, Math.max(low, value));

/** The item of a list at a relative position from 0 to 1. */
export function itemAt<Thing>(things: readonly [Thing, ...Thing[]], position: number): Thing {
  return things[Math.floor(position * things.length)] ?? things[0];
}

/** Smooth value noise in one dimension, from -1 to 1. */
export function noise(dice: Dice, x: number, row = 0): number {
  const cell = Math.floor(x);
  const t = x - cell;
  const eased = t * t * t * (t * (t * 6 - 15) + 10);
  return (dice(cell, row) * (1 - eased) + dice(cell + 1, row) * eased) * 2 - 1;
}

/** Several octaves of `noise`, for large shapes with small details. */
export function fractalNoise(dice: Dice, x: number, octaves: number, row = 0, roughness = 0.5): number {
  let sum = 0;
  let total = 0;
  for (let octave = 0, weight = 1; octave < octaves; octave++, weight *= roughness) {
    sum += noise(dice, x * 2 ** octave, row * 31 + octave) * weight;
    total += weight;
  }
  return sum / total;
}
