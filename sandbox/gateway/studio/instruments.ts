import { scramble } from './random.ts';
import { record, type Tape } from './tape.ts';

const TURN = Math.PI * 2;

export interface Note {
  readonly start: number;
  readonly length: number;
  readonly pitch: number;
  readonly loud: number;
  readonly pan: number;
}

const frequencyOf = (pitch: number) => 440 * 2 ** ((pitch - 69) / 12);

/** A soft chord voice: three strings a little out of tune, which swell and fade. */
export function pad(tape: Tape, { start, length, pitch, loud, pan }: Note): void {
  const tail = 0.9;
  for (const [index, detune] of [-0.05, 0, 0.06].entries()) {
    const frequency = frequencyOf(pitch + detune) * TURN;
    record(tape, start, length + tail, Math.max(-1, Math.min(1, pan + (index - 1) * 0.5)), (time) => {
      const swell = Math.min(1, time / 0.5) * Math.min(1, Math.max(0, (length + tail - time) / tail));
      const turn = frequency * time;
      return loud * swell * (Math.sin(turn) * 0.6 + Math.sin(turn * 2) * 0.18 + Math.sin(turn * 3 + time * 0.7) * 0.08);
    });
  }
}

/** A struck bell whose bright edge dies before its tone. */
export function bell(tape: Tape, { start, length, pitch, loud, pan }: Note): void {
  const frequency = frequencyOf(pitch) * TURN;
  const ring = length + 1.1;
  record(tape, start, ring, pan, (time) => {
    const edge = Math.sin(frequency * 3.01 * time) * 1.1 * Math.exp(-time * 9);
    const end = Math.min(1, (ring - time) / 0.05);
    return loud * Math.min(1, time / 0.003) * Math.exp(-time * 2.6) * end * Math.sin(frequency * time + edge);
  });
}

export function bass(tape: Tape, { start, length, pitch, loud, pan }: Note): void {
  const frequency = frequencyOf(pitch) * TURN;
  record(tape, start, length, pan, (time) => {
    const shape = Math.min(1, time / 0.02) * Math.min(1, (length - time) / 0.08) * Math.exp(-time * 0.9);
    return loud * shape * (Math.sin(frequency * time) + 0.25 * Math.sin(frequency * 2 * time));
  });
}

export function drum(tape: Tape, start: number, loud: number): void {
  record(
    tape,
    start,
    0.32,
    0,
    (time) => loud * Math.exp(-time * 13) * Math.sin(TURN * (46 * time + 5 * (1 - Math.exp(-time * 32)))),
  );
}

/** Seeds in a gourd: noise without its low part. */
export function shaker(tape: Tape, start: number, loud: number, seed: number): void {
  let before = 0;
  let index = 0;
  record(tape, start, 0.09, ((seed % 5) - 2) * 0.15, (time) => {
    const noise = scramble(seed + index++) / 0x80000000 - 1;
    const bright = noise - before;
    before = noise;
    return loud * Math.min(1, time / 0.008) * Math.exp(-time * 55) * bright;
  });
}

/** The sandbox's mark in sound: three rising notes, always the same. */
export function chime(tape: Tape): void {
  for (const [index, pitch] of [79, 84, 88].entries()) {
    bell(tape, { start: 0.05 + index * 0.17, length: 0.7, pitch, loud: 0.5, pan: (index - 1) * 0.35 });
  }
}
