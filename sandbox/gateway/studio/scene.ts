import { clamp, seedOf } from './random.ts';

/** Plain JSON data; the generated images are a pure function of it. */
export interface Scene {
  readonly prompt: string;
  readonly seed: number;
  /** The seeds towards which the scene's random numbers are moved, and how far. */
  readonly variations: readonly { readonly seed: number; readonly amount: number }[];
  /** The visible area: the offset of its centre from the first view in frames, and its width in frames. */
  readonly view: { readonly x: number; readonly y: number; readonly zoom: number };
}

const VARIATION_AMOUNTS = { subtle: 0.1, strong: 0.3 } as const;
/** Every random number depends on all variations, and the effect of a ninth would not be visible. */
const MAX_VARIATIONS = 8;
/** Beyond this factor, trees are too small to be recognizable, and the SVG grows to megabytes. */
const MAX_VIEW_FACTOR = 4;
const MAX_PAN = 6;
const PAN_STEP = 0.4;

export function sceneOf(prompt: string, seed: number): Scene {
  return { prompt, seed, variations: [], view: { x: 0, y: 0, zoom: 1 } };
}

/** A variation of a scene: the composition and the palette stay similar, and details change. */
export function variationOf(scene: Scene, seed: number, strength: 'subtle' | 'strong'): Scene {
  const variations = [...scene.variations, { seed: seedOf('variation', seed), amount: VARIATION_AMOUNTS[strength] }];
  return { ...scene, variations: variations.slice(-MAX_VARIATIONS) };
}

export function zoomOut(scene: Scene, factor: number): Scene {
  const validFactor = Number.isFinite(factor) && factor > 0 ? factor : 1;
  return { ...scene, view: { ...scene.view, zoom: clamp(scene.view.zoom * validFactor, 0.5, MAX_VIEW_FACTOR) } };
}

export function pan(scene: Scene, direction: 'left' | 'right' | 'up' | 'down'): Scene {
  const { x, y, zoom } = scene.view;
  const step = PAN_STEP * zoom;
  const dx = { left: -step, right: step, up: 0, down: 0 }[direction];
  const dy = { left: 0, right: 0, up: -step, down: step }[direction];
  const limit = (offset: number) => clamp(offset, -MAX_PAN, MAX_PAN);
  return { ...scene, view: { x: limit(x + dx), y: limit(y + dy), zoom } };
}
