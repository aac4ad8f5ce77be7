import { type Colour, css } from './colour.ts';
import type { Window } from './tools.ts';

/**
 * A rule for every style: a single shape gets `fill-opacity` or `stroke-opacity`, never `opacity`, for which the renderer
 * makes a sheet of its own as large as the picture; a thousand stars would take ten seconds at 4K.
 */

/** A tenth of a unit is less than half a pixel at the largest size drawn. */
export const n = (value: number): string => String(Math.round(value * 10) / 10);
const share = (value: number): string => String(Math.round(value * 100) / 100);

/** A colour, or the name of a gradient. */
type Paint = Colour | string;
export const paint = (fill: Paint): string => (typeof fill === 'string' ? `url(#${fill})` : css(fill));

/** A colour of a gradient; those without a place stand evenly spaced. */
interface Stop extends Colour {
  readonly at?: number;
  readonly opacity?: number;
}

export const stop = (at: number, colour: Colour, opacity = 1): Stop => ({ ...colour, at, opacity });

const stopsOf = (stops: readonly Stop[]) =>
  stops
    .map((colour, index) => {
      const { at = index / (stops.length - 1), opacity = 1 } = colour;
      return `<stop offset="${share(at)}" stop-color="${css(colour)}" stop-opacity="${share(opacity)}"/>`;
    })
    .join('');

/** A gradient from the top of a shape to its foot, unless attributes say something else. */
export function gradient(id: string, stops: readonly Stop[], where = 'x2="0" y2="1"'): string {
  return `<linearGradient id="${id}" ${where}>${stopsOf(stops)}</linearGradient>`;
}

/** A gradient from one place to another. */
export function ramp(id: string, x1: number, y1: number, x2: number, y2: number, stops: readonly Stop[]): string {
  const where = `gradientUnits="userSpaceOnUse" x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}"`;
  return gradient(id, stops, where);
}

/** A gradient from one height to another. */
export function fall(id: string, top: number, bottom: number, stops: readonly Stop[]): string {
  return ramp(id, 0, top, 0, bottom, stops);
}

export function radial(id: string, x: number, y: number, radius: number, stops: readonly Stop[]): string {
  return `<radialGradient id="${id}" gradientUnits="userSpaceOnUse" cx="${n(x)}" cy="${n(y)}" r="${n(radius)}">${stopsOf(stops)}</radialGradient>`;
}

export function rectangle(area: Window, fill: Paint): string {
  return `<rect x="${n(area.left)}" y="${n(area.top)}" width="${n(area.right - area.left)}" height="${n(area.bottom - area.top)}" fill="${paint(fill)}"/>`;
}

export function circle(x: number, y: number, radius: number, fill: Paint, opacity = 1): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${paint(fill)}"${opacity < 1 ? ` fill-opacity="${share(opacity)}"` : ''}/>`;
}

export function ellipse(x: number, y: number, rx: number, ry: number, fill: Paint, opacity = 1): string {
  return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" fill="${paint(fill)}" fill-opacity="${share(opacity)}"/>`;
}

export function shape(path: string, fill: Paint, opacity = 1): string {
  return `<path d="${path}" fill="${paint(fill)}" fill-opacity="${share(opacity)}"/>`;
}

export function line(path: string, colour: Colour, width: number, opacity = 1): string {
  return `<path d="${path}" fill="none" stroke="${css(colour)}" stroke-width="${n(width)}" stroke-linecap="round" stroke-opacity="${share(opacity)}"/>`;
}

/** What is drawn around 0, 0, put somewhere, turned by degrees and enlarged. */
export function placed(x: number, y: number, angle: number, content: string, scale = 1): string {
  const transform = `translate(${n(x)} ${n(y)}) rotate(${n(angle)}) scale(${scale})`;
  return `<g transform="${transform}">${content}</g>`;
}

/** A light that fades to nothing: cheaper than a blur and the same at every size. */
export function glow(id: string, x: number, y: number, radius: number, colour: Colour, opacity: number): string {
  const stops = [1, 0.62, 0.32, 0.13, 0.04, 0].map((part) => ({ ...colour, opacity: opacity * part }));
  return radial(id, x, y, radius, stops) + circle(x, y, radius, id);
}

/** What `draw` gives for every cell of a size that touches an area: the same cells for the same place in every view. */
export function scattered(
  { left, top, right, bottom }: Window,
  [width, height]: readonly [number, number],
  draw: (column: number, row: number) => string,
): string {
  const columns = cells(left, right, width);
  return cells(top, bottom, height)
    .flatMap((row) => columns.map((column) => draw(column, row)))
    .join('');
}

/** Whole numbers whose cells touch a span. */
export function cells(from: number, to: number, size: number): number[] {
  const first = Math.floor(from / size);
  return Array.from({ length: Math.max(0, Math.ceil(to / size) - first + 1) }, (_, index) => first + index);
}

/** The line of a height over the width of an area. */
export function crest({ left, right }: Window, step: number, height: (x: number) => number): string {
  return `M${cells(left, right, step)
    .map((cell) => `${n(cell * step)} ${n(height(cell * step))}`)
    .join('L')}`;
}

/** Everything between such a line and a floor. */
export function ground(area: Window, step: number, floor: number, height: (x: number) => number): string {
  return `${crest(area, step, height)}L${n(area.right + step)} ${n(floor)}H${n(area.left - step)}Z`;
}
