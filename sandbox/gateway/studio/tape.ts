export const SAMPLE_RATE = 32_000;

export interface Tape {
  readonly left: Float32Array;
  readonly right: Float32Array;
}

export function tapeOf(seconds: number): Tape {
  const samples = Math.round(seconds * SAMPLE_RATE);
  return { left: new Float32Array(samples), right: new Float32Array(samples) };
}

/** Records a sound from `start` seconds on; `pan` is -1 (left) to 1 (right). What runs off the tape is lost. */
export function record(tape: Tape, start: number, length: number, pan: number, sound: (time: number) => number): void {
  const first = Math.round(start * SAMPLE_RATE);
  const last = Math.min(tape.left.length, first + Math.round(length * SAMPLE_RATE));
  const toRight = Math.sin(((pan + 1) * Math.PI) / 4);
  const toLeft = Math.cos(((pan + 1) * Math.PI) / 4);
  for (let index = Math.max(0, first); index < last; index++) {
    const value = sound((index - first) / SAMPLE_RATE);
    tape.left[index] = (tape.left[index] as number) + value * toLeft;
    tape.right[index] = (tape.right[index] as number) + value * toRight;
  }
}

const COMBS = [0.0297, 0.0371, 0.0411, 0.0437];
const ALLPASSES = [0.005, 0.0017];

/** A room: four echoes that blur into each other, slightly apart between the ears. */
export function roomy(tape: Tape, amount: number): void {
  for (const [channel, spread] of [
    [tape.left, 0],
    [tape.right, 0.0007],
  ] as const) {
    let wet: Float32Array = new Float32Array(channel.length);
    for (const delay of COMBS) {
      const line = new Float32Array(Math.round((delay + spread) * SAMPLE_RATE));
      let dull = 0;
      for (let index = 0, at = 0; index < channel.length; index++, at = (at + 1) % line.length) {
        const echo = line[at] as number;
        dull = echo * 0.6 + dull * 0.4;
        line[at] = (channel[index] as number) + dull * 0.8;
        wet[index] = (wet[index] as number) + echo / COMBS.length;
      }
    }
    for (const delay of ALLPASSES) wet = diffused(wet, Math.round((delay + spread) * SAMPLE_RATE));
    for (let index = 0; index < channel.length; index++) {
      channel[index] = (channel[index] as number) + (wet[index] as number) * amount;
    }
  }
}

function diffused(source: Float32Array, delay: number): Float32Array {
  const line = new Float32Array(delay);
  return source.map((value, index) => {
    const at = index % delay;
    const held = line[at] as number;
    const passed = held - 0.6 * value;
    line[at] = value + 0.6 * passed;
    return passed;
  });
}

const CEILING = 0.88;

/** Fades both ends, so that no speaker clicks, and brings the loudest moment just under the ceiling. */
export function mastered(tape: Tape, fadeOut: number): void {
  let peak = 0.0001;
  for (const channel of [tape.left, tape.right]) {
    for (const value of channel) peak = Math.max(peak, Math.abs(Math.tanh(value)));
  }
  const total = tape.left.length;
  const [inwards, outwards] = [0.005 * SAMPLE_RATE, fadeOut * SAMPLE_RATE];
  for (const channel of [tape.left, tape.right]) {
    for (let index = 0; index < total; index++) {
      const fade = Math.min(1, index / inwards, (total - 1 - index) / outwards);
      channel[index] = (Math.tanh(channel[index] as number) / peak) * CEILING * Math.max(0, fade);
    }
  }
}
