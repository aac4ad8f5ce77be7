import { type Dice, diceOf, itemAt, seedOf } from './random.ts';
import { type Mood, subjectOf } from './subject.ts';
import { bass, bell, drum, master, pad, SAMPLE_RATE, type Tape } from './tape.ts';
import { serveJobs } from './workshop.ts';

export interface SoundJob {
  readonly prompt: string;
  readonly seed: number;
  readonly seconds: number;
}

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;
const CHANNELS = 2;
const MAJOR_SCALE = [0, 2, 4, 5, 7, 9, 11];
const MINOR_SCALE = [0, 2, 3, 5, 7, 8, 10];
/** Progressions of four chords, as degrees of the scale, that can be repeated. */
const PROGRESSIONS = ['0453', '0534', '5304', '0234'] as const;
const DARK_MOODS: readonly Mood[] = ['night', 'dusk', 'cold', 'winter', 'autumn', 'mist', 'mono'];
const LIVELY_MOODS: readonly Mood[] = ['summer', 'bold', 'neon', 'future', 'noon'];
const BEATS_PER_BAR = 4;
/** The sandbox's audible watermark: always the same three rising notes. */
const CHIME_PITCHES = [79, 84, 88];
const CHIME_SECONDS = 1.1;

serveJobs((job: SoundJob) => wavOf(pieceOf(job)));

interface Bar {
  readonly tape: Tape;
  readonly start: number;
  readonly number: number;
  readonly beat: number;
  readonly dice: Dice;
  /** The pitch of a note, counted in scale steps from the root of the bar's chord. */
  pitchOf(step: number): number;
}

/** A short piece over four chords: pads and bass from the start, a melody from the second bar, percussion from the third. */
function pieceOf({ prompt, seed, seconds }: SoundJob): Tape {
  const { moods, hash } = subjectOf(prompt);
  const dice = diceOf(seedOf('piece', hash, seed));
  const tempo = (moods.some((mood) => LIVELY_MOODS.includes(mood)) ? 96 : 70) + Math.floor(dice(0) * 18);
  const scale = moods.some((mood) => DARK_MOODS.includes(mood)) || dice(2) < 0.3 ? MINOR_SCALE : MAJOR_SCALE;
  const [beat, root, chords] = [60 / tempo, 48 + Math.floor(dice(1) * 9), itemAt(PROGRESSIONS, dice(3))];
  const samples = Math.round(seconds * SAMPLE_RATE);
  const tape = { left: new Float32Array(samples), right: new Float32Array(samples) };
  for (const [index, pitch] of CHIME_PITCHES.entries())
    bell(tape, { start: 0.05 + index * 0.17, length: 0.7, pitch, volume: 0.5, pan: (index - 1) * 0.35 });
  for (let number = 0, start = CHIME_SECONDS; start < seconds; number++, start += beat * BEATS_PER_BAR) {
    const pitchOf = (step: number) => {
      const degree = Number(chords[number % BEATS_PER_BAR]) + step;
      return root + Math.floor(degree / scale.length) * 12 + (scale[degree % scale.length] ?? 0);
    };
    const bar = { tape, start, number, beat, dice, pitchOf };
    playChord(bar);
    if (number >= 1) playMelody(bar);
    if (number >= 2) playPercussion(bar);
  }
  master(tape, Math.min(2.5, seconds / 4));
  return tape;
}

function playChord({ tape, start, number, beat, dice, pitchOf }: Bar): void {
  const length = beat * BEATS_PER_BAR;
  for (const step of [0, 2, 4, 6])
    pad(tape, { start, length, pitch: pitchOf(step), volume: 0.06 - step * 0.004, pan: (step - 3) * 0.15 });
  const pitch = pitchOf(0) - 12;
  const fifth = dice(number, 9) < 0.4 ? 7 : 0;
  bass(tape, { start, length: beat * 1.9, pitch, volume: 0.2, pan: 0 });
  bass(tape, { start: start + beat * 2.5, length: beat * 1.4, pitch: pitch + fifth, volume: 0.15, pan: 0 });
}

/** The rhythm repeats every two bars, and most notes are in the chord, so that the random notes sound like a melody. */
function playMelody({ tape, start, number, beat, dice, pitchOf }: Bar): void {
  for (let halfBeat = 0; halfBeat < BEATS_PER_BAR * 2; halfBeat++) {
    const isOnBeat = halfBeat % 2 === 0;
    if (dice(halfBeat + (number % 2) * 8, 20) > (isOnBeat ? 0.72 : 0.34)) continue;
    const isOnChord = isOnBeat || dice(halfBeat, 24 + (number % 4)) < 0.5;
    const step = isOnChord
      ? itemAt([0, 2, 4, 7, 9], dice(halfBeat, 21 + (number % 4)))
      : Math.floor(dice(halfBeat, 30) * 7);
    const timing = (dice(number * 8 + halfBeat, 31) - 0.5) * 0.012;
    const [volume, pan] = [0.12 + 0.06 * dice(halfBeat, 22), (dice(halfBeat, 23) - 0.5) * 0.9];
    bell(tape, { start: start + halfBeat * beat * 0.5 + timing, length: 0.5, pitch: pitchOf(step) + 12, volume, pan });
  }
}

function playPercussion({ tape, start, number, beat, dice }: Bar): void {
  const strike = (beatOffset: number, volume: number) =>
    drum(tape, { start: start + beatOffset * beat, length: 0.32, pitch: 30, volume, pan: 0 });
  strike(0, 0.34);
  strike(dice(number % 2, 40) < 0.5 ? 2 : 2.5, 0.26);
}

/** RIFF WAVE, 16-bit PCM, stereo. */
function wavOf({ left, right }: Tape): Uint8Array<ArrayBuffer> {
  const frame = CHANNELS * BYTES_PER_SAMPLE;
  const bytes = Buffer.from(new ArrayBuffer(HEADER_BYTES + left.length * frame));
  bytes.write('RIFF....WAVEfmt ', 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(CHANNELS, 22);
  bytes.writeUInt32LE(SAMPLE_RATE, 24);
  bytes.writeUInt32LE(SAMPLE_RATE * frame, 28);
  bytes.writeUInt16LE(frame, 32);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(bytes.length - HEADER_BYTES, 40);
  const samples = new Int16Array(bytes.buffer, HEADER_BYTES);
  for (let index = 0; index < left.length; index++) {
    samples[index * 2] = Math.round((left[index] ?? 0) * 32767);
    samples[index * 2 + 1] = Math.round((right[index] ?? 0) * 32767);
  }
  return bytes;
}
