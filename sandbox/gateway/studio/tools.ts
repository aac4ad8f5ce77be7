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

/** A layer of the scene. Depth is 0 for far and 1 for near layers, which move differently in a video. */
export interface Layer {
  readonly svg: string;
  readonly depth: number;
  /** How far the layer sways from side to side in a video, in world units. */
  readonly sway?: number;
  /** How much its opacity pulsates in a video, from 0 to 1. */
  readonly pulse?: number;
}

export interface Tools {
  /** The first view of the scene. Its short side is always 1000 units, so that styles do not depend on the pixel size. */
  readonly frame: Size;
  readonly window: Window;
  /** World units per pixel; details smaller than this need not be drawn. */
  readonly unit: number;
  readonly palette: Palette;
  readonly subject: Subject;
  /** Random numbers that change a little in a variation of the scene. */
  randomFor(name: string): Dice;
  /** Random numbers for choices; in a variation of the scene, most stay exactly the same and a few are replaced. */
  choices(name: string): Dice;
}

const SHORT_SIDE = 1000;
/** Keeps the random numbers that decide about a replacement apart from the replacements themselves. */
const REPLACEMENT_OFFSET = 0x5a5a;

/** `referenceColours` are colours of reference images, which are blended into the palette. */
export function toolsOf(scene: Scene, size: Size, margin: number, referenceColours: readonly Colour[]): Tools {
  const unitsPerPixel = SHORT_SIDE / Math.min(size.width, size.height);
  const frame = { width: size.width * unitsPerPixel, height: size.height * unitsPerPixel };
  const { x, y, zoom } = scene.view;
  const halfExtent = zoom * (0.5 + margin);
  const [left, right] = [frame.width * (0.5 + x - halfExtent), frame.width * (0.5 + x + halfExtent)];
  const [top, bottom] = [frame.height * (0.5 + y - halfExtent), frame.height * (0.5 + y + halfExtent)];
  const subject = subjectOf(scene.prompt);
  const fixedDice = (name: string) => diceOf(seedOf(name, subject.hash, scene.seed));
  const variationDice = (name: string) =>
    scene.variations.map(({ seed, amount }) => ({ other: diceOf(seedOf(name, seed)), amount }));
  const randomFor = (name: string): Dice => {
    const [base, variations] = [fixedDice(name), variationDice(name)];
    return (i, j) =>
      variations.reduce((value, { other, amount }) => value + (other(i, j) - value) * amount, base(i, j));
  };
  const choices = (name: string): Dice => {
    const [base, variations] = [fixedDice(name), variationDice(name)];
    return (i, j = 0) =>
      variations.reduce(
        (value, { other, amount }) => (other(i, j + REPLACEMENT_OFFSET) < amount ? other(i, j) : value),
        base(i, j),
      );
  };
  return {
    frame,
    window: { left, top, right, bottom },
    unit: (frame.width * zoom) / size.width,
    palette: paletteOf(subject, fixedDice('palette'), randomFor('tint'), referenceColours),
    subject,
    randomFor,
    choices,
  };
}
