/** A part of a sound on its way in: one channel, -1 to 1, at the rate of its file. */
export interface Stretch {
  samples: Float32Array;
  rate: number;
}

/** A file in parts, so that hours in a small file are noticed before they fill the memory. */
export type Stretches = AsyncGenerator<Stretch> | Generator<Stretch>;
