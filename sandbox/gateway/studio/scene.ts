import { clamped, seedOf } from './random.ts';

/** Plain JSON data; everything drawn is a pure function of it. */
export interface Scene {
  readonly prompt: string;
  readonly seed: number;
  /** How far its numbers have moved towards those of other seeds. */
  readonly variations: readonly { readonly seed: number; readonly amount: number }[];
  /** The visible area: the centre's distance from the first view in frames, and how many frames wide. */
  readonly view: { readonly x: number; readonly y: number; readonly zoom: number };
}

const AMOUNT = { subtle: 0.1, strong: 0.3 } as const;
/** Each variation is looked up for every number of the image. A ninth would not be visible. */
const MAX_VARIATIONS = 8;
/** Beyond this a forest is a texture and an SVG is megabytes. */
const MAX_VIEW_FACTOR = 4;
const FURTHEST_PAN = 6;
const PAN_STEP = 0.4;

export function sceneOf(prompt: string, seed: number): Scene {
  return { prompt, seed, variations: [], view: { x: 0, y: 0, zoom: 1 } };
}

/** A near relative: same composition and palette family, details moved. */
export function relative(scene: Scene, seed: number, strength: 'subtle' | 'strong'): Scene {
  const variations = [...scene.variations, { seed: seedOf('variation', seed), amount: AMOUNT[strength] }];
  return { ...scene, variations: variations.slice(-MAX_VARIATIONS) };
}

export function zoomedOut(scene: Scene, factor: number): Scene {
  const times = Number.isFinite(factor) && factor > 0 ? factor : 1;
  return { ...scene, view: { ...scene.view, zoom: clamped(scene.view.zoom * times, 0.5, MAX_VIEW_FACTOR) } };
}

export function panned(scene: Scene, direction: 'left' | 'right' | 'up' | 'down'): Scene {
  const { x, y, zoom } = scene.view;
  const step = PAN_STEP * zoom;
  const across = { left: -step, right: step, up: 0, down: 0 }[direction];
  const along = { left: 0, right: 0, up: -step, down: step }[direction];
  const near = (place: number) => clamped(place, -FURTHEST_PAN, FURTHEST_PAN);
  return { ...scene, view: { x: near(x + across), y: near(y + along), zoom } };
}
