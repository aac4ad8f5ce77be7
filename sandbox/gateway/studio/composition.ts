import { n } from './drawing.ts';
import { markSvg } from './mark.ts';
import type { Reference } from './reference.ts';
import type { Scene } from './scene.ts';
import type { Size } from './size.ts';
import { styles } from './styles/index.ts';
import { type Layer, type Tools, toolsOf } from './tools.ts';
import { woven } from './weave.ts';

export interface Composition {
  readonly tools: Tools;
  readonly layers: readonly Layer[];
}

export interface CompositionOptions {
  readonly references?: readonly Reference[];
  /** Shows this much more of the world on every side, as a part of the view: room for a camera to move. */
  readonly margin?: number;
}

/** `frame` gives the aspect and the detail to compose for; a quadrant of a grid has the frame of the whole. */
export function compositionOf(scene: Scene, frame: Size, options: CompositionOptions = {}): Composition {
  const references = options.references ?? [];
  const tools = toolsOf(scene, frame, {
    margin: options.margin ?? 0,
    colours: references.flatMap(({ colours }) => colours),
  });
  return { tools, layers: woven(tools, styles[tools.subject.style](tools), references) };
}

export function svgOf({ window }: Tools, size: Size, content: string): Buffer {
  const { left, top, right, bottom } = window;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${size.width}" height="${size.height}" viewBox="${n(left)} ${n(top)} ${n(right - left)} ${n(bottom - top)}" preserveAspectRatio="none">${content}</svg>`,
  );
}

export function markOf(size: Size): Buffer {
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${markSvg(size)}</svg>`,
  );
}
