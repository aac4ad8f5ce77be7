import type { Colour } from './colour.ts';
import { borrowed, type Palette, paletteOf } from './palette.ts';
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

/** A sheet of the scene. Far sheets have depth 0, near ones 1: a film moves them apart. */
export interface Layer {
  readonly svg: string;
  readonly depth: number;
  /** How far the sheet bends from side to side in a film, in world units. */
  readonly sway?: number;
  /** How much its light comes and goes in a film, 0 to 1. */
  readonly pulse?: number;
  /** What it turns around in a film, in world units, with the turn of a whole film in radians. */
  readonly spin?: { readonly x: number; readonly y: number; readonly angle: number };
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

export type Style = (tools: Tools) => Layer[];

const SHORT_SIDE = 1000;
/** Sets the numbers that decide about a swap apart from those that are swapped in. */
const SWAP = 0x5a5a;

export interface ToolsOptions {
  readonly margin: number;
  /** Colours of reference pictures, which take the place of the palette's own. */
  readonly colours: readonly Colour[];
}

export function toolsOf(scene: Scene, size: Size, { margin, colours }: ToolsOptions): Tools {
  const short = Math.min(size.width, size.height);
  const frame = { width: (size.width / short) * SHORT_SIDE, height: (size.height / short) * SHORT_SIDE };
  const { x, y, zoom } = scene.view;
  const [halfWidth, halfHeight] = [
    (frame.width * zoom * (1 + 2 * margin)) / 2,
    (frame.height * zoom * (1 + 2 * margin)) / 2,
  ];
  const [centreX, centreY] = [frame.width * (0.5 + x), frame.height * (0.5 + y)];
  const subject = subjectOf(scene.prompt);
  const dice = (name: string) => varied(scene, subject, name);
  return {
    frame,
    window: {
      left: centreX - halfWidth,
      top: centreY - halfHeight,
      right: centreX + halfWidth,
      bottom: centreY + halfHeight,
    },
    unit: (frame.width * zoom) / size.width,
    palette: borrowed(paletteOf(subject, chosen(scene, subject, 'palette', 0), dice('tint')), colours),
    subject,
    dice,
    choices: (name) => chosen(scene, subject, name),
  };
}

function chosen(scene: Scene, subject: Subject, name: string, share = 1): Dice {
  const steady = diceOf(seedOf(name, subject.hash, scene.seed));
  const others = scene.variations.map(({ seed, amount }) => ({
    dice: diceOf(seedOf(name, seed)),
    chance: amount * share,
  }));
  if (others.length === 0) return steady;
  return (i, j = 0) =>
    others.reduce((value, { dice, chance }) => (dice(i, j + SWAP) < chance ? dice(i, j) : value), steady(i, j));
}

function varied(scene: Scene, subject: Subject, name: string): Dice {
  const steady = diceOf(seedOf(name, subject.hash, scene.seed));
  const others = scene.variations.map(({ seed, amount }) => ({ dice: diceOf(seedOf(name, seed)), amount }));
  if (others.length === 0) return steady;
  return (i, j) => others.reduce((value, { dice, amount }) => value + (dice(i, j) - value) * amount, steady(i, j));
}
