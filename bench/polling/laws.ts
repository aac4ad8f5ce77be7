export type Random = () => number;
/** Draws the duration of a job, in seconds. */
export type Draw = (random: Random) => number;

/** A small random number generator whose numbers are the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

export function logNormal(median: number, sigma: number): Draw {
  return (random) => median * Math.exp(sigma * normal(random));
}

/** Some jobs follow one distribution, the others another: a cache that is warm or cold, or a quick and a thorough mode with the same name. */
export function mixtureOf(share: number, first: Draw, second: Draw): Draw {
  return (random) => (random() < share ? first(random) : second(random));
}

/** The waiting time until the next of a series of random events. */
export function exponential(mean: number, random: Random): number {
  return -mean * Math.log(1 - random());
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
