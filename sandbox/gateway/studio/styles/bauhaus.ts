import { type Colour, mix } from '../colour.ts';
import { cells, circle, figureSvg, paint, placeAt, rectangle, shape } from '../drawing.ts';
import { itemAt } from '../random.ts';
import type { Layer, Tools } from '../tools.ts';

const MODULE_SIDE = 250;
const BLOCK_SIDE = MODULE_SIDE * 2;

type Motif = (front: Colour, third: Colour) => string;

/** Motifs around the centre of a module that are also suitable at four times the area. */
const LARGE_MOTIFS: readonly [Motif, ...Motif[]] = [
  (front, third) =>
    shape('M-125-125H125A250 250 0 0 1-125 125Z', front) + shape('M-125-125H0A125 125 0 0 1-125 0Z', third),
  (front, third) => shape('M-125 0A125 125 0 0 1 125 0Z', front) + shape('M-125 125A125 125 0 0 1 125 125Z', third),
  (front, third) => circle(0, 0, 100, front) + circle(0, 0, 58, third) + circle(0, 0, 20, front),
  (front, third) => circle(0, 0, 125, third) + shape('M0-125A125 125 0 0 1 0 125Z', front),
  (front) => shape('M-125-125A125 125 0 0 0 0 0A125 125 0 0 0 125 125V0A125 125 0 0 1 0-125Z', front),
  (front, third) => [219, 156, 94, 31].map((size, ring) => arc(size, ring % 2 ? third : front)).join(''),
];
const MOTIFS: typeof LARGE_MOTIFS = [
  ...LARGE_MOTIFS,
  (front) => shape('M-125 125L125-125V125Z', front),
  (front, third) => shape('M0-125L125 0L0 125L-125 0Z', front) + circle(0, 0, 44, third),
  (front) => shape([-125, -75, -25, 25, 75].map((y) => `M-125 ${y}h250v25h-250z`).join(''), front),
  (front) =>
    [...Array(25).keys()]
      .map((dot) => circle((dot % 5) * 50 - 100, (dot - (dot % 5)) * 10 - 100, 7 + (dot % 5) * 2.6, front))
      .join(''),
];

/** A quarter of a ring around the corner of a module. */
const arc = (size: number, colour: Colour) =>
  `<path d="M${125 - size}-125A${size} ${size} 0 0 0 125 ${size - 125}" fill="none" stroke="${paint(colour)}" stroke-width="31"/>`;

/** A wall of tiles with quarter circles, arcs, stripes and dots; some tiles cover four modules. */
export function bauhaus(tools: Tools): Layer[] {
  const { window, palette, choices, frame, subject } = tools;
  const [colourDice, shapeDice] = [choices('tile colour'), choices('tile shape')];
  const dark = mix(palette.ink, palette.accent(1), 0.15);
  const colours: readonly [Colour, ...Colour[]] = [palette.paper, ...palette.accents, dark, palette.sky(0.75)];
  let [backgrounds, motifs] = ['', ''];
  const addTile = (left: number, top: number, side: number, key: number) => {
    const background = itemAt(colours, colourDice(key, 0));
    const front = contrastingColour(colours, background, colourDice(key, 1));
    const third = contrastingColour(colours, front, colourDice(key, 2));
    const motif = itemAt(side > MODULE_SIDE ? LARGE_MOTIFS : MOTIFS, shapeDice(key))(
      front,
      third === background ? front : third,
    );
    motifs += placeAt(
      left + side / 2,
      top + side / 2,
      Math.floor(shapeDice(key, 1) * 4) * 90,
      motif,
      side / MODULE_SIDE,
    );
    // The half unit hides the seam to the next tile.
    backgrounds += rectangle({ left, top, right: left + side + 0.5, bottom: top + side + 0.5 }, background);
  };
  for (const row of cells(window.top, window.bottom, BLOCK_SIDE)) {
    for (const column of cells(window.left, window.right, BLOCK_SIDE)) {
      const key = ((column + 500) * 1000 + row + 500) * 8;
      if (shapeDice(key / 8, 70) < 0.28) addTile(column * BLOCK_SIDE, row * BLOCK_SIDE, BLOCK_SIDE, key);
      else
        for (const part of [0, 1, 2, 3])
          addTile(
            (column * 2 + (part % 2)) * MODULE_SIDE,
            (row * 2 + (part >> 1)) * MODULE_SIDE,
            MODULE_SIDE,
            key + part + 1,
          );
    }
  }
  const [figure] = subject.figures;
  const [x, y, radius] = [frame.width / 2, frame.height / 2, Math.min(frame.width, frame.height) * 0.33];
  const disc = circle(x, y, radius, palette.accent(0)) + circle(x, y, radius * 0.86, palette.paper);
  const hero = figure ? disc + figureSvg(figure, x, y + radius * 0.62, radius * 1.35, palette.ink) : '';
  return [
    { svg: backgrounds, depth: 0.1 },
    { svg: motifs, depth: 0.15 },
    { svg: hero, depth: 0.5 },
  ];
}

/** A colour that differs enough from another one in lightness or hue to be visible on it. */
function contrastingColour(colours: readonly Colour[], { l, a, b }: Colour, roll: number): Colour {
  const contrasting = colours.filter((colour) => Math.hypot((colour.l - l) * 1.4, colour.a - a, colour.b - b) > 0.2);
  return contrasting[Math.floor(roll * contrasting.length)] ?? { l, a, b };
}
