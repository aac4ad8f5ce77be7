export const SAMPLE_RATE = 32_000;
const TURN = Math.PI * 2;

export interface Tape {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

interface Note {
  /** In seconds, as its length. */
  readonly start: number;
  readonly length: number;
  readonly pitch: number;
  readonly loud: number;
  /** From -1, left, to 1, right. */
  readonly pan: number;
}

const frequencyOf = (pitch: number) => TURN * 440 * 2 ** ((pitch - 69) / 12);
/** Rises to 1 in so many seconds and falls to 0 in so many at the end. */
const swell = (time: number, length: number, rise: number, fall: number) =>
  Math.max(0, Math.min(1, time / rise, (length - time) / fall));

/** Data that runs off the tape is lost. */
function record({ left, right }: Tape, { start, length, loud, pan }: Note, wave: (time: number) => number): void {
  const first = Math.round(start * SAMPLE_RATE);
  const last = Math.min(left.length, first + Math.round(length * SAMPLE_RATE));
  const angle = ((Math.max(-1, Math.min(1, pan)) + 1) * Math.PI) / 4;
  const [toLeft, toRight] = [Math.cos(angle) * loud, Math.sin(angle) * loud];
  for (let index = Math.max(0, first); index < last; index++) {
    const value = wave((index - first) / SAMPLE_RATE);
    left[index] = (left[index] ?? 0) + value * toLeft;
    right[index] = (right[index] ?? 0) + value * toRight;
  }
}

/** A soft chord voice: three strings a little out of tune, which swell and fade. */
export function pad(tape: Tape, note: Note): void {
  const length = note.length + 0.9;
  for (const string of [-1, 0, 1]) {
    const frequency = frequencyOf(note.pitch + string * 0.055);
    record(tape, { ...note, length, pan: note.pan + string * 0.5 }, (time) => {
      const tone = Math.sin(frequency * time) * 0.6 + Math.sin(frequency * time * 2) * 0.18;
      return swell(time, length, 0.5, 0.9) * (tone + Math.sin(frequency * time * 3 + time * 0.7) * 0.08);
    });
  }
}

/** A struck bell whose bright edge dies before its tone. */
export function bell(tape: Tape, note: Note): void {
  const length = note.length + 1.1;
  const frequency = frequencyOf(note.pitch);
  record(tape, { ...note, length }, (time) => {
    const edge = Math.sin(frequency * 3.01 * time) * 1.1 * Math.exp(-time * 9);
    return swell(time, length, 0.003, 0.05) * Math.exp(-time * 2.6) * Math.sin(frequency * time + edge);
  });
}

export function bass(tape: Tape, note: Note): void {
  const frequency = frequencyOf(note.pitch);
  record(tape, note, (time) => {
    const tone = Math.sin(frequency * time) + 0.25 * Math.sin(frequency * 2 * time);
    return swell(time, note.length, 0.02, 0.08) * Math.exp(-time * 0.9) * tone;
  });
}

/** A skin that falls to its pitch. */
export function drum(tape: Tape, note: Note): void {
  const frequency = frequencyOf(note.pitch);
  record(tape, note, (time) => {
    const fallen = frequency * time + TURN * 5 * (1 - Math.exp(-time * 32));
    return Math.exp(-time * 13) * Math.sin(fallen);
  });
}

/** Seconds between an echo and the next; the right ear hears each a little later. */
const ECHOES = [0.0297, 0.0371, 0.0411, 0.0437];
const LATER = 0.0007;
const WET = 0.32;
const CEILING = 0.88;

/** Puts the sound into a room, fades both ends, so no speaker clicks, and brings the loudest moment under the ceiling. */
export function mastered({ left, right }: Tape, fadeOut: number): void {
  echo(left, 0);
  echo(right, LATER);
  let peak = 0.0001;
  for (const channel of [left, right]) for (const value of channel) peak = Math.max(peak, Math.abs(Math.tanh(value)));
  const last = (left.length - 1) / SAMPLE_RATE;
  for (const channel of [left, right])
    for (let index = 0; index < channel.length; index++) {
      const fade = swell(index / SAMPLE_RATE, last, 0.005, fadeOut);
      channel[index] = (Math.tanh(channel[index] ?? 0) / peak) * CEILING * fade;
    }
}

/** Echoes that blur into each other. */
function echo(channel: Float32Array, later: number): void {
  const dry = Float32Array.from(channel);
  for (const delay of ECHOES) {
    const line = new Float32Array(Math.round((delay + later) * SAMPLE_RATE));
    let dull = 0;
    for (let index = 0, at = 0; index < dry.length; index++, at = (at + 1) % line.length) {
      const held = line[at] ?? 0;
      dull = held * 0.6 + dull * 0.4;
      line[at] = (dry[index] ?? 0) + dull * 0.8;
      channel[index] = (channel[index] ?? 0) + (held * WET) / ECHOES.length;
    }
  }
}
