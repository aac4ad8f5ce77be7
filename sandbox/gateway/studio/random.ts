/** Draws a number from 0 to 1 for a place in the scene; the same place always gives the same number. */
export type Dice = (i: number, j?: number) => number;

/** FNV-1a over UTF-16 units: stable across platforms and quick enough to run on every word of a long prompt. */
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
 * Numbers are addressed, not drawn in turn: a style that draws one tree more, or a view that shows more of the world,
 * leaves everything else where it was.
 */
export function diceOf(seed: number): Dice {
  return (i, j = 0) =>
    scramble(seed ^ Math.imul(i | 0, 0x9e3779b1) ^ Math.imul(scramble((j | 0) + 0x51ed27), 0x85ebca6b)) / 0x100000000;
}

/** A number for seeds of any size: a gateway may hand out seeds above 32 bits, or fractions. */
export function seedOf(...parts: readonly (string | number)[]): number {
  return hashOf(parts.join('\u0000'));
}

export const clamped = (value: number, low = 0, high = 1) => Math.min(high, Math.max(low, value));

/** The one of a list that a number from 0 to 1 falls on. */
export function picked<Thing>(things: readonly [Thing, ...Thing[]], roll: number): Thing {
  return things[Math.floor(roll * things.length)] ?? things[0];
}

/** Smooth value noise in one dimension, from -1 to 1. */
export function noise(dice: Dice, x: number, row = 0): number {
  const cell = Math.floor(x);
  const t = x - cell;
  const eased = t * t * t * (t * (t * 6 - 15) + 10);
  return (dice(cell, row) * (1 - eased) + dice(cell + 1, row) * eased) * 2 - 1;
}

/** Several octaves of `noise`: hills with stones on them. */
export function fractal(dice: Dice, x: number, octaves: number, row = 0, roughness = 0.5): number {
  let sum = 0;
  let total = 0;
  for (let octave = 0, weight = 1; octave < octaves; octave++, weight *= roughness) {
    sum += noise(dice, x * 2 ** octave, row * 31 + octave) * weight;
    total += weight;
  }
  return sum / total;
}
