import { PCM_RATE, type Pcm, secondsOf } from '../../../src/lib/pcm.ts';

const MAX_SILENT_LOUDNESS = 0.005;
const MAX_QUIET_LOUDNESS = 0.05;
const MIN_LOUD_LOUDNESS = 0.25;
/** The range of human voices, in hertz. */
const MIN_PITCH_HZ = 60;
const MAX_PITCH_HZ = 1_200;
const WINDOW_SAMPLES = PCM_RATE / 10;
/** The minimum similarity at which audio counts as periodic. */
const MIN_SIMILARITY = 0.6;

/** Describes audio by its length, loudness and pitch, in place of speech recognition. */
export function describeSound(sound: Pcm): string {
  const seconds = secondsOf(sound).toFixed(1);
  const loudness = loudnessOf(sound);
  if (loudness < MAX_SILENT_LOUDNESS) return `a silence of ${seconds} seconds`;
  const loud = loudness < MAX_QUIET_LOUDNESS ? 'quiet' : loudness < MIN_LOUD_LOUDNESS ? 'clear' : 'loud';
  const pitch = pitchOf(loudestWindow(sound));
  return `a ${loud} sound of ${seconds} seconds${pitch === undefined ? '' : `, at about ${pitch} hertz`}`;
}

/** The root mean square of the samples, which is 0.7 for a full-scale tone. */
export function loudnessOf(sound: Pcm): number {
  if (sound.length === 0) return 0;
  let sum = 0;
  for (const value of sound) sum += value * value;
  return Math.sqrt(sum / sound.length) / 32_768;
}

function loudestWindow(sound: Pcm): Pcm {
  const windows = Array.from({ length: Math.max(1, Math.floor(sound.length / WINDOW_SAMPLES)) }, (_, at) =>
    sound.subarray(at * WINDOW_SAMPLES, (at + 1) * WINDOW_SAMPLES),
  );
  return windows.reduce((best, one) => (loudnessOf(one) > loudnessOf(best) ? one : best));
}

/** The pitch to the nearest ten hertz, or undefined for noise. */
function pitchOf(window: Pcm): number | undefined {
  const shortest = Math.floor(PCM_RATE / MAX_PITCH_HZ);
  const similarity = (lag: number) => {
    let [product, own, other] = [0, 1, 1];
    for (let at = lag; at < window.length; at++) {
      const [now, then] = [window[at] ?? 0, window[at - lag] ?? 0];
      product += now * then;
      own += now * now;
      other += then * then;
    }
    return product / Math.sqrt(own * other);
  };
  const similarities = Array.from({ length: Math.floor(PCM_RATE / MIN_PITCH_HZ) - shortest }, (_, at) =>
    similarity(at + shortest),
  );
  // Takes the shortest lag that is nearly as similar as the best one, because its multiples are similar too.
  const best = Math.max(...similarities);
  if (best < MIN_SIMILARITY) return undefined;
  const at = similarities.findIndex(
    (value, index) =>
      value > best * 0.95 && value >= (similarities[index - 1] ?? value) && value >= (similarities[index + 1] ?? value),
  );
  return at < 0 ? undefined : Math.round(PCM_RATE / (at + shortest) / 10) * 10;
}
