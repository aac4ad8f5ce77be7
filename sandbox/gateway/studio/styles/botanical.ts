import { type Colour, lighten, mix } from '../colour.ts';
import {
  cells,
  circle,
  ellipse,
  glow,
  line,
  placeAt,
  rectangle,
  round,
  shape,
  stop,
  verticalGradient,
} from '../drawing.ts';
import type { Layer, Tools } from '../tools.ts';

const BED_COUNT = 4;

interface Plant {
  readonly height: number;
  readonly leaf: Colour;
  readonly bloom: Colour;
  /** The position and direction of the stem at `t` from 0 to 1; the stem leans more towards its top. */
  stem(t: number): { readonly x: number; readonly y: number; readonly angle: number };
  roll(index: number): number;
}

/** Beds of plants against soft light: pale ones in the distance, dark and sharp ones in front. */
export function botanical(tools: Tools): Layer[] {
  const { window, frame, palette, randomFor } = tools;
  const { paper, light, isNight } = palette;
  const random = randomFor('garden plan');
  const top = mix(paper, palette.sky(isNight ? 0.15 : 0.6), isNight ? 0.9 : 0.45);
  const middle = mix(paper, palette.sky(0.8), isNight ? 0.9 : 0.35);
  const foot = mix(paper, palette.land(0.3), isNight ? 0.9 : 0.5);
  const backdrop = verticalGradient('air', 0, frame.height, [top, stop(0.6, middle), foot]) + rectangle(window, 'air');
  const [x, y] = [frame.width * (0.25 + 0.5 * random(0)), frame.height * (0.24 + 0.2 * random(1))];
  const size = Math.min(frame.width, frame.height) * (0.17 + 0.09 * random(2));
  const disc = circle(x, y, size, mix(palette.accent(0), light, 0.3), 0.8);
  // More beds become visible if the view extends below the first frame.
  const extraBeds = Math.max(0, Math.ceil((window.bottom / frame.height - 1.1) / 0.2));
  return [
    { svg: backdrop + glow('warmth', x, y, size * 3.4, light, 0.75) + disc, depth: 0 },
    ...Array.from({ length: BED_COUNT + extraBeds }, (_, bedIndex) => bed(tools, bedIndex)),
  ];
}

function bed(tools: Tools, bedIndex: number): Layer {
  const { window, frame, palette, randomFor, choices } = tools;
  const nearness = Math.min(1, bedIndex / (BED_COUNT - 1));
  const [placeDice, kindDice] = [randomFor(`plant ${bedIndex}`), choices(`plant kind ${bedIndex}`)];
  const gap = 92 + 44 * nearness;
  const y = frame.height * (1.04 + 0.2 * Math.max(0, bedIndex - BED_COUNT + 1));
  const shade = bedIndex < BED_COUNT ? 0.15 + 0.75 * nearness : bedIndex % 2 ? 0.78 : 0.6;
  const leaf = mix(palette.land(shade), palette.sky(0.85), 0.42 * (1 - nearness));
  const plants = cells(window.left - gap * 2, window.right + gap * 2, gap).map((key) => {
    const roll = (index: number) => placeDice(key, index);
    const valley = 0.72 + 0.84 * Math.abs((key * gap) / frame.width - 0.5);
    const height = frame.height * (0.74 - 0.3 * nearness) * (0.45 + 0.6 * roll(1)) * Math.min(1.25, valley);
    const [x, lean] = [(key + roll(0)) * gap, (roll(2) - 0.5) * 0.6];
    const bend = (t: number) => x + (height * lean * t * t) / 2;
    const stem = (t: number) => ({ x: bend(t), y: y + 20 - height * t, angle: Math.atan(lean * t) });
    const bloom = mix(palette.accent(Math.floor(kindDice(key, 4) * 4)), palette.sky(0.85), 0.35 * (1 - nearness));
    const curve = `M${round(x)} ${round(y + 20)}q0 ${round(-height / 2)} ${round(bend(1) - x)} ${round(-height)}`;
    return (
      line(curve, leaf, 1.6 + 2.6 * nearness) +
      plantSvg({ height, leaf, bloom, stem, roll }, kindDice(key, 3), mix(palette.light, bloom, 0.25))
    );
  });
  const soil = window.bottom > y ? rectangle({ ...window, top: y }, leaf) : '';
  return { svg: plants.join('') + soil, depth: 0.15 + 0.75 * nearness, sway: 5 + 6 * nearness };
}

function plantSvg(plant: Plant, kind: number, centreColour: Colour): string {
  const { x, y, angle } = plant.stem(1);
  const head = (flower: string) => placeAt(x, y, (angle * 180) / Math.PI, flower);
  if (kind < 0.34) return leaves(plant, 15, 0.2, 0.075);
  if (kind < 0.58) return leaves(plant, 5, 0.24, 0.17) + head(daisy(plant, centreColour));
  if (kind < 0.78) return leaves(plant, 3, 0.42, 0.14) + head(tulip(plant));
  return leaves(plant, 4, 0.22, 0.2) + berries(plant);
}

/** Leaves in pairs, shorter towards the tip. */
function leaves({ height, leaf, stem, roll }: Plant, pairs: number, lengthShare: number, widthShare: number): string {
  const halves = ['', ''];
  for (let blade = 0; blade < pairs * 2; blade++) {
    const [pair, side] = [blade >> 1, blade % 2 ? 1 : -1];
    const t = 0.2 + (0.76 * pair) / pairs;
    const foot = stem(t);
    const length = height * lengthShare * (1.12 - t * 0.85) * (0.8 + 0.4 * roll(20 + blade));
    const angle = foot.angle + side * (0.85 + 0.35 * roll(60 + pair));
    const [right, down] = [Math.sin(angle) * length, -Math.cos(angle) * length];
    for (const half of [0, 1]) {
      const bulge = (widthShare / lengthShare) * 0.62 * (half ? -side : side);
      const [x, y] = [right * 0.45 - down * bulge, down * 0.45 + right * bulge];
      halves[half] += `M${round(foot.x)} ${round(foot.y)}q${round(x)} ${round(y)} ${round(right)} ${round(down)}z`;
    }
  }
  return shape(halves[0] ?? '', leaf) + shape(halves[1] ?? '', lighten(leaf, 0.055));
}

function daisy({ height, bloom, roll }: Plant, centreColour: Colour): string {
  const petals = 9 + Math.floor(roll(7) * 4) * 2;
  const size = height * 0.085 + 12;
  const ring = (scale: number, colour: Colour, offset: number) =>
    Array.from({ length: petals }, (_, petal) => {
      const oval = ellipse(0, -size * 0.62 * scale, size * 0.19, size * 0.5 * scale, colour);
      return placeAt(0, 0, ((petal + offset) * 360) / petals, oval);
    }).join('');
  const flower = ring(1, lighten(bloom, -0.06), 0.5) + ring(0.86, bloom, 0) + circle(0, 0, size * 0.27, centreColour);
  return `<g transform="scale(1 ${round(0.55 + 0.4 * roll(6))})">${flower}</g>`;
}

/** In a box of 100 units: two petals at the sides and one in front of them. */
function tulip({ height, bloom }: Plant): string {
  const sides = shape(
    'M0 50C-95 40-95-50-50-100C-25-30 30 40 0 50C-30 40 25-30 50-100C95-50 95 40 0 50Z',
    lighten(bloom, -0.04),
  );
  const front = shape('M0 50C-70 0-30-70 0-105C30-70 70 0 0 50Z', lighten(bloom, 0.05));
  return placeAt(0, 0, 0, sides + front, (height * 0.07 + 13) / 100);
}

function berries({ height, leaf, bloom, stem, roll }: Plant): string {
  const twigs = Array.from({ length: 9 }, (_, index) => {
    const foot = stem(0.52 + index * 0.054);
    const angle = foot.angle + (index % 2 ? 1 : -1) * (0.5 + 0.5 * roll(80 + index));
    const twigLength = height * 0.1 * (1.2 - index * 0.07);
    const [x, y] = [foot.x + Math.sin(angle) * twigLength, foot.y - Math.cos(angle) * twigLength];
    const twig = line(`M${round(foot.x)} ${round(foot.y)}L${round(x)} ${round(y)}`, leaf, 1.6);
    return twig + circle(x, y, height * 0.008 + 4.5 + 3 * roll(100 + index), bloom);
  });
  return twigs.join('');
}
