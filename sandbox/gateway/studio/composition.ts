import { round } from './drawing.ts';
import type { Reference } from './reference.ts';
import type { Scene } from './scene.ts';
import type { Size } from './size.ts';
import { bauhaus } from './styles/bauhaus.ts';
import { botanical } from './styles/botanical.ts';
import { city } from './styles/city.ts';
import { cosmos } from './styles/cosmos.ts';
import { landscape } from './styles/landscape.ts';
import { ribbons } from './styles/ribbons.ts';
import { seascape } from './styles/seascape.ts';
import { seigaiha } from './styles/seigaiha.ts';
import { type Layer, type Tools, toolsOf, type Window } from './tools.ts';

const STYLES = { landscape, seascape, seigaiha, city, botanical, cosmos, ribbons, bauhaus };
/** The word SANDBOX as strokes, each letter on a grid four units wide and six high, because a minimal system has no fonts. */
const WATERMARK_PATH =
  'M4 .8Q3.4 0 2 0Q0 0 0 1.5Q0 2.7 2 3Q4 3.3 4 4.5Q4 6 2 6Q.6 6 0 5.2M6.2 6L8.2 0L10.2 6M7 4H9.4M12.4 6V0L16.4 6V0M18.6 0V6H20.2Q22.6 6 22.6 3Q22.6 0 20.2 0ZM24.8 0V6H27.1Q28.8 6 28.8 4.4Q28.8 2.9 27.1 2.9H24.8M27.1 2.9Q28.5 2.9 28.5 1.45Q28.5 0 27.1 0H24.8M33 0Q31 0 31 3Q31 6 33 6Q35 6 35 3Q35 0 33 0ZM37.2 0L41.2 6M41.2 0L37.2 6';
const WATERMARK_WIDTH = 41.2;
const WATERMARK_HEIGHT = 6;
const WATERMARK_SHARE = 0.0165;
const MIN_WATERMARK_SIZE = 7;

/**
 * `frame` determines the aspect ratio and the level of detail. `margin` is the share of the view that is added on every
 * side, so that a camera can move.
 */
export function compositionOf(
  scene: Scene,
  frame: Size,
  references: readonly Reference[],
  margin = 0,
): { tools: Tools; layers: Layer[] } {
  const colours = references.flatMap((reference) => reference.colours);
  const tools = toolsOf(scene, frame, margin, colours);
  const layers = STYLES[tools.subject.style](tools);
  const stripsLayer = (opacity: number, depth: number): Layer[] =>
    references.length === 0 ? [] : [{ svg: `<g opacity="${opacity}">${stripsSvg(tools, references)}</g>`, depth }];
  // The references appear behind everything but the sky, and again as a faint layer in front.
  return {
    tools,
    layers: [...layers.slice(0, 1), ...stripsLayer(0.82, 0.05), ...layers.slice(1), ...stripsLayer(0.4, 0.3)],
  };
}

export function svgOf({ left, top, right, bottom }: Window, size: Size, content: string): Buffer {
  const view = [left, top, right - left, bottom - top].map(round).join(' ');
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="${view}" preserveAspectRatio="none">${content}</svg>`,
  );
}

/** A watermark that shows where the result comes from; the dark halo under its light strokes keeps it legible on any image. */
export function watermarkOf({ width, height }: Size): Buffer {
  const preferredScale = Math.max(MIN_WATERMARK_SIZE, Math.min(width, height) * WATERMARK_SHARE) / WATERMARK_HEIGHT;
  const scale = Math.min(preferredScale, (width * 0.8) / WATERMARK_WIDTH, (height * 0.5) / WATERMARK_HEIGHT);
  const gap = Math.min(scale * 7, (width - WATERMARK_WIDTH * scale) / 2, (height - WATERMARK_HEIGHT * scale) / 2);
  const transform = `translate(${width - gap - WATERMARK_WIDTH * scale} ${height - gap - WATERMARK_HEIGHT * scale}) scale(${scale})`;
  const stroke = (colour: string, strokeWidth: number, opacity: number) =>
    `<path d="${WATERMARK_PATH}" stroke="${colour}" stroke-width="${strokeWidth}" stroke-opacity="${opacity}"/>`;
  const strokes = stroke('#000', 3.4, 0.14) + stroke('#000', 2, 0.42) + stroke('#fff', 0.8, 0.96);
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g fill="none" stroke-linecap="round" stroke-linejoin="round" transform="${transform}">${strokes}</g></svg>`,
  );
}

/** Shows the references side by side, each fading into the previous one. */
function stripsSvg({ frame }: Tools, references: readonly Reference[]): string {
  const width = frame.width / references.length;
  const fadeMask = `<linearGradient id="melting"><stop stop-color="#fff" stop-opacity="0"/><stop offset=".4" stop-color="#fff"/></linearGradient><mask id="fadeMask" maskContentUnits="objectBoundingBox"><rect width="1" height="1" fill="url(#melting)"/></mask>`;
  const images = references.map(({ uri }, index) => {
    const left = index === 0 ? -0.1 * frame.width : (index - 0.35) * width;
    const right = index === references.length - 1 ? 1.1 * frame.width : (index + 1.35) * width;
    const area = `x="${round(left)}" y="${round(-0.1 * frame.height)}" width="${round(right - left)}" height="${round(1.2 * frame.height)}"`;
    const image = `<image href="${uri}" ${area} preserveAspectRatio="xMidYMid slice"/>`;
    return index === 0 ? image : `<g mask="url(#fadeMask)">${image}</g>`;
  });
  return fadeMask + images.join('');
}
