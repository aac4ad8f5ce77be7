import { along, type Colour, css, mix } from '../colour.ts';
import { cells, glow, linear, n, rectangle } from '../drawing.ts';
import type { Dice } from '../random.ts';
import { lightLayer, skyLayer, starsLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

const ROWS = 4;

interface Building {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly seed: number;
}

/** Rows of towers in haze, their windows lit, over a wet street that keeps their colours. */
export function city(tools: Tools): Layer[] {
  const { frame, dice, palette } = tools;
  const plan = dice('city plan');
  const street = frame.height * (0.8 + 0.06 * plan(0));
  const light = { x: frame.width * (0.2 + 0.6 * plan(1)), y: frame.height * (0.2 + 0.2 * plan(2)) };
  const layers = [skyLayer(tools, -frame.height * 0.05, street)];
  if (palette.night) layers.push(starsLayer(tools, street * 0.8, 0.35));
  layers.push(lightLayer(tools, light, 56 + 54 * plan(3)));
  for (let row = 0; row < ROWS; row++) layers.push(...rowOf(tools, row, street));
  layers.push(wetStreet(tools, street));
  return layers;
}

function rowOf(tools: Tools, row: number, street: number): Layer[] {
  const { frame, palette, window } = tools;
  const near = row / (ROWS - 1);
  const buildings = skyline(tools, row, near, street);
  const body = mix(along(palette.land, 0.1 + 0.88 * near), along(palette.sky, 0.8), 0.3 * (1 - near));
  const haze = linear(`haze${row}`, { x: 0, y: street - frame.height * 0.42 }, { x: 0, y: street }, [
    { at: 0, colour: along(palette.sky, 0.85), opacity: 0 },
    { at: 1, colour: along(palette.sky, 0.9), opacity: 0.5 * (1 - near) + 0.06 },
  ]);
  const towers = buildings.map((building) => tower(building, tools.choices(`tower ${row}`), street)).join('');
  const mist = rectangle({ ...window, top: street - frame.height * 0.42, bottom: street + 2 }, `url(#haze${row})`);
  const base = { svg: `<defs>${haze}</defs><path d="${towers}" fill="${css(body)}"/>`, depth: 0.12 + 0.7 * near };
  const lit = { svg: windows(tools, row, near, buildings, street) + mist, depth: 0.12 + 0.7 * near };
  return [{ ...base, svg: base.svg + lit.svg }];
}

function skyline({ window, dice, frame }: Tools, row: number, near: number, street: number): Building[] {
  const lot = 62 + 62 * near;
  const shape = dice(`lot ${row}`);
  return cells(window.left - lot, window.right + lot, lot).map((cell): Building => {
    const downtown = 0.65 + 0.5 * Math.sin((cell * lot) / (frame.width * 0.3) + row * 2.4 + shape(0, 99) * 6);
    const share = (0.64 - 0.34 * near) * (0.35 + 0.75 * shape(cell)) * Math.max(0.45, downtown);
    return {
      x: (cell + 0.12 * shape(cell, 1)) * lot,
      width: lot * (0.72 + 0.34 * shape(cell, 2)),
      top: street - frame.height * share - 40,
      seed: cell,
    };
  });
}

function tower({ x, width, top, seed }: Building, dice: Dice, street: number): string {
  const kind = dice(seed);
  const box = `M${n(x)} ${n(street + 4)}V${n(top)}H${n(x + width)}V${n(street + 4)}Z`;
  const middle = x + width / 2;
  const part = (share: number, up: number) =>
    `M${n(middle - width * share)} ${n(top + 2)}V${n(top - up)}H${n(middle + width * share)}V${n(top + 2)}Z`;
  const mast = (up: number) =>
    `M${n(middle - 1.3)} ${n(top)}L${n(middle)} ${n(top - up)}L${n(middle + 1.3)} ${n(top)}Z`;
  if (kind < 0.2) return box + part(0.34, 26) + part(0.2, 48) + mast(110);
  if (kind < 0.38) return `${box}M${n(x)} ${n(top + 1)}L${n(x + width)} ${n(top - width * 0.45)}V${n(top + 1)}Z`;
  if (kind < 0.52)
    return `${box}M${n(x)} ${n(top + 1)}Q${n(middle)} ${n(top - width * 0.7)} ${n(x + width)} ${n(top + 1)}Z`;
  if (kind < 0.72) return box + part(0.3, 20);
  return kind < 0.82 ? box + mast(60) : box;
}

function windows(
  { palette, choices, unit }: Tools,
  row: number,
  near: number,
  buildings: readonly Building[],
  street: number,
): string {
  const lit = choices(`window ${row}`);
  const [wide, tall] = [3.4 + 3.6 * near, 4.6 + 5.4 * near];
  if (wide < unit * 0.8) return '';
  const [gapX, gapY] = [wide * 2.1, tall * 2];
  const paths = ['', '', ''];
  for (const { x, width, top, seed } of buildings) {
    const columns = Math.floor((width - wide * 1.6) / gapX);
    const inset = (width - columns * gapX + (gapX - wide)) / 2;
    const busy = 0.12 + 0.5 * lit(seed, 7777) ** 1.5;
    for (let line = 0; top + 14 + line * gapY < street - 16; line++) {
      const floor = lit(seed * 13 + 5, line) < 0.12 ? 0.5 : 0;
      for (let column = 0; column < columns; column++) {
        const roll = lit(seed * 64 + column, line + 20);
        if (roll > busy + floor) continue;
        const tint = Math.floor(lit(seed * 64 + column, line + 4000) ** 2.2 * 3);
        paths[tint] +=
          `M${n(x + inset + column * gapX)} ${n(top + 14 + line * gapY)}h${n(wide)}v${n(tall)}h-${n(wide)}z`;
      }
    }
  }
  const colours: Colour[] = [
    mix(palette.accents[2] ?? palette.light, palette.light, 0.45),
    palette.accents[0] ?? palette.light,
    palette.accents[1] ?? palette.light,
  ];
  return paths
    .map(
      (path, index) =>
        `<path d="${path}" fill="${css(colours[index] ?? palette.light)}" fill-opacity="${(0.4 + 0.52 * near).toFixed(2)}"/>`,
    )
    .join('');
}

/** Streaks below the light of shop windows, broken into dashes by the wet ground. */
function wetStreet({ window, palette, dice, frame }: Tools, street: number): Layer {
  const dark = along(palette.land, 1);
  const ground = linear('street', { x: 0, y: street }, { x: 0, y: frame.height }, [
    { at: 0, colour: mix(dark, along(palette.sky, 0.85), 0.42) },
    { at: 0.25, colour: mix(dark, along(palette.sky, 0.6), 0.22) },
    { at: 1, colour: dark },
  ]);
  const [place, shape] = [dice('streak place'), dice('streak shape')];
  let streaks = '';
  let lamps = '';
  for (const cell of cells(window.left, window.right, 34)) {
    if (place(cell) > 0.72) continue;
    const x = (cell + shape(cell)) * 34;
    const colour = css(palette.accents[Math.floor(shape(cell, 1) * palette.accents.length)] ?? palette.light);
    const long = (frame.height - street) * (0.3 + 0.75 * shape(cell, 2));
    for (let dash = 0; dash < 9; dash++) {
      const t = dash / 9;
      const half = (3 + 9 * shape(cell, 3)) * (0.6 + t) * (0.5 + place(cell, dash));
      streaks += `<ellipse cx="${n(x + (place(cell, dash + 20) - 0.5) * 7)}" cy="${n(street + 7 + t * long)}" rx="${n(half)}" ry="${n(1.4 + 2.2 * t)}" fill="${colour}" fill-opacity="${(0.62 * (1 - t)).toFixed(2)}"/>`;
    }
    if (shape(cell, 4) < 0.32)
      lamps += glow(
        `lamp${String(cell).replace('-', 'm')}`,
        { x, y: street - 4 },
        30 + 40 * shape(cell, 5),
        palette.accents[0] ?? palette.light,
        0.75,
      );
  }
  return {
    svg: `<defs>${ground}</defs>${rectangle({ ...window, top: street }, 'url(#street)')}${lamps}${streaks}`,
    depth: 0.9,
  };
}
