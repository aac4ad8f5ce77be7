import { hashOf } from '../studio/random.ts';
import { PCM_RATE, type Pcm } from './pcm.ts';

/** The pitch of each voice. */
const PITCHES_HZ = {
  alloy: 170,
  ash: 110,
  ballad: 125,
  cedar: 100,
  coral: 215,
  echo: 120,
  marin: 205,
  sage: 195,
  shimmer: 230,
  verse: 140,
} as const;

export type Voice = keyof typeof PITCHES_HZ;
export const voices = Object.keys(PITCHES_HZ) as [Voice, ...Voice[]];

/** The two formants of each vowel. */
const VOWEL_RESONANCES_HZ: Readonly<Record<string, readonly [number, number]>> = {
  a: [730, 1090],
  e: [530, 1840],
  i: [270, 2290],
  o: [570, 840],
  u: [300, 870],
  y: [290, 2100],
};
const NEUTRAL_RESONANCES_HZ = [500, 1500] as const;

/** The factors by which the pitch varies between syllables, small enough to keep the voices distinguishable. */
const PITCH_FACTORS = [0.89, 0.94, 1, 1.06, 1.12];
const AMPLITUDE = 0.5;
const MAX_TONE_HZ = 4_000;
const MAX_SYLLABLES = 8;
const samplesIn = (ms: number) => Math.round((ms * PCM_RATE) / 1_000);
const FADE_IN_SAMPLES = samplesIn(15);
const FADE_OUT_SAMPLES = samplesIn(45);
const WORD_PAUSE_SAMPLES = samplesIn(30);
const SENTENCE_PAUSE_SAMPLES = samplesIn(180);

/** Synthesizes speech as one tone for each syllable; the same word and voice always sound the same. */
export function synthesizeSpeech(text: string, voice: Voice): Pcm {
  const words = spokenWordsOf(text).map((word) => synthesizeWord(word, voice));
  const samples = new Int16Array(words.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const word of words) {
    samples.set(word, offset);
    offset += word.length;
  }
  return samples;
}

/** The words in order, with the spaces around them. */
export const spokenWordsOf = (text: string): readonly string[] => text.match(/\s*\S{1,40}\s*/g) ?? [];

export function synthesizeWord(word: string, voice: Voice): Pcm {
  const samples = new Int16Array(sampleCountOf(word));
  let offset = 0;
  for (const syllable of syllablesOf(word)) {
    const length = lengthOf(syllable);
    synthesizeSyllable(samples.subarray(offset, offset + length), syllable, voice);
    offset += length;
  }
  return samples;
}

/** The length of a spoken word in samples, without synthesizing it. */
export function sampleCountOf(word: string): number {
  const syllableSamples = syllablesOf(word).reduce((sum, syllable) => sum + lengthOf(syllable), 0);
  return syllableSamples + (/[.!?;:,]["”’)]*\s*$/.test(word) ? SENTENCE_PAUSE_SAMPLES : WORD_PAUSE_SAMPLES);
}

/** Words without Latin vowels are spoken letter by letter. */
function syllablesOf(word: string): readonly string[] {
  const plainWord = word.trim().toLowerCase();
  return (plainWord.match(/[^aeiouy\s]*[aeiouy]+/g) ?? [...plainWord]).slice(0, MAX_SYLLABLES);
}

const lengthOf = (syllable: string) => samplesIn(110 + 20 * (hashOf(`${syllable} is long`) % 4));

function synthesizeSyllable(target: Pcm, syllable: string, voice: Voice): void {
  const pitchFactor = PITCH_FACTORS[hashOf(`${syllable} is high`) % PITCH_FACTORS.length] ?? 1;
  const period = periodOf(
    PITCHES_HZ[voice] * pitchFactor,
    VOWEL_RESONANCES_HZ[syllable.at(-1) ?? ''] ?? NEUTRAL_RESONANCES_HZ,
  );
  for (let offset = 0; offset < target.length; offset++) {
    const envelope = Math.min(1, offset / FADE_IN_SAMPLES, (target.length - offset) / FADE_OUT_SAMPLES);
    target[offset] = Math.round((period[offset % period.length] ?? 0) * envelope * AMPLITUDE * 32_767);
  }
}

/** The periods of all tones so far; there are only a few per voice, and each takes thousands of sines. */
const periods = new Map<string, Float32Array>();

function periodOf(pitch: number, resonances: readonly [number, number]): Float32Array {
  const name = `${pitch} ${resonances}`;
  const period = periods.get(name) ?? createPeriod(pitch, resonances);
  periods.set(name, period);
  return period;
}

/** One period of the tone with its overtones, normalized to a peak of 1. */
function createPeriod(pitch: number, [low, high]: readonly [number, number]): Float32Array {
  const period = new Float32Array(Math.round(PCM_RATE / pitch));
  for (let tone = 1; tone * pitch < MAX_TONE_HZ; tone++) {
    const resonanceGain = (resonance: number, width: number) => 1 / (1 + ((tone * pitch - resonance) / width) ** 2);
    const amplitude = (tone === 1 ? 0.8 : 0.05) + resonanceGain(low, 120) + 0.5 * resonanceGain(high, 200);
    for (let offset = 0; offset < period.length; offset++)
      period[offset] =
        (period[offset] ?? 0) + amplitude * Math.sin((2 * Math.PI * tone * offset) / period.length + tone);
  }
  const peak = period.reduce((highest, value) => Math.max(highest, Math.abs(value)), 0);
  return period.map((value) => value / peak);
}
