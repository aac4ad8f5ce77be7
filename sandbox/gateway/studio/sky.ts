import { along, type Colour, css, lighter, mix } from './colour.ts';
import { cells, glow, linear, n, type Point, rectangle } from './drawing.ts';
import type { Layer, Tools } from './tools.ts';

export function skyLayer({ window, palette }: Tools, top: number, horizon: number): Layer {
  const stops = palette.sky.map((colour, index) => ({ at: index / (palette.sky.length - 1), colour }));
  const gradient = linear('sky', { x: 0, y: top }, { x: 0, y: horizon }, stops);
  return { svg: `<defs>${gradient}</defs>${rectangle(window, 'url(#sky)')}`, depth: 0 };
}

/** Stars thin out towards the horizon, where air swallows them. */
export function starsLayer({ window, palette, dice, unit }: Tools, horizon: number, density = 0.5): Layer {
  const [place, size] = [dice('star place'), dice('star size')];
  const cell = 46;
  let svg = '';
  for (const row of cells(window.top, Math.min(horizon, window.bottom), cell)) {
    for (const column of cells(window.left, window.right, cell)) {
      const fade = Math.min(1, Math.max(0, (horizon - row * cell) / (horizon * 0.9 + 1)));
      if (place(column * 7 + 3, row) > density * (0.15 + 0.85 * fade)) continue;
      const bright = size(column, row) ** 4;
      const radius = Math.max(unit * 0.35, 0.7 + bright * 2.6);
      const x = (column + place(column, row * 2 + 1)) * cell;
      const y = (row + size(column * 3 + 1, row)) * cell;
      svg += `<circle cx="${n(x)}" cy="${n(y)}" r="${radius.toFixed(2)}" fill-opacity="${((0.25 + 0.75 * bright) * (0.3 + 0.7 * fade)).toFixed(2)}"/>`;
    }
  }
  return {
    svg: `<g fill="${css(mix(palette.light, palette.accents[1] ?? palette.light, 0.2))}">${svg}</g>`,
    depth: 0.02,
    pulse: 0.25,
  };
}

/** A sun with its halo, or at night a moon with seas and a shadow. */
export function lightLayer({ palette, dice }: Tools, centre: Point, radius: number): Layer {
  const warm = along(palette.sky, 0.95);
  const halo = palette.night ? mix(palette.light, along(palette.sky, 0.7), 0.4) : mix(palette.light, warm, 0.35);
  const wide = glow('halo', centre, radius * (palette.night ? 5 : 7), halo, palette.night ? 0.42 : 0.75);
  const near = glow('corona', centre, radius * 2.1, palette.light, palette.night ? 0.4 : 0.85);
  const disc = `<circle cx="${n(centre.x)}" cy="${n(centre.y)}" r="${n(radius)}" fill="${css(palette.light)}"/>`;
  return {
    svg: wide + near + disc + (palette.night ? moonFace(dice('moon'), centre, radius, palette.light) : ''),
    depth: 0.04,
  };
}

function moonFace(dice: (i: number, j?: number) => number, centre: Point, radius: number, light: Colour): string {
  const seas = [0, 1, 2, 3, 4, 5]
    .map((index) => {
      const angle = dice(index) * Math.PI * 2;
      const distance = radius * 0.68 * Math.sqrt(dice(index, 1));
      const size = radius * (0.1 + 0.17 * dice(index, 2));
      return `<circle cx="${n(centre.x + Math.cos(angle) * distance)}" cy="${n(centre.y + Math.sin(angle) * distance)}" r="${n(size)}"/>`;
    })
    .join('');
  return `<g fill="${css(lighter(light, -0.2))}" opacity=".3">${seas}</g>`;
}

/** Long thin clouds, each a few overlapping lozenges with soft ends. */
export function cloudsLayer({ frame, window, palette, dice }: Tools, horizon: number, amount: number): Layer {
  const [place, shape] = [dice('cloud place'), dice('cloud shape')];
  const [width, height] = [430, 90];
  let svg = '';
  let defs = '';
  for (const row of cells(Math.max(window.top, -frame.height), Math.min(horizon * 0.92, window.bottom), height)) {
    const t = (row * height) / horizon;
    const colour = mix(along(palette.sky, Math.min(1, t + 0.42)), palette.light, palette.night ? 0.06 : 0.42);
    for (const column of cells(window.left - width, window.right + width, width)) {
      if (place(column, row) > amount) continue;
      const centre = { x: (column + place(column, row + 500)) * width, y: (row + shape(column, row)) * height };
      const long = 190 + 330 * shape(column + 50, row);
      const tall = (5 + 17 * shape(column, row + 50)) * (1.2 - 0.6 * Math.min(1, Math.max(0, t)));
      const id = `cloud${column}_${row}`.replaceAll('-', 'm');
      defs += linear(id, { x: centre.x - long, y: 0 }, { x: centre.x + long, y: 0 }, [
        { at: 0, colour, opacity: 0 },
        { at: 0.35, colour, opacity: 0.75 },
        { at: 0.6, colour, opacity: 0.6 },
        { at: 1, colour, opacity: 0 },
      ]);
      for (const part of [0, 1, 2, 3]) {
        const offset = (shape(column * 5 + part, row + 9) - 0.5) * long * 0.9;
        const size = 0.35 + 0.6 * shape(column * 5 + part, row + 10);
        svg += `<ellipse cx="${n(centre.x + offset)}" cy="${n(centre.y - part * tall * 0.55)}" rx="${n(long * size * 0.8)}" ry="${n(tall * size)}" fill="url(#${id})"/>`;
      }
    }
  }
  return { svg: `<defs>${defs}</defs><g opacity="${palette.night ? 0.35 : 0.7}">${svg}</g>`, depth: 0.12 };
}

/** A few birds far off, each two strokes of a wing. */
export function birdsSvg({ frame, palette, dice }: Tools, horizon: number): string {
  const flock = dice('birds');
  const count = 3 + Math.floor(flock(0) * 6);
  const centre = { x: frame.width * (0.2 + 0.6 * flock(1)), y: horizon * (0.3 + 0.3 * flock(2)) };
  let path = '';
  for (let index = 1; index <= count; index++) {
    const x = centre.x + (flock(index, 3) - 0.5) * 260;
    const y = centre.y + (flock(index, 4) - 0.5) * 110;
    const span = 9 + 11 * flock(index, 5);
    const lift = span * (0.3 + 0.4 * flock(index, 6));
    path += `M${n(x - span)} ${n(y - lift * 0.5)}Q${n(x - span * 0.4)} ${n(y - lift)} ${n(x)} ${n(y)}Q${n(x + span * 0.4)} ${n(y - lift)} ${n(x + span)} ${n(y - lift * 0.5)}`;
  }
  return `<path d="${path}" fill="none" stroke="${css(along(palette.land, 0.85))}" stroke-width="2.2" stroke-linecap="round" stroke-opacity=".75"/>`;
}
