import { along, type Colour, css, lighter, mix } from '../colour.ts';
import { cells, glow, linear, n, type Point, rectangle } from '../drawing.ts';
import type { Dice } from '../random.ts';
import type { Layer, Tools } from '../tools.ts';

const SHEETS = 4;

interface Plant {
  readonly root: Point;
  readonly tall: number;
  readonly lean: number;
  readonly key: number;
}

/** A bed of plants against soft light: pale ones far behind, dark and sharp ones in front. */
export function botanical(tools: Tools): Layer[] {
  const { window, frame, palette, dice } = tools;
  const plan = dice('garden plan');
  const gradient = linear('air', { x: 0, y: 0 }, { x: 0, y: frame.height }, [
    { at: 0, colour: mix(palette.paper, along(palette.sky, palette.night ? 0.15 : 0.6), palette.night ? 0.9 : 0.45) },
    { at: 0.6, colour: mix(palette.paper, along(palette.sky, 0.8), palette.night ? 0.9 : 0.35) },
    { at: 1, colour: mix(palette.paper, along(palette.land, 0.3), palette.night ? 0.9 : 0.5) },
  ]);
  const sun = { x: frame.width * (0.25 + 0.5 * plan(0)), y: frame.height * (0.24 + 0.2 * plan(1)) };
  const size = Math.min(frame.width, frame.height) * (0.17 + 0.09 * plan(2));
  const disc = `<circle cx="${n(sun.x)}" cy="${n(sun.y)}" r="${n(size)}" fill="${css(mix(palette.accents[0] ?? palette.light, palette.light, 0.3))}" fill-opacity=".8"/>`;
  const air: Layer = {
    svg: `<defs>${gradient}</defs>${rectangle(window, 'url(#air)')}${glow('warmth', sun, size * 3.4, palette.light, 0.75)}${disc}`,
    depth: 0,
  };
  // Further beds come into sight when the view reaches below the first one.
  const below = Math.max(0, Math.ceil((window.bottom / frame.height - 1.1) / 0.2));
  return [air, ...Array.from({ length: SHEETS + below }, (_, sheet) => bed(tools, sheet)), pollen(tools)];
}

function bed(tools: Tools, sheet: number): Layer {
  const { window, frame, palette, dice, choices } = tools;
  const near = Math.min(1, sheet / (SHEETS - 1));
  const [place, kind] = [dice(`plant ${sheet}`), choices(`plant kind ${sheet}`)];
  const gap = 92 + 44 * near;
  const ground = frame.height * (1.04 + 0.2 * Math.max(0, sheet - SHEETS + 1));
  const leaf = mix(
    along(palette.land, sheet < SHEETS ? 0.15 + 0.75 * near : sheet % 2 ? 0.78 : 0.6),
    along(palette.sky, 0.85),
    0.42 * (1 - near),
  );
  let svg = '';
  for (const cell of cells(window.left - gap * 2, window.right + gap * 2, gap)) {
    const valley = 0.72 + 0.42 * Math.abs((cell * gap) / frame.width - 0.5) * 2;
    const plant: Plant = {
      root: { x: (cell + place(cell)) * gap, y: ground + 20 },
      tall: frame.height * (0.74 - 0.3 * near) * (0.45 + 0.6 * place(cell, 1)) * Math.min(1.25, valley),
      lean: (place(cell, 2) - 0.5) * 0.5,
      key: cell,
    };
    svg += plantSvg(tools, plant, { place, kind }, leaf, near);
  }
  const soil = window.bottom > ground ? rectangle({ ...window, top: ground }, css(leaf)) : '';
  return { svg: svg + soil, depth: 0.15 + 0.75 * near, sway: 5 + 6 * near };
}

/** A point of the stem, which leans further the higher it grows, and the direction it grows in there. */
function stemAt({ root, tall, lean }: Plant, t: number): Point & { angle: number } {
  const bend = lean * t * t;
  return { x: root.x + tall * bend * 0.6, y: root.y - tall * t, angle: Math.atan2(lean * 2 * t * 0.6, 1) };
}

function plantSvg(
  { palette }: Tools,
  plant: Plant,
  { place: dice, kind: choice }: { place: Dice; kind: Dice },
  colour: Colour,
  near: number,
): string {
  const kind = choice(plant.key, 3);
  const top = stemAt(plant, 1);
  const middle = stemAt(plant, 0.5);
  const thick = 1.6 + 2.6 * near;
  const bloom = mix(
    palette.accents[Math.floor(choice(plant.key, 4) * palette.accents.length)] ?? palette.light,
    along(palette.sky, 0.85),
    0.35 * (1 - near),
  );
  const stem = `<path d="M${n(plant.root.x)} ${n(plant.root.y)}Q${n(middle.x - plant.lean * plant.tall * 0.12)} ${n(middle.y)} ${n(top.x)} ${n(top.y)}" fill="none" stroke="${css(colour)}" stroke-width="${n(thick)}" stroke-linecap="round"/>`;
  if (kind < 0.34) return stem + leaves(plant, dice, colour, 15, 0.2, 0.075);
  if (kind < 0.58)
    return stem + leaves(plant, dice, colour, 5, 0.24, 0.17) + daisy(top, plant, dice, bloom, palette.light);
  if (kind < 0.78) return stem + leaves(plant, dice, colour, 3, 0.42, 0.14) + tulip(top, plant, bloom);
  return stem + leaves(plant, dice, colour, 4, 0.22, 0.2) + berries(plant, dice, bloom, colour);
}

/** Leaves in pairs, shorter towards the tip. */
function leaves(plant: Plant, dice: Dice, colour: Colour, pairs: number, long: number, wide: number): string {
  let [dark, pale] = ['', ''];
  for (let pair = 0; pair < pairs; pair++) {
    const t = 0.2 + (0.76 * pair) / pairs;
    const foot = stemAt(plant, t);
    for (const side of [-1, 1]) {
      const length = plant.tall * long * (1.12 - t * 0.85) * (0.8 + 0.4 * dice(plant.key, 20 + pair * 2 + side));
      const angle = foot.angle + side * (0.85 + 0.35 * dice(plant.key, 60 + pair));
      const tip = { x: foot.x + Math.sin(angle) * length, y: foot.y - Math.cos(angle) * length };
      const [across, down] = [
        Math.cos(angle) * length * (wide / long) * 0.62,
        Math.sin(angle) * length * (wide / long) * 0.62,
      ];
      const half = { x: foot.x + (tip.x - foot.x) * 0.45, y: foot.y + (tip.y - foot.y) * 0.45 };
      const blade = (sign: number) =>
        `M${n(foot.x)} ${n(foot.y)}Q${n(half.x + across * sign)} ${n(half.y + down * sign)} ${n(tip.x)} ${n(tip.y)}Z`;
      dark += blade(side);
      pale += blade(-side);
    }
  }
  return `<path d="${dark}" fill="${css(colour)}"/><path d="${pale}" fill="${css(lighter(colour, 0.055))}"/>`;
}

function daisy(
  { x, y, angle }: Point & { angle: number },
  plant: Plant,
  dice: Dice,
  bloom: Colour,
  light: Colour,
): string {
  const petals = 9 + (plant.key & 3) * 2;
  const size = plant.tall * 0.085 + 12;
  const flat = 0.55 + 0.4 * dice(plant.key, 6);
  const ring = (scale: number, colour: Colour, offset: number) =>
    [...Array(petals).keys()]
      .map(
        (petal) =>
          `<ellipse cx="0" cy="${n(-size * 0.62 * scale)}" rx="${n(size * 0.19)}" ry="${n(size * 0.5 * scale)}" transform="rotate(${n(((petal + offset) * 360) / petals)})" fill="${css(colour)}"/>`,
      )
      .join('');
  return `<g transform="translate(${n(x)} ${n(y)}) rotate(${n((angle * 180) / Math.PI)}) scale(1 ${n(flat)})">${ring(1, lighter(bloom, -0.06), 0.5)}${ring(0.86, bloom, 0)}<circle r="${n(size * 0.27)}" fill="${css(mix(light, bloom, 0.25))}"/></g>`;
}

function tulip({ x, y, angle }: Point & { angle: number }, { tall }: Plant, bloom: Colour): string {
  const size = tall * 0.07 + 13;
  const petal = (from: number, to: number, shade: number) =>
    `<path d="M0 ${n(size * 0.5)}C${n(from * size)} ${n(size * 0.4)} ${n(from * size)} ${n(-size * 0.5)} ${n(to * size)} ${n(-size)}C${n(to * size + size * 0.25)} ${n(-size * 0.3)} ${n(size * 0.3)} ${n(size * 0.4)} 0 ${n(size * 0.5)}Z" fill="${css(lighter(bloom, shade))}"/>`;
  return `<g transform="translate(${n(x)} ${n(y)}) rotate(${n((angle * 180) / Math.PI)})">${petal(-0.95, -0.5, -0.05)}<g transform="scale(-1 1)">${petal(-0.95, -0.5, -0.02)}</g><path d="M0 ${n(size * 0.5)}C${n(-size * 0.7)} 0 ${n(-size * 0.3)} ${n(-size * 0.7)} 0 ${n(-size * 1.05)}C${n(size * 0.3)} ${n(-size * 0.7)} ${n(size * 0.7)} 0 0 ${n(size * 0.5)}Z" fill="${css(lighter(bloom, 0.05))}"/></g>`;
}

function berries(plant: Plant, dice: Dice, bloom: Colour, stem: Colour): string {
  let [twigs, fruit] = ['', ''];
  for (let index = 0; index < 9; index++) {
    const foot = stemAt(plant, 0.52 + index * 0.054);
    const angle = foot.angle + (index % 2 ? 1 : -1) * (0.5 + 0.5 * dice(plant.key, 80 + index));
    const long = plant.tall * 0.1 * (1.2 - index * 0.07);
    const tip = { x: foot.x + Math.sin(angle) * long, y: foot.y - Math.cos(angle) * long };
    twigs += `M${n(foot.x)} ${n(foot.y)}L${n(tip.x)} ${n(tip.y)}`;
    fruit += `<circle cx="${n(tip.x)}" cy="${n(tip.y)}" r="${n(plant.tall * 0.008 + 4.5 + 3 * dice(plant.key, 100 + index))}"/>`;
  }
  return `<path d="${twigs}" stroke="${css(stem)}" stroke-width="1.6" fill="none"/><g fill="${css(bloom)}">${fruit}</g>`;
}

function pollen({ window, palette, dice }: Tools): Layer {
  const [place, shape] = [dice('pollen place'), dice('pollen shape')];
  let svg = '';
  for (const row of cells(window.top, window.bottom, 120)) {
    for (const column of cells(window.left, window.right, 120)) {
      if (place(column, row) > 0.5) continue;
      svg += `<circle cx="${n((column + shape(column, row)) * 120)}" cy="${n((row + shape(column, row + 700)) * 120)}" r="${n(1.5 + 4 * shape(column, row + 900) ** 3)}" fill-opacity="${(0.25 + 0.5 * place(column, row + 90)).toFixed(2)}"/>`;
    }
  }
  return { svg: `<g fill="${css(palette.light)}">${svg}</g>`, depth: 1, pulse: 0.3 };
}
