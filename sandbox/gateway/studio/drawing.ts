import { type Colour, css } from './colour.ts';
import type { Window } from './tools.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * A rule for every style: a single shape gets `fill-opacity` or `stroke-opacity`, never `opacity`, for which the renderer
 * makes a sheet of its own as large as the picture; a thousand stars would take ten seconds at 4K.
 */

/** A tenth of a unit is less than half a pixel at the largest size drawn. */
export const n = (value: number): string => String(Math.round(value * 10) / 10);

export interface Stop {
  readonly at: number;
  readonly colour: Colour;
  readonly opacity?: number;
}

const stopsOf = (stops: readonly Stop[]) =>
  stops
    .map(
      ({ at, colour, opacity = 1 }) =>
        `<stop offset="${Math.round(at * 1000) / 1000}" stop-color="${css(colour)}" stop-opacity="${Math.round(opacity * 1000) / 1000}"/>`,
    )
    .join('');

export function linear(id: string, from: Point, to: Point, stops: readonly Stop[]): string {
  return `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="${n(from.x)}" y1="${n(from.y)}" x2="${n(to.x)}" y2="${n(to.y)}">${stopsOf(stops)}</linearGradient>`;
}

export function radial(id: string, centre: Point, radius: number, stops: readonly Stop[]): string {
  return `<radialGradient id="${id}" gradientUnits="userSpaceOnUse" cx="${n(centre.x)}" cy="${n(centre.y)}" r="${n(radius)}">${stopsOf(stops)}</radialGradient>`;
}

export function rectangle(area: Window, fill: string): string {
  return `<rect x="${n(area.left)}" y="${n(area.top)}" width="${n(area.right - area.left)}" height="${n(area.bottom - area.top)}" fill="${fill}"/>`;
}

/** A light that fades to nothing: cheaper than a blur and the same at every size. */
export function glow(id: string, centre: Point, radius: number, colour: Colour, opacity: number): string {
  const fade = [1, 0.62, 0.32, 0.13, 0.04, 0];
  const stops = fade.map((part, index) => ({ at: index / (fade.length - 1), colour, opacity: opacity * part }));
  return `${radial(id, centre, radius, stops)}<circle cx="${n(centre.x)}" cy="${n(centre.y)}" r="${n(radius)}" fill="url(#${id})"/>`;
}

export function polygon(points: readonly Point[]): string {
  return `M${points.map(({ x, y }) => `${n(x)} ${n(y)}`).join('L')}Z`;
}

/** Whole numbers whose cells touch a span: the same cells for the same place in every view. */
export function cells(from: number, to: number, size: number): number[] {
  const first = Math.floor(from / size);
  const last = Math.ceil(to / size);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
