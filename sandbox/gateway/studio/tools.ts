import type { Colour } from './colour.ts';
import { type Palette, paletteOf } from './palette.ts';
import { type Dice, diceOf, seedOf } from './random.ts';
import type { Scene } from './scene.ts';
import type { Size } from './size.ts';
import { type Subject, subjectOf } from './subject.ts';

/** The part of the world that is drawn, in world units. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A sheet of the scene. Far sheets have depth 0, near ones 1: a video moves them apart. */
export interface Layer {
  readonly svg: string;
  readonly depth: number;
  /** How far the sheet bends from side to side in a video, in world units. */
  readonly sway?: number;
  /** How much its light comes and goes in a video, 0 to 1. */
  readonly pulse?: number;
}

export interface Tools {
  /** The first view of the scene: its short side is always 1000 units, so a style composes once for every aspect. */
  readonly frame: Size;
  readonly window: Window;
  /** World units per pixel: detail finer than this is not worth drawing. */
  readonly unit: number;
  readonly palette: Palette;
  readonly subject: Subject;
  /** Numbers that move a little in a relative of the scene. */
  dice(name: string): Dice;
  /** Numbers that choose one thing or another: in a relative most stay exactly as they were and a few are new. */
  choices(name: string): Dice;
}

const SHORT_SIDE = 1000;
/** Sets the numbers that decide about a swap apart from those that are swapped in. */
const SWAP = 0x5a5a;

/** `borrowed` are colours of reference images, which take the place of the palette's own. */
export function toolsOf(scene: Scene, size: Size, margin: number, borrowed: readonly Colour[]): Tools {
  const share = SHORT_SIDE / Math.min(size.width, size.height);
  const frame = { width: size.width * share, height: size.height * share };
  const { x, y, zoom } = scene.view;
  const half = zoom * (0.5 + margin);
  const [left, right] = [frame.width * (0.5 + x - half), frame.width * (0.5 + x + half)];
  const [top, bottom] = [frame.height * (0.5 + y - half), frame.height * (0.5 + y + half)];
  const subject = subjectOf(scene.prompt);
  const steady = (name: string) => diceOf(seedOf(name, subject.hash, scene.seed));
  const others = (name: string) =>
    scene.variations.map(({ seed, amount }) => ({ other: diceOf(seedOf(name, seed)), amount }));
  const dice = (name: string): Dice => {
    const [own, moved] = [steady(name), others(name)];
    return (i, j) => moved.reduce((value, { other, amount }) => value + (other(i, j) - value) * amount, own(i, j));
  };
  const choices = (name: string): Dice => {
    const [own, swapped] = [steady(name), others(name)];
    return (i, j = 0) =>
      swapped.reduce((value, { other, amount }) => (other(i, j + SWAP) < amount ? other(i, j) : value), own(i, j));
  };
  return {
    frame,
    window: { left, top, right, bottom },
    unit: (frame.width * zoom) / size.width,
    palette: paletteOf(subject, steady('palette'), dice('tint'), borrowed),
    subject,
    dice,
    choices,
  };
}
