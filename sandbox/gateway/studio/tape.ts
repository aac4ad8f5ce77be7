export const SAMPLE_RATE = 32_000;
const FULL_CIRCLE = Math.PI * 2;

export interface Tape {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

interface Note {
  /** In seconds, like `length`. */
  readonly start: number;
  readonly length: number;
  readonly pitch: number;
  readonly volume: number;
  /** From -1 (left) to 1 (right). */
  readonly pan: number;
}

const angularFrequencyOf = (pitch: number) => FULL_CIRCLE * 440 * 2 ** ((pitch - 69) / 12);
/** The volume at a time: rises to 1 within `rise` seconds, and falls to 0 within the last `fall` seconds. */
const envelope = (time: number, length: number, rise: number, fall: number) =>
  Math.max(0, Math.min(1, time / rise, (length - time) / fall));

/** Mixes a note into the tape; samples beyond its end are dropped. */
function record({ left, right }: Tape, { start, length, volume, pan }: Note, wave: (time: number) => number): void {
  const first = Math.round(start * SAMPLE_RATE);
  const last = Math.min(left.length, first + Math.round(length * SAMPLE_RATE));
  const angle = ((Math.max(-1, Math.min(1, pan)) + 1) * Math.PI) / 4;
  const [leftGain, rightGain] = [Math.cos(angle) * volume, Math.sin(angle) * volume];
  for (let index = Math.max(0, first); index < last; index++) {
    const value = wave((index - first) / SAMPLE_RATE);
    left[index] = (left[index] ?? 0) + value * leftGain;
    right[index] = (right[index] ?? 0) + value * rightGain;
  }
}

/** Records a soft voice for chords: three slightly detuned strings that fade in and out. */
export function pad(tape: Tape, note: Note): void {
  const length = note.length + 0.9;
  for (const voice of [-1, 0, 1]) {
    const angularFrequency = angularFrequencyOf(note.pitch + voice * 0.055);
    record(tape, { ...note, length, pan: note.pan + voice * 0.5 }, (time) => {
      const tone = Math.sin(angularFrequency * time) * 0.6 + Math.sin(angularFrequency * time * 2) * 0.18;
      return envelope(time, length, 0.5, 0.9) * (tone + Math.sin(angularFrequency * time * 3 + time * 0.7) * 0.08);
    });
  }
}

/** Records a bell whose overtones decay faster than its fundamental tone. */
export function bell(tape: Tape, note: Note): void {
  const length = note.length + 1.1;
  const angularFrequency = angularFrequencyOf(note.pitch);
  record(tape, { ...note, length }, (time) => {
    const overtones = Math.sin(angularFrequency * 3.01 * time) * 1.1 * Math.exp(-time * 9);
    return envelope(time, length, 0.003, 0.05) * Math.exp(-time * 2.6) * Math.sin(angularFrequency * time + overtones);
  });
}

export function bass(tape: Tape, note: Note): void {
  const angularFrequency = angularFrequencyOf(note.pitch);
  record(tape, note, (time) => {
    const tone = Math.sin(angularFrequency * time) + 0.25 * Math.sin(angularFrequency * 2 * time);
    return envelope(time, note.length, 0.02, 0.08) * Math.exp(-time * 0.9) * tone;
  });
}

/** Records a drum whose pitch falls quickly to the given one. */
export function drum(tape: Tape, note: Note): void {
  const angularFrequency = angularFrequencyOf(note.pitch);
  record(tape, note, (time) => {
    const phase = angularFrequency * time + FULL_CIRCLE * 5 * (1 - Math.exp(-time * 32));
    return Math.exp(-time * 13) * Math.sin(phase);
  });
}

/** Delays of the echoes in seconds; they are slightly longer on the right. */
const ECHO_DELAYS = [0.0297, 0.0371, 0.0411, 0.0437];
const EXTRA_RIGHT_DELAY = 0.0007;
const ECHO_VOLUME = 0.32;
const PEAK_LEVEL = 0.88;

/** Adds reverberation, fades both ends so that speakers do not click, and normalizes the peak level. */
export function master({ left, right }: Tape, fadeOut: number): void {
  echo(left, 0);
  echo(right, EXTRA_RIGHT_DELAY);
  let peak = 0.0001;
  for (const channel of [left, right]) for (const value of channel) peak = Math.max(peak, Math.abs(Math.tanh(value)));
  const last = (left.length - 1) / SAMPLE_RATE;
  for (const channel of [left, right])
    for (let index = 0; index < channel.length; index++) {
      const fade = envelope(index / SAMPLE_RATE, last, 0.005, fadeOut);
      channel[index] = (Math.tanh(channel[index] ?? 0) / peak) * PEAK_LEVEL * fade;
    }
}

/** Adds echoes that blend into reverberation. */
function echo(channel: Float32Array, extraDelay: number): void {
  const dry = Float32Array.from(channel);
  for (const delay of ECHO_DELAYS) {
    const delayLine = new Float32Array(Math.round((delay + extraDelay) * SAMPLE_RATE));
    let filtered = 0;
    for (let index = 0, position = 0; index < dry.length; index++, position = (position + 1) % delayLine.length) {
      const delayed = delayLine[position] ?? 0;
      filtered = delayed * 0.6 + filtered * 0.4;
      delayLine[position] = (dry[index] ?? 0) + filtered * 0.8;
      channel[index] = (channel[index] ?? 0) + (delayed * ECHO_VOLUME) / ECHO_DELAYS.length;
    }
  }
}
