/** Samples per second, in mono, as realtime models expect. */
export const PCM_RATE = 24_000;

/** Mono audio as plain samples, `PCM_RATE` per second. */
export type Pcm = Int16Array;

export const secondsOf = (pcm: Pcm): number => pcm.length / PCM_RATE;
