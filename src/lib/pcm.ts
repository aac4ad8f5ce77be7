/** Samples per second, mono: the format of realtime models. */
export const PCM_RATE = 24_000;

/** Audio as plain samples at that rate. */
export type Pcm = Int16Array;

export const secondsOf = (pcm: Pcm): number => pcm.length / PCM_RATE;
