import { PCM_RATE, type Pcm, secondsOf } from './pcm.ts';

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
export function describeAudio(audio: Pcm): string {
  const seconds = secondsOf(audio).toFixed(1);
  const loudness = loudnessOf(audio);
  if (loudness < MAX_SILENT_LOUDNESS) return `a silence of ${seconds} seconds`;
  const loudnessName = loudness < MAX_QUIET_LOUDNESS ? 'quiet' : loudness < MIN_LOUD_LOUDNESS ? 'clear' : 'loud';
  const pitch = pitchOf(loudestWindow(audio));
  return `a ${loudnessName} sound of ${seconds} seconds${pitch === undefined ? '' : `, at about ${pitch} hertz`}`;
}

/** The root mean square of the samples, which is 0.7 for a full-scale tone. */
export function loudnessOf(audio: Pcm): number {
  if (audio.length === 0) return 0;
  let sum = 0;
  for (const value of audio) sum += value * value;
  return Math.sqrt(sum / audio.length) / 32_768;
}

function loudestWindow(audio: Pcm): Pcm {
  const windows = Array.from({ length: Math.max(1, Math.floor(audio.length / WINDOW_SAMPLES)) }, (_, windowIndex) =>
    audio.subarray(windowIndex * WINDOW_SAMPLES, (windowIndex + 1) * WINDOW_SAMPLES),
  );
  return windows.reduce((best, one) => (loudnessOf(one) > loudnessOf(best) ? one : best));
}

/** The pitch to the nearest ten hertz, or undefined for noise. */
function pitchOf(window: Pcm): number | undefined {
  const minLag = Math.floor(PCM_RATE / MAX_PITCH_HZ);
  const similarity = (lag: number) => {
    let [product, energy, laggedEnergy] = [0, 1, 1];
    for (let sampleIndex = lag; sampleIndex < window.length; sampleIndex++) {
      const [sample, laggedSample] = [window[sampleIndex] ?? 0, window[sampleIndex - lag] ?? 0];
      product += sample * laggedSample;
      energy += sample * sample;
      laggedEnergy += laggedSample * laggedSample;
    }
    return product / Math.sqrt(energy * laggedEnergy);
  };
  const similarities = Array.from({ length: Math.floor(PCM_RATE / MIN_PITCH_HZ) - minLag }, (_, lagIndex) =>
    similarity(lagIndex + minLag),
  );
  // Chooses the shortest lag whose similarity is close to the best, because the multiples of a lag are similar too.
  const best = Math.max(...similarities);
  if (best < MIN_SIMILARITY) return undefined;
  const bestIndex = similarities.findIndex(
    (value, index) =>
      value > best * 0.95 && value >= (similarities[index - 1] ?? value) && value >= (similarities[index + 1] ?? value),
  );
  return bestIndex < 0 ? undefined : Math.round(PCM_RATE / (bestIndex + minLag) / 10) * 10;
}
