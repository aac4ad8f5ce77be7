import { auroraLayer } from '../aurora.ts';
import { along, css, mix } from '../colour.ts';
import { cells, linear, n, type Point, polygon } from '../drawing.ts';
import { figureSvg } from '../figures.ts';
import { type Dice, fractal } from '../random.ts';
import { birdsSvg, cloudsLayer, lightLayer, skyLayer, starsLayer } from '../sky.ts';
import type { Figure } from '../subject.ts';
import type { Layer, Tools } from '../tools.ts';

const RIDGES = 6;
/** The ridge that figures stand on. */
const STAGE = 4;
const TALL: Partial<Record<Figure, number>> = {
  house: 0.17,
  cat: 0.2,
  wolf: 0.17,
  lighthouse: 0.26,
  balloon: 0.19,
  rocket: 0.22,
};

interface Ridge {
  readonly base: number;
  readonly tall: number;
  readonly stretch: number;
  readonly octaves: number;
  readonly depth: number;
}

/** Ridges behind ridges in thinning air, under a sun or a moon. */
export function landscape(tools: Tools): Layer[] {
  const { frame, window, palette, subject, dice } = tools;
  const plan = dice('landscape plan');
  const horizon = frame.height * (0.5 + 0.14 * plan(0));
  const light = { x: frame.width * (0.2 + 0.6 * plan(1)), y: horizon * (0.28 + 0.42 * plan(2)) };
  const radius = 44 + 52 * plan(3);
  const layers = [skyLayer(tools, 0, horizon * 1.05)];
  if (palette.night) layers.push(starsLayer(tools, horizon));
  if (palette.night && subject.moods.includes('magic')) layers.push(auroraLayer(tools, horizon));
  layers.push(lightLayer(tools, light, radius), cloudsLayer(tools, horizon, 0.16 + 0.3 * plan(4)));
  if (!palette.night) layers.push({ svg: birdsSvg(tools, horizon), depth: 0.18 });
  const soft = subject.moods.includes('desert');
  // Further ridges come into sight when the view reaches below the first one.
  const below = Math.max(0, Math.ceil((window.bottom / frame.height - 1.05) / 0.22));
  for (let index = 0; index < RIDGES + below; index++) {
    const near = Math.min(1, index / (RIDGES - 1));
    const further = Math.max(0, index - RIDGES + 1);
    const ridge = {
      base: horizon + (frame.height * 1.02 - horizon) * near ** 1.25 + frame.height * 0.22 * further,
      tall: (frame.height * 0.16 + 60) * (1 - 0.55 * near) * (0.6 + 0.8 * plan(index, 5)),
      stretch: (soft ? 420 : 250) + 330 * near + 200 * plan(index, 6),
      octaves: soft ? 2 : 6 - Math.floor(near * 2.5),
      depth: 0.2 + 0.8 * near,
    };
    layers.push(ridgeLayer(tools, ridge, index, near));
  }
  return layers;
}

function ridgeLayer(tools: Tools, ridge: Ridge, index: number, near: number): Layer {
  const { window, palette, subject, unit, dice, frame } = tools;
  const height = heightOf(dice(`ridge ${index}`), ridge);
  const step = Math.max(unit * 1.6, (window.right - window.left) / 900);
  const points: Point[] = [];
  for (const column of cells(window.left, window.right, step))
    points.push({ x: column * step, y: height(column * step) });
  const floor = Math.max(window.bottom, ridge.base) + 200;
  const outline = polygon([...points, { x: window.right + step, y: floor }, { x: window.left - step, y: floor }]);
  const body = along(palette.land, index < RIDGES ? near : 0.9 + 0.1 * (index % 2));
  const mist = mix(along(palette.sky, 0.92), body, 0.25 + 0.6 * near);
  const id = `ridge${index}`;
  const fade = linear(id, { x: 0, y: ridge.base - ridge.tall }, { x: 0, y: ridge.base + frame.height * 0.16 }, [
    { at: 0, colour: body },
    { at: 0.45, colour: mix(body, mist, 0.35) },
    { at: 1, colour: mist },
  ]);
  const wooded = near > 0.5 && !subject.moods.includes('desert');
  const trees = wooded ? pines(tools, height, index, near) : '';
  const figures = index === STAGE ? figuresSvg(tools, height) : '';
  return {
    svg: `<defs>${fade}</defs>${figures}<path d="${outline}" fill="url(#${id})"/><path d="${trees}" fill="${css(body)}"/>`,
    depth: ridge.depth,
  };
}

/** What the prompt names stands on the ridge before the last, where it is large and still before the sky. */
function figuresSvg({ subject, frame, palette, dice }: Tools, height: (x: number) => number): string {
  const place = dice('figure');
  const actors = subject.figures.filter((figure) => figure !== 'pine' && figure !== 'bird' && figure !== 'boat');
  return actors
    .slice(0, 3)
    .map((figure, index) => {
      const x = frame.width * ((0.3 + 0.4 * place(index) + index * 0.3) % 0.9);
      const aloft = figure === 'balloon' || figure === 'rocket' ? frame.height * 0.24 : -7;
      const tall = Math.min(frame.width, frame.height) * (TALL[figure] ?? 0.13);
      return figureSvg(figure, x, height(x) - aloft, tall, css(along(palette.land, 0.97)), place(index, 1) < 0.5);
    })
    .join('');
}

function heightOf(dice: Dice, ridge: Ridge): (x: number) => number {
  return (x) => {
    const wave = fractal(dice, x / ridge.stretch, ridge.octaves, 0, 0.46);
    return ridge.base - ridge.tall * (0.5 + wave);
  };
}

function pines({ window, dice, unit }: Tools, height: (x: number) => number, index: number, near: number): string {
  const [place, shape] = [dice(`pine place ${index}`), dice(`pine shape ${index}`)];
  const gap = 12 + 26 * near;
  let path = '';
  for (const cell of cells(window.left - 60, window.right + 60, gap)) {
    const grove = fractal(place, cell / 9, 2, 7);
    if (grove < -0.05 + place(cell, 3) * 0.35) continue;
    const x = (cell + place(cell)) * gap;
    const tall = (26 + 78 * near) * (0.55 + 0.75 * shape(cell)) * (0.7 + grove * 0.6);
    if (tall < unit * 2) continue;
    path += pine(x, height(x) + 5, tall, tall * (0.15 + 0.08 * shape(cell, 1)));
  }
  return path;
}

/** Five skirts of branches, narrower towards the top. */
function pine(x: number, y: number, tall: number, wide: number): string {
  let left = '';
  let right = '';
  for (let tier = 0; tier < 5; tier++) {
    const up = y - tall * (0.12 + 0.17 * tier);
    const half = wide * (1 - tier / 5.4);
    left = `L${n(x - half * 0.42)} ${n(up - tall * 0.13)}L${n(x - half)} ${n(up)}${left}`;
    right += `L${n(x + half)} ${n(up)}L${n(x + half * 0.42)} ${n(up - tall * 0.13)}`;
  }
  return `M${n(x + wide * 0.12)} ${n(y)}L${n(x + wide * 0.12)} ${n(y - tall * 0.12)}${right}L${n(x)} ${n(y - tall)}${left}L${n(x - wide * 0.12)} ${n(y - tall * 0.12)}L${n(x - wide * 0.12)} ${n(y)}Z`;
}
