import { along, css, lighter, mix } from '../colour.ts';
import { cells, n, type Point } from '../drawing.ts';
import { fractal } from '../random.ts';
import { cloudsLayer, lightLayer, skyLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

const SHEETS = 6;
const RINGS = 5;

/** The blue sea waves of Japanese cloth: rows of rings, each row before the one above, coming nearer as they grow. */
export function seigaiha(tools: Tools): Layer[] {
  const { frame, dice } = tools;
  const plan = dice('wave plan');
  const shore = frame.height * (0.3 + 0.14 * plan(0));
  const light = { x: frame.width * (0.25 + 0.5 * plan(1)), y: shore - frame.height * (0.02 + 0.1 * plan(2)) };
  const layers = [
    skyLayer(tools, 0, shore * 1.1),
    lightLayer(tools, light, Math.min(frame.width, frame.height) * (0.12 + 0.07 * plan(3))),
  ];
  layers.push(cloudsLayer(tools, shore, 0.3));
  const rows = rowsOf(tools, shore);
  for (let sheet = 0; sheet < SHEETS; sheet++) {
    const part = rows.slice(
      Math.floor((sheet * rows.length) / SHEETS),
      Math.floor(((sheet + 1) * rows.length) / SHEETS),
    );
    layers.push({
      svg: part.map((row) => rowSvg(tools, row, shore)).join(''),
      depth: 0.2 + (0.8 * sheet) / (SHEETS - 1),
      sway: 3 + sheet * 2,
    });
  }
  return layers;
}

interface Row {
  readonly y: number;
  readonly radius: number;
  readonly number: number;
}

function rowsOf({ window, frame }: Tools, shore: number): Row[] {
  const rows: Row[] = [];
  for (let y = shore, number = 0; y < window.bottom + 200 && number < 80; number++) {
    const near = Math.max(0, (y - shore) / (frame.height - shore));
    const radius = 40 + 78 * Math.min(1.6, near);
    rows.push({ y, radius, number });
    y += radius * 0.5;
  }
  return rows;
}

function rowSvg(tools: Tools, { y, radius, number }: Row, shore: number): string {
  const { window, dice, frame } = tools;
  const tide = dice('tide');
  const gap = radius * 2;
  let svg = '';
  const middle = frame.width / 2;
  for (const cell of cells(window.left - middle - gap, window.right - middle + gap, gap)) {
    const x = middle + (cell + (number % 2) * 0.5) * gap;
    const rise = fractal(tide, x / 520 + number * 0.13, 2, 1) * 46 * (0.3 + (y - shore) / frame.height);
    svg += scale(tools, { x, y: y + radius * 0.4 + rise }, radius, cell, number, (y - shore) / (frame.height - shore));
  }
  return svg;
}

function scale(
  { palette, dice }: Tools,
  centre: Point,
  radius: number,
  cell: number,
  number: number,
  near: number,
): string {
  const [tone, spark] = [dice('scale tone'), dice('scale spark')];
  const depth = Math.min(1, 0.12 + 0.75 * near + fractal(tone, centre.x / 300 + number * 0.31, 2, 4) * 0.26);
  const body = along(palette.land, depth);
  const rim = mix(palette.paper, along(palette.sky, 0.85), 0.25);
  const special =
    spark(cell, number) < 0.07 ? (palette.accents[Math.floor(spark(cell, number + 300) * 2)] ?? body) : undefined;
  let svg = `<circle cx="${n(centre.x)}" cy="${n(centre.y)}" r="${n(radius)}" fill="${css(rim)}"/>`;
  for (let ring = 0; ring < RINGS; ring++) {
    const size = radius * (0.94 - ring * 0.19);
    const base = special ?? body;
    const fill = ring % 2 === 0 ? lighter(mix(base, rim, ring * 0.05), ring * 0.03) : mix(rim, base, 0.16);
    svg += `<circle cx="${n(centre.x)}" cy="${n(centre.y)}" r="${n(size)}" fill="${css(fill)}"/>`;
  }
  return svg;
}
