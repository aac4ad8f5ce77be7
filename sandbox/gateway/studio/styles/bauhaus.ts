import { type Colour, css, mix } from '../colour.ts';
import { cells, n, rectangle } from '../drawing.ts';
import { figureSvg } from '../figures.ts';
import type { Dice } from '../random.ts';
import type { Layer, Tools } from '../tools.ts';

const MODULE = 250;

/** Motifs that bear to be drawn four modules large; stripes and dots do not. */
const LARGE = [0, 1, 2, 6, 7, 8] as const;

interface Tile {
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly key: number;
}

/** A wall of tiles: quarter circles, arcs, stripes and dots on a module, some of them four modules large. */
export function bauhaus(tools: Tools): Layer[] {
  const { window, palette, choices, frame, subject } = tools;
  const [pick, shape] = [choices('tile colour'), choices('tile shape')];
  const colours = [
    palette.paper,
    ...palette.accents,
    mix(palette.ink, palette.accents[1] ?? palette.ink, 0.15),
    along(palette.sky),
  ];
  const colourAt = (key: number, layer: number) =>
    colours[Math.floor(pick(key, layer) * colours.length)] ?? palette.paper;
  let grounds = '';
  const shapes = ['', ''];
  for (const tile of tilesOf(tools, shape)) {
    const ground = colourAt(tile.key, 0);
    const front = differing(colours, ground, pick(tile.key, 1));
    const third = differing(colours, front, pick(tile.key, 2));
    grounds += `<rect x="${n(tile.x)}" y="${n(tile.y)}" width="${n(tile.side + 0.5)}" height="${n(tile.side + 0.5)}" fill="${css(ground)}"/>`;
    const motif = motifOf(tile, shape, css(front), css(third === ground ? front : third));
    shapes[tile.key & 1] += motif;
  }
  const figure = subject.figures[0];
  const short = Math.min(frame.width, frame.height);
  const disc = { x: frame.width / 2, y: frame.height / 2, radius: short * 0.33 };
  const hero = figure
    ? `<circle cx="${n(disc.x)}" cy="${n(disc.y)}" r="${n(disc.radius)}" fill="${css(palette.accents[0] ?? palette.light)}"/><circle cx="${n(disc.x)}" cy="${n(disc.y)}" r="${n(disc.radius * 0.86)}" fill="${css(palette.paper)}"/>${figureSvg(figure, disc.x, disc.y + disc.radius * 0.62, disc.radius * 1.35, css(palette.ink))}`
    : '';
  return [
    { svg: rectangle(window, css(palette.paper)) + grounds, depth: 0.1 },
    { svg: shapes[0] ?? '', depth: 0.1 },
    { svg: shapes[1] ?? '', depth: 0.16 },
    { svg: hero, depth: 0.5 },
  ];
}

const along = (ramp: readonly Colour[]): Colour => ramp[3] ?? { l: 0.8, a: 0, b: 0 };

/** A colour far enough from another in lightness or hue to be seen on it. */
function differing(colours: readonly Colour[], from: Colour, roll: number): Colour {
  const far = colours.filter(
    (colour) => Math.hypot((colour.l - from.l) * 1.4, colour.a - from.a, colour.b - from.b) > 0.2,
  );
  return far[Math.floor(roll * far.length)] ?? from;
}

function tilesOf({ window }: Tools, shape: Dice): Tile[] {
  const tiles: Tile[] = [];
  const block = MODULE * 2;
  for (const row of cells(window.top, window.bottom, block)) {
    for (const column of cells(window.left, window.right, block)) {
      const key = (column + 500) * 1000 + row + 500;
      const [x, y] = [column * block, row * block];
      if (shape(key, 70) < 0.28) {
        tiles.push({ x, y, side: block, key: key * 8 });
        continue;
      }
      for (const part of [0, 1, 2, 3]) {
        tiles.push({ x: x + (part % 2) * MODULE, y: y + (part >> 1) * MODULE, side: MODULE, key: key * 8 + part + 1 });
      }
    }
  }
  return tiles;
}

function motifOf({ x, y, side, key }: Tile, shape: Dice, front: string, third: string): string {
  const turn = Math.floor(shape(key, 1) * 4) * 90;
  const half = side / 2;
  const place = `<g transform="translate(${n(x + half)} ${n(y + half)}) rotate(${turn}) scale(${n(side) === '250' ? 1 : side / MODULE})">`;
  const motifs: readonly string[] = [
    `<path d="M-125 -125H125A250 250 0 0 1 -125 125Z" fill="${front}"/><path d="M-125 -125H0A125 125 0 0 1 -125 0Z" fill="${third}"/>`,
    `<path d="M-125 0A125 125 0 0 1 125 0Z" fill="${front}"/><path d="M-125 125A125 125 0 0 1 125 125Z" fill="${third}"/>`,
    `<circle r="100" fill="${front}"/><circle r="58" fill="${third}"/><circle r="20" fill="${front}"/>`,
    [0, 1, 2, 3, 4]
      .map((band) => `<rect x="-125" y="${-125 + band * 50}" width="250" height="25" fill="${front}"/>`)
      .join(''),
    [...Array(25).keys()]
      .map(
        (dot) =>
          `<circle cx="${-100 + (dot % 5) * 50}" cy="${-100 + Math.floor(dot / 5) * 50}" r="${7 + (dot % 5) * 2.6}" fill="${front}"/>`,
      )
      .join(''),
    `<path d="M-125 125L125 -125V125Z" fill="${front}"/>`,
    [0, 1, 2, 3]
      .map(
        (ring) =>
          `<path d="M${-125 + 62.5 * (3 - ring) + 31} -125A${62.5 * (ring + 1) - 31} ${62.5 * (ring + 1) - 31} 0 0 0 125 ${125 - 62.5 * (3 - ring) - 31}" fill="none" stroke="${ring % 2 ? third : front}" stroke-width="31" transform="rotate(0)"/>`,
      )
      .join(''),
    `<path d="M-125 0A125 125 0 0 1 0 -125A125 125 0 0 1 125 0A125 125 0 0 1 0 125A125 125 0 0 1 -125 0Z" fill="${third}"/><path d="M0 -125A125 125 0 0 1 0 125Z" fill="${front}"/>`,
    `<path d="M-125 -125A125 125 0 0 0 0 0A125 125 0 0 0 125 125V0A125 125 0 0 1 0 -125Z" fill="${front}"/>`,
    `<path d="M0 -125L125 0L0 125L-125 0Z" fill="${front}"/><circle r="44" fill="${third}"/>`,
  ];
  return `${place}${motifs[side > MODULE ? (LARGE[Math.floor(shape(key) * LARGE.length)] ?? 0) : Math.floor(shape(key) * motifs.length)] ?? ''}</g>`;
}
