import { type Colour, toCss } from './colour.ts';
import type { Figure } from './subject.ts';
import type { Window } from './tools.ts';

/**
 * Every style must use `fill-opacity` or `stroke-opacity` for single shapes, never `opacity`: for that, the renderer
 * allocates a buffer as large as the image, so a thousand stars would take ten seconds at 4K.
 */

/** Rounds to a tenth of a unit, which is less than half a pixel at the largest size. */
export const round = (value: number): string => String(Math.round(value * 10) / 10);
const roundToHundredth = (value: number): string => String(Math.round(value * 100) / 100);

/** A colour, or the id of a gradient. */
type Paint = Colour | string;
export const paint = (fill: Paint): string => (typeof fill === 'string' ? `url(#${fill})` : toCss(fill));

/** A colour of a gradient; colours without `at` are evenly spaced. */
interface Stop extends Colour {
  readonly at?: number;
  readonly opacity?: number;
}

export const stop = (at: number, colour: Colour, opacity = 1): Stop => ({ ...colour, at, opacity });

function stopsOf(stops: readonly Stop[]): string {
  const elements = stops.map((colour, index) => {
    const { at = index / (stops.length - 1), opacity = 1 } = colour;
    return `<stop offset="${roundToHundredth(at)}" stop-color="${toCss(colour)}" stop-opacity="${roundToHundredth(opacity)}"/>`;
  });
  return elements.join('');
}

/** A gradient from the top of a shape to its bottom, unless `attributes` says otherwise. */
export function gradient(id: string, stops: readonly Stop[], attributes = 'x2="0" y2="1"'): string {
  return `<linearGradient id="${id}" ${attributes}>${stopsOf(stops)}</linearGradient>`;
}

/** A gradient from one point to another. */
export function linearGradient(
  id: string,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  stops: readonly Stop[],
): string {
  const attributes = `gradientUnits="userSpaceOnUse" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
  return gradient(id, stops, attributes);
}

/** A gradient from one height to another. */
export function verticalGradient(id: string, top: number, bottom: number, stops: readonly Stop[]): string {
  return linearGradient(id, 0, top, 0, bottom, stops);
}

export function radialGradient(id: string, x: number, y: number, radius: number, stops: readonly Stop[]): string {
  return `<radialGradient id="${id}" gradientUnits="userSpaceOnUse" cx="${round(x)}" cy="${round(y)}" r="${round(radius)}">${stopsOf(stops)}</radialGradient>`;
}

export function rectangle(area: Window, fill: Paint): string {
  return `<rect x="${round(area.left)}" y="${round(area.top)}" width="${round(area.right - area.left)}" height="${round(area.bottom - area.top)}" fill="${paint(fill)}"/>`;
}

export function ellipse(x: number, y: number, rx: number, ry: number, fill: Paint, opacity = 1): string {
  return `<ellipse cx="${round(x)}" cy="${round(y)}" rx="${round(rx)}" ry="${round(ry)}" fill="${paint(fill)}" fill-opacity="${roundToHundredth(opacity)}"/>`;
}

export function circle(x: number, y: number, radius: number, fill: Paint, opacity = 1): string {
  return ellipse(x, y, radius, radius, fill, opacity);
}

export function shape(path: string, fill: Paint, opacity = 1): string {
  return `<path d="${path}" fill="${paint(fill)}" fill-opacity="${roundToHundredth(opacity)}"/>`;
}

export function line(path: string, colour: Colour, width: number, opacity = 1): string {
  return `<path d="${path}" fill="none" stroke="${toCss(colour)}" stroke-width="${round(width)}" stroke-linecap="round" stroke-opacity="${roundToHundredth(opacity)}"/>`;
}

/** Moves, rotates (in degrees) and scales a drawing around 0, 0. */
export function placeAt(x: number, y: number, angle: number, content: string, scale = 1): string {
  return `<g transform="translate(${round(x)} ${round(y)}) rotate(${round(angle)}) scale(${scale})">${content}</g>`;
}

/** A light that fades out; cheaper than a blur, and the same at every size. */
export function glow(id: string, x: number, y: number, radius: number, colour: Colour, opacity: number): string {
  const stops = [1, 0.62, 0.32, 0.13, 0.04, 0].map((factor) => ({ ...colour, opacity: opacity * factor }));
  return radialGradient(id, x, y, radius, stops) + circle(x, y, radius, id);
}

/** Calls `draw` for every grid cell that touches an area and joins the results; the grid is the same in every view. */
export function drawCells(
  { left, top, right, bottom }: Window,
  [width, height]: readonly [number, number],
  draw: (column: number, row: number) => string,
): string {
  const columns = cells(left, right, width);
  const drawings = cells(top, bottom, height).flatMap((row) => columns.map((column) => draw(column, row)));
  return drawings.join('');
}

/** The indexes of the cells that touch a range. */
export function cells(from: number, to: number, size: number): number[] {
  const first = Math.floor(from / size);
  return Array.from({ length: Math.max(0, Math.ceil(to / size) - first + 1) }, (_, index) => first + index);
}

/** A path that follows a height function across an area. */
export function contourPath({ left, right }: Window, step: number, height: (x: number) => number): string {
  const points = cells(left, right, step).map((cell) => `${round(cell * step)} ${round(height(cell * step))}`);
  return `M${points.join('L')}`;
}

/** The area between a path of `contourPath` and a floor. */
export function contourArea(area: Window, step: number, floor: number, height: (x: number) => number): string {
  return `${contourPath(area, step, height)}L${round(area.right + step)} ${round(floor)}H${round(area.left - step)}Z`;
}

/** Silhouettes in a box of 100 units above y = 0, each drawn in one colour. */
const FIGURE_PATHS: Readonly<Record<Figure, string>> = {
  cat: 'M-18 0C-28 -8 -27 -32 -15 -46C-10 -52 -8 -56 -8 -60C-15 -66 -16 -76 -12 -92L-3 -82Q3 -84 9 -82L18 -92C22 -76 20 -66 13 -60C14 -48 20 -36 21 -22C22 -12 21 -4 24 0ZM-16 0C-36 2 -52 -6 -50 -24C-49 -36 -41 -42 -37 -38C-33 -34 -39 -32 -40 -24C-41 -14 -30 -10 -18 -14Z',
  wolf: 'M-46 0L-44 -26C-52 -34 -54 -22 -60 -8C-66 -26 -60 -44 -44 -48L4 -54L16 -70L14 -84L24 -76L30 -86L34 -74L52 -64L50 -57L36 -54L26 -34L26 0L18 0L14 -28L-22 -28L-32 -20L-38 0Z',
  bird: 'M-50 -46Q-24 -66 0 -40Q24 -66 50 -46Q24 -54 2 -30Q0 -28 -2 -30Q-24 -54 -50 -46Z',
  boat: 'M-46 -14L46 -14Q38 2 28 2L-30 2Q-40 0 -46 -14ZM-4 -18L-4 -98Q22 -60 38 -20ZM-9 -18L-9 -84Q-34 -44 -38 -20Z',
  lighthouse: 'M-13 0L-8 -72L8 -72L13 0ZM-11 -73H11V-77H-11ZM-7 -78H7V-90H-7ZM-9 -90L0 -100L9 -90Z',
  house: 'M-32 0L-32 -34L-40 -34L-2 -66L12 -54L12 -64L20 -64L20 -47L36 -34L30 -34L30 0Z',
  pine: 'M-3 0L-3 -10L-30 -10L-11 -36L-24 -36L-8 -62L-18 -62L0 -100L18 -62L8 -62L24 -36L11 -36L30 -10L3 -10L3 0Z',
  rocket:
    'M-12 -16C-16 -50 -10 -80 0 -100C10 -80 16 -50 12 -16ZM-13 -36L-26 -8L-11 -16ZM13 -36L26 -8L11 -16ZM-6 -14L0 6L6 -14Z',
  balloon:
    'M0 -100C26 -100 36 -80 34 -64C32 -48 16 -34 8 -24L-8 -24C-16 -34 -32 -48 -34 -64C-36 -80 -26 -100 0 -100ZM-7 -16H7L5 -4H-5ZM-8 -24L-6 -16L-4 -16L-6 -24ZM8 -24L6 -16L4 -16L6 -24Z',
};

export function figureSvg(
  figure: Figure,
  x: number,
  y: number,
  height: number,
  fill: Colour,
  isFlipped = false,
): string {
  const scale = height / 100;
  return `<path transform="translate(${round(x)} ${round(y)}) scale(${(isFlipped ? -scale : scale).toFixed(3)} ${scale.toFixed(3)})" d="${FIGURE_PATHS[figure]}" fill="${toCss(fill)}"/>`;
}
