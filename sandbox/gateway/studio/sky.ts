import { lighten, mix } from './colour.ts';
import {
  cells,
  circle,
  drawCells,
  ellipse,
  glow,
  gradient,
  line,
  linearGradient,
  rectangle,
  round,
  stop,
  verticalGradient,
} from './drawing.ts';
import { clamp, fractalNoise, noise } from './random.ts';
import type { Layer, Tools } from './tools.ts';

const STAR_CELL = 46;
const CLOUD_CELL = [430, 90] as const;
const STREAK_WIDTH = 7;

export function skyLayer({ window, palette }: Tools, top: number, horizon: number): Layer {
  const fade = verticalGradient('sky', top, horizon, [0, 0.25, 0.5, 0.75, 1].map(palette.sky));
  return { svg: fade + rectangle(window, 'sky'), depth: 0 };
}

/** Stars, which become fewer and fainter towards the horizon. */
export function starsLayer({ window, palette, randomFor, unit }: Tools, horizon: number, density = 0.5): Layer {
  const [placeDice, sizeDice] = [randomFor('star place'), randomFor('star size')];
  const colour = mix(palette.light, palette.accent(1), 0.2);
  const starArea = { ...window, bottom: Math.min(horizon, window.bottom) };
  const svg = drawCells(starArea, [STAR_CELL, STAR_CELL], (column, row) => {
    const fade = clamp((horizon - row * STAR_CELL) / (horizon * 0.9 + 1));
    if (placeDice(column * 7 + 3, row) > density * (0.15 + 0.85 * fade)) return '';
    const brightness = sizeDice(column, row) ** 4;
    const x = (column + placeDice(column, row * 2 + 1)) * STAR_CELL;
    const y = (row + sizeDice(column * 3 + 1, row)) * STAR_CELL;
    const radius = Math.max(unit * 0.35, 0.7 + brightness * 2.6);
    return circle(x, y, radius, colour, (0.25 + 0.75 * brightness) * (0.3 + 0.7 * fade));
  });
  return { svg, depth: 0.02, pulse: 0.25 };
}

/** A sun with a halo, or at night a moon with dark spots. */
export function lightLayer({ palette, randomFor }: Tools, x: number, y: number, radius: number): Layer {
  const { light, isNight } = palette;
  const spotDice = randomFor('moon');
  const spots = Array.from({ length: isNight ? 6 : 0 }, (_, index) => {
    const [angle, distance] = [spotDice(index) * Math.PI * 2, radius * 0.68 * Math.sqrt(spotDice(index, 1))];
    const size = radius * (0.1 + 0.17 * spotDice(index, 2));
    return circle(x + Math.cos(angle) * distance, y + Math.sin(angle) * distance, size, lighten(light, -0.2), 0.3);
  });
  const halo = mix(light, palette.sky(isNight ? 0.7 : 0.95), isNight ? 0.24 : 0.35);
  const outerGlow = glow('halo', x, y, radius * (isNight ? 5 : 7), halo, isNight ? 0.42 : 0.75);
  const innerGlow = glow('corona', x, y, radius * 2.1, light, isNight ? 0.4 : 0.85) + circle(x, y, radius, light);
  return { svg: outerGlow + innerGlow + spots.join(''), depth: 0.04 };
}

/** Long thin clouds, each made of a few overlapping ellipses with soft ends. */
export function cloudsLayer({ frame, window, palette, randomFor }: Tools, horizon: number, amount: number): Layer {
  const [placeDice, shapeDice] = [randomFor('cloud place'), randomFor('cloud shape')];
  const [width, height] = CLOUD_CELL;
  const [left, right] = [window.left - width, window.right + width];
  const [top, bottom] = [Math.max(window.top, -frame.height), Math.min(horizon * 0.92, window.bottom)];
  const svg = drawCells({ left, top, right, bottom }, CLOUD_CELL, (column, row) => {
    if (placeDice(column, row) > amount) return '';
    const t = (row * height) / horizon;
    const colour = mix(palette.sky(t + 0.42), palette.light, palette.isNight ? 0.06 : 0.42);
    const [x, y] = [(column + placeDice(column, row + 500)) * width, (row + shapeDice(column, row)) * height];
    const length = 190 + 330 * shapeDice(column + 50, row);
    const thickness = (5 + 17 * shapeDice(column, row + 50)) * (1.2 - 0.6 * clamp(t));
    const id = `cloud${column}_${row}`;
    const stops = [0, 0.75, 0.6, 0].map((opacity) => ({ ...colour, opacity }));
    const ellipses = [0, 1, 2, 3].map((part) => {
      const offset = (shapeDice(column * 5 + part, row + 9) - 0.5) * length * 0.9;
      const size = 0.35 + 0.6 * shapeDice(column * 5 + part, row + 10);
      return ellipse(x + offset, y - part * thickness * 0.55, length * size * 0.8, thickness * size, id);
    });
    return linearGradient(id, x - length, 0, x + length, 0, stops) + ellipses.join('');
  });
  return { svg: `<g opacity="${palette.isNight ? 0.35 : 0.7}">${svg}</g>`, depth: 0.12 };
}

/** A few distant birds, each drawn as two wing strokes. */
export function birdsSvg({ frame, palette, randomFor }: Tools, horizon: number): string {
  const flockDice = randomFor('birds');
  const centre = { x: frame.width * (0.2 + 0.6 * flockDice(1)), y: horizon * (0.3 + 0.3 * flockDice(2)) };
  const birds = Array.from({ length: 3 + Math.floor(flockDice(0) * 6) }, (_, index) => {
    const [x, y] = [centre.x + (flockDice(index + 1, 3) - 0.5) * 260, centre.y + (flockDice(index + 1, 4) - 0.5) * 110];
    const span = 9 + 11 * flockDice(index + 1, 5);
    const lift = span * (0.3 + 0.4 * flockDice(index + 1, 6));
    const wing = (side: number) =>
      `M${round(x + side * span)} ${round(y - lift * 0.5)}Q${round(x + side * span * 0.4)} ${round(y - lift)} ${round(x)} ${round(y)}`;
    return wing(-1) + wing(1);
  });
  return line(birds.join(''), palette.land(0.85), 2.2, 0.75);
}

/** Northern lights: curtains of narrow streaks along a wavy line, brightest at their lower edge. */
export function auroraLayer({ frame, window, palette, randomFor }: Tools, horizon: number): Layer {
  const curtains = [0, 1, 2].map((curtain) => {
    const shapeDice = randomFor(`aurora ${curtain}`);
    const colour = mix(palette.accent(curtain % 2), palette.sky(0.95), 0.25);
    const streaks = cells(window.left, window.right, STREAK_WIDTH).map((cell) => {
      const x = cell * STREAK_WIDTH;
      const strength = clamp(0.55 + fractalNoise(shapeDice, x / 300, 3, 1) * 1.1);
      const waveOffset = noise(shapeDice, x / 380, 2) * horizon * 0.16 + noise(shapeDice, x / 95, 3) * 9;
      const lowerEdge = horizon * (0.42 + 0.13 * curtain) + waveOffset;
      const streakHeight = horizon * (0.22 + 0.26 * strength) + noise(shapeDice, x / 17, 4) * 22;
      const opacity = strength * (0.75 + 0.25 * noise(shapeDice, x / 12, 5)) * 0.7;
      return `<rect x="${round(x)}" y="${round(lowerEdge - streakHeight)}" width="${STREAK_WIDTH + 0.5}" height="${round(streakHeight)}" fill-opacity="${opacity.toFixed(2)}"/>`;
    });
    const topStop = stop(0, palette.accent(1), 0);
    const stops = [topStop, stop(0.55, colour, 0.32), stop(0.93, colour, 0.8), stop(1, colour, 0)];
    return `${gradient(`aurora${curtain}`, stops)}<g fill="url(#aurora${curtain})">${streaks.join('')}</g>`;
  });
  return { svg: curtains.join(''), depth: 0.1, sway: 0.02 * frame.height, pulse: 0.35 };
}
