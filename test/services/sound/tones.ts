/** The content of every audio file in the tests: three tones, one after the other, each fading in and out. */
export const tones = [
  { hertz: 330, height: 0.5 },
  { hertz: 880, height: 0.3 },
  { hertz: 2_200, height: 0.15 },
] as const;

export const TONE_SECONDS = 0.3;
export const SECONDS = tones.length * TONE_SECONDS;
const FADE_SECONDS = 0.02;

export function played(rate: number): Float32Array {
  return Float32Array.from({ length: Math.round(SECONDS * rate) }, (_, index) => {
    const time = index / rate;
    const number = Math.min(tones.length - 1, Math.floor(time / TONE_SECONDS));
    const within = time - number * TONE_SECONDS;
    const tone = tones[number];
    if (!tone) return 0;
    const fade = Math.min(1, within / FADE_SECONDS, (TONE_SECONDS - within) / FADE_SECONDS);
    return fade * tone.height * Math.sin(2 * Math.PI * tone.hertz * time);
  });
}
