import { bass, bell, chime, drum, pad, shaker } from './instruments.ts';
import { type Dice, diceOf, seedOf } from './random.ts';
import { subjectOf } from './subject.ts';
import { mastered, roomy, type Tape, tapeOf } from './tape.ts';

const MAJOR = [0, 2, 4, 5, 7, 9, 11];
const MINOR = [0, 2, 3, 5, 7, 8, 10];
/** Degrees of the scale, each four chords that lead back to the first. */
const PROGRESSIONS = [
  [0, 4, 5, 3],
  [0, 5, 3, 4],
  [5, 3, 0, 4],
  [0, 2, 3, 4],
  [0, 3, 5, 4],
  [3, 4, 2, 5],
] as const;
const BEATS = 4;
const AFTER_CHIME = 1.1;

interface Plan {
  readonly beat: number;
  readonly root: number;
  readonly scale: readonly number[];
  readonly chords: readonly number[];
  readonly dice: Dice;
}

/** A short piece over four chords: pads and bass from the start, the melody after a bar, percussion after two. */
export function pieceOf(prompt: string, seed: number, seconds: number): Tape {
  const tape = tapeOf(seconds);
  const plan = planOf(prompt, seed);
  const bar = plan.beat * BEATS;
  chime(tape);
  for (let index = 0; AFTER_CHIME + index * bar < seconds; index++)
    playBar(tape, plan, index, AFTER_CHIME + index * bar);
  roomy(tape, 0.32);
  mastered(tape, Math.min(2.5, seconds / 4));
  return tape;
}

function planOf(prompt: string, seed: number): Plan {
  const subject = subjectOf(prompt);
  const dice = diceOf(seedOf('piece', subject.hash, seed));
  const dark = subject.moods.some((mood) =>
    ['night', 'dusk', 'cold', 'winter', 'autumn', 'mist', 'mono'].includes(mood),
  );
  const lively = subject.moods.some((mood) => ['summer', 'bold', 'neon', 'future', 'noon'].includes(mood));
  const tempo = (lively ? 96 : 70) + Math.floor(dice(0) * 18);
  return {
    beat: 60 / tempo,
    root: 48 + Math.floor(dice(1) * 9),
    scale: dark || dice(2) < 0.3 ? MINOR : MAJOR,
    chords: PROGRESSIONS[Math.floor(dice(3) * PROGRESSIONS.length)] ?? PROGRESSIONS[0],
    dice,
  };
}

function pitchOf({ root, scale }: Plan, degree: number): number {
  const octave = Math.floor(degree / scale.length);
  return root + octave * 12 + (scale[degree - octave * scale.length] ?? 0);
}

function playBar(tape: Tape, plan: Plan, index: number, start: number): void {
  const { beat, chords, dice } = plan;
  const chord = chords[index % chords.length] ?? 0;
  for (const [voice, step] of [0, 2, 4, 6].entries()) {
    const pitch = pitchOf(plan, chord + step);
    pad(tape, { start, length: beat * BEATS, pitch, loud: voice === 3 ? 0.03 : 0.055, pan: (voice - 1.5) * 0.3 });
  }
  const low = pitchOf(plan, chord) - 12;
  bass(tape, { start, length: beat * 1.9, pitch: low, loud: 0.2, pan: 0 });
  bass(tape, {
    start: start + beat * 2.5,
    length: beat * 1.4,
    pitch: low + (dice(index, 9) < 0.4 ? 7 : 0),
    loud: 0.15,
    pan: 0,
  });
  if (index >= 1) playMelody(tape, plan, index, start, chord);
  if (index >= 2) playPercussion(tape, plan, index, start);
}

/** The rhythm returns every two bars and the notes lean on the chord: what makes a walk a tune. */
function playMelody(tape: Tape, plan: Plan, index: number, start: number, chord: number): void {
  const { beat, dice } = plan;
  for (let half = 0; half < BEATS * 2; half++) {
    const rhythm = dice(half + (index % 2) * 8, 20);
    if (rhythm > (half % 2 === 0 ? 0.72 : 0.34)) continue;
    const onChord = half % 2 === 0 || dice(half, 24 + (index % 4)) < 0.5;
    const step = onChord
      ? ([0, 2, 4, 7, 9][Math.floor(dice(half, 21 + (index % 4)) * 5)] ?? 0)
      : Math.floor(dice(half, 30) * 7);
    const pitch = pitchOf(plan, chord + step) + 12;
    const late = (dice(index * 8 + half, 31) - 0.5) * 0.012;
    bell(tape, {
      start: start + half * beat * 0.5 + late,
      length: 0.5,
      pitch,
      loud: 0.12 + 0.06 * dice(half, 22),
      pan: (dice(half, 23) - 0.5) * 0.9,
    });
  }
}

function playPercussion(tape: Tape, { beat, dice }: Plan, index: number, start: number): void {
  drum(tape, start, 0.34);
  drum(tape, start + beat * (dice(index % 2, 40) < 0.5 ? 2 : 2.5), 0.26);
  for (let half = 0; half < BEATS * 2; half++) {
    const loud = half % 4 === 2 ? 0.075 : 0.035;
    shaker(tape, start + half * beat * 0.5, loud, index * 97 + half);
  }
}
