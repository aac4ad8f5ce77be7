/** The content of every audio file in the tests: three tones, one after the other, each fading in and out. */
export const tones = [
  { hertz: 330, amplitude: 0.5 },
  { hertz: 880, amplitude: 0.3 },
  { hertz: 2_200, amplitude: 0.15 },
] as const;

export const TONE_SECONDS = 0.3;
export const SECONDS = tones.length * TONE_SECONDS;
const FADE_SECONDS = 0.02;

export function toneSamples(rate: number): Float32Array {
  return Float32Array.from({ length: Math.round(SECONDS * rate) }, (_, index) => {
    const time = index / rate;
    const number = Math.min(tones.length - 1, Math.floor(time / TONE_SECONDS));
    const timeInTone = time - number * TONE_SECONDS;
    const tone = tones[number];
    if (!tone) return 0;
    const fade = Math.min(1, timeInTone / FADE_SECONDS, (TONE_SECONDS - timeInTone) / FADE_SECONDS);
    return fade * tone.amplitude * Math.sin(2 * Math.PI * tone.hertz * time);
  });
}
