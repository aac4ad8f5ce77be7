/** Samples a second, one channel: what realtime models hear and say. */
export const PCM_RATE = 24_000;

/** Sound as plain samples, at that rate. */
export type Pcm = Int16Array;

export const secondsOf = (pcm: Pcm): number => pcm.length / PCM_RATE;
