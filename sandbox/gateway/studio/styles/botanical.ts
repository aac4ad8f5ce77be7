import { type Colour, lighter, mix } from '../colour.ts';
import { cells, circle, ellipse, fall, glow, line, n, placed, rectangle, scattered, shape, stop } from '../drawing.ts';
import type { Dice } from '../random.ts';
import type { Layer, Tools } from '../tools.ts';

const SHEETS = 4;
const POLLEN = 120;

interface Plant {
  readonly x: number;
  readonly y: number;
  readonly tall: number;
  readonly lean: number;
  readonly key: number;
  readonly dice: Dice;
}

/** A bed of plants against soft light: pale ones far behind, dark and sharp ones in front. */
export function botanical(tools: Tools): Layer[] {
  const { window, frame, palette, dice } = tools;
  const { paper, light, isNight } = palette;
  const plan = dice('garden plan');
  const top = mix(paper, palette.sky(isNight ? 0.15 : 0.6), isNight ? 0.9 : 0.45);
  const middle = mix(paper, palette.sky(0.8), isNight ? 0.9 : 0.35);
  const foot = mix(paper, palette.land(0.3), isNight ? 0.9 : 0.5);
  const air = fall('air', 0, frame.height, [top, stop(0.6, middle), foot]) + rectangle(window, 'air');
  const [x, y] = [frame.width * (0.25 + 0.5 * plan(0)), frame.height * (0.24 + 0.2 * plan(1))];
  const size = Math.min(frame.width, frame.height) * (0.17 + 0.09 * plan(2));
  const disc = circle(x, y, size, mix(palette.accent(0), light, 0.3), 0.8);
  // Further beds come into sight when the view reaches below the first one.
  const below = Math.max(0, Math.ceil((window.bottom / frame.height - 1.1) / 0.2));
  return [
    { svg: air + glow('warmth', x, y, size * 3.4, light, 0.75) + disc, depth: 0 },
    ...Array.from({ length: SHEETS + below }, (_, sheet) => bed(tools, sheet)),
    pollen(tools),
  ];
}

function bed(tools: Tools, sheet: number): Layer {
  const { window, frame, palette, dice, choices } = tools;
  const near = Math.min(1, sheet / (SHEETS - 1));
  const [place, kind] = [dice(`plant ${sheet}`), choices(`plant kind ${sheet}`)];
  const gap = 92 + 44 * near;
  const y = frame.height * (1.04 + 0.2 * Math.max(0, sheet - SHEETS + 1));
  const shade = sheet < SHEETS ? 0.15 + 0.75 * near : sheet % 2 ? 0.78 : 0.6;
  const leaf = mix(palette.land(shade), palette.sky(0.85), 0.42 * (1 - near));
  const plants = cells(window.left - gap * 2, window.right + gap * 2, gap).map((key) => {
    const valley = 0.72 + 0.84 * Math.abs((key * gap) / frame.width - 0.5);
    const tall = frame.height * (0.74 - 0.3 * near) * (0.45 + 0.6 * place(key, 1)) * Math.min(1.25, valley);
    const plant = { x: (key + place(key)) * gap, y: y + 20, tall, lean: (place(key, 2) - 0.5) * 0.5, key, dice: place };
    const bloom = mix(palette.accent(Math.floor(kind(key, 4) * 4)), palette.sky(0.85), 0.35 * (1 - near));
    return plantSvg(plant, kind(key, 3), leaf, bloom, mix(palette.light, bloom, 0.25), 1.6 + 2.6 * near);
  });
  const soil = window.bottom > y ? rectangle({ ...window, top: y }, leaf) : '';
  return { svg: plants.join('') + soil, depth: 0.15 + 0.75 * near, sway: 5 + 6 * near };
}

/** A point of the stem, which leans further the higher it grows, and the direction it grows in there. */
function stemAt({ x, y, tall, lean }: Plant, t: number): { x: number; y: number; angle: number } {
  return { x: x + tall * lean * t * t * 0.6, y: y - tall * t, angle: Math.atan2(lean * 2 * t * 0.6, 1) };
}

function plantSvg(plant: Plant, kind: number, leaf: Colour, bloom: Colour, heart: Colour, thick: number): string {
  const [top, middle] = [stemAt(plant, 1), stemAt(plant, 0.5)];
  const bend = middle.x - plant.lean * plant.tall * 0.12;
  const stem = line(`M${n(plant.x)} ${n(plant.y)}Q${n(bend)} ${n(middle.y)} ${n(top.x)} ${n(top.y)}`, leaf, thick);
  const head = (content: string) => placed(top.x, top.y, (top.angle * 180) / Math.PI, content);
  if (kind < 0.34) return stem + leaves(plant, leaf, 15, 0.2, 0.075);
  if (kind < 0.58) return stem + leaves(plant, leaf, 5, 0.24, 0.17) + head(daisy(plant, bloom, heart));
  if (kind < 0.78) return stem + leaves(plant, leaf, 3, 0.42, 0.14) + head(tulip(plant, bloom));
  return stem + leaves(plant, leaf, 4, 0.22, 0.2) + berries(plant, bloom, leaf);
}

/** Leaves in pairs, shorter towards the tip. */
function leaves(plant: Plant, colour: Colour, pairs: number, long: number, wide: number): string {
  let [dark, pale] = ['', ''];
  for (let blade = 0; blade < pairs * 2; blade++) {
    const [pair, side] = [blade >> 1, blade % 2 ? 1 : -1];
    const t = 0.2 + (0.76 * pair) / pairs;
    const foot = stemAt(plant, t);
    const length = plant.tall * long * (1.12 - t * 0.85) * (0.8 + 0.4 * plant.dice(plant.key, 20 + pair * 2 + side));
    const angle = foot.angle + side * (0.85 + 0.35 * plant.dice(plant.key, 60 + pair));
    const [right, down] = [Math.sin(angle) * length, -Math.cos(angle) * length];
    const bulge = (wide / long) * 0.62;
    const half = (sign: number) => {
      const [x, y] = [right * 0.45 - down * bulge * sign, down * 0.45 + right * bulge * sign];
      return `M${n(foot.x)} ${n(foot.y)}q${n(x)} ${n(y)} ${n(right)} ${n(down)}z`;
    };
    dark += half(side);
    pale += half(-side);
  }
  return shape(dark, colour) + shape(pale, lighter(colour, 0.055));
}

function daisy({ tall, key, dice }: Plant, bloom: Colour, heart: Colour): string {
  const petals = 9 + (key & 3) * 2;
  const size = tall * 0.085 + 12;
  const ring = (scale: number, colour: Colour, offset: number) =>
    Array.from({ length: petals }, (_, petal) => {
      const oval = ellipse(0, -size * 0.62 * scale, size * 0.19, size * 0.5 * scale, colour);
      return placed(0, 0, ((petal + offset) * 360) / petals, oval);
    }).join('');
  const flower = ring(1, lighter(bloom, -0.06), 0.5) + ring(0.86, bloom, 0) + circle(0, 0, size * 0.27, heart);
  return `<g transform="scale(1 ${n(0.55 + 0.4 * dice(key, 6))})">${flower}</g>`;
}

/** On a grid of 100 units: two petals at the sides and one before them. */
function tulip({ tall }: Plant, bloom: Colour): string {
  const petal = (side: number) =>
    `M0 50C${side * 95} 40 ${side * 95}-50 ${side * 50}-100C${side * 25}-30 ${-side * 30} 40 0 50Z`;
  const sides = shape(petal(-1), lighter(bloom, -0.05)) + shape(petal(1), lighter(bloom, -0.02));
  const front = shape('M0 50C-70 0-30-70 0-105C30-70 70 0 0 50Z', lighter(bloom, 0.05));
  return placed(0, 0, 0, sides + front, (tall * 0.07 + 13) / 100);
}

function berries(plant: Plant, bloom: Colour, stem: Colour): string {
  let [twigs, fruit] = ['', ''];
  for (let index = 0; index < 9; index++) {
    const foot = stemAt(plant, 0.52 + index * 0.054);
    const angle = foot.angle + (index % 2 ? 1 : -1) * (0.5 + 0.5 * plant.dice(plant.key, 80 + index));
    const long = plant.tall * 0.1 * (1.2 - index * 0.07);
    const [x, y] = [foot.x + Math.sin(angle) * long, foot.y - Math.cos(angle) * long];
    twigs += `M${n(foot.x)} ${n(foot.y)}L${n(x)} ${n(y)}`;
    fruit += circle(x, y, plant.tall * 0.008 + 4.5 + 3 * plant.dice(plant.key, 100 + index), bloom);
  }
  return line(twigs, stem, 1.6) + fruit;
}

function pollen({ window, palette, dice }: Tools): Layer {
  const [place, form] = [dice('pollen place'), dice('pollen shape')];
  const svg = scattered(window, [POLLEN, POLLEN], (column, row) => {
    if (place(column, row) > 0.5) return '';
    const [x, y] = [(column + form(column, row)) * POLLEN, (row + form(column, row + 700)) * POLLEN];
    const opacity = 0.25 + 0.5 * place(column, row + 90);
    return circle(x, y, 1.5 + 4 * form(column, row + 900) ** 3, palette.light, opacity);
  });
  return { svg, depth: 1, pulse: 0.3 };
}
