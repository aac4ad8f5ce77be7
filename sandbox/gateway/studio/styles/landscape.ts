import { mix } from '../colour.ts';
import { cells, contourArea, figureSvg, round, shape, verticalGradient } from '../drawing.ts';
import { fractalNoise } from '../random.ts';
import { auroraLayer, birdsSvg, cloudsLayer, lightLayer, skyLayer, starsLayer } from '../sky.ts';
import type { Figure } from '../subject.ts';
import type { Layer, Tools } from '../tools.ts';

const RIDGE_COUNT = 6;
/** The index of the ridge on which figures stand. */
const FIGURE_RIDGE = 4;
const LAND_FIGURES: readonly Figure[] = ['cat', 'wolf', 'house', 'lighthouse', 'balloon', 'rocket'];

/** Ridges that fade into the distance, under a sun or a moon. */
export function landscape(tools: Tools): Layer[] {
  const { frame, window, palette, subject, randomFor } = tools;
  const random = randomFor('landscape plan');
  const horizon = frame.height * (0.5 + 0.14 * random(0));
  const layers = [skyLayer(tools, 0, horizon * 1.05)];
  if (palette.isNight) layers.push(starsLayer(tools, horizon));
  if (palette.isNight && subject.moods.includes('magic')) layers.push(auroraLayer(tools, horizon));
  layers.push(
    lightLayer(tools, frame.width * (0.2 + 0.6 * random(1)), horizon * (0.28 + 0.42 * random(2)), 44 + 52 * random(3)),
  );
  layers.push(cloudsLayer(tools, horizon, 0.16 + 0.3 * random(4)));
  if (!palette.isNight) layers.push({ svg: birdsSvg(tools, horizon), depth: 0.18 });
  // More ridges become visible if the view extends below the first frame.
  const extraRidges = Math.max(0, Math.ceil((window.bottom / frame.height - 1.05) / 0.22));
  for (let index = 0; index < RIDGE_COUNT + extraRidges; index++) layers.push(ridge(tools, horizon, index));
  return layers;
}

function ridge(tools: Tools, horizon: number, index: number): Layer {
  const { window, palette, subject, unit, randomFor, frame } = tools;
  const random = randomFor('landscape plan');
  const nearness = Math.min(1, index / (RIDGE_COUNT - 1));
  const isSoft = subject.moods.includes('desert');
  const extraOffset = frame.height * 0.22 * Math.max(0, index - RIDGE_COUNT + 1);
  const base = horizon + (frame.height * 1.02 - horizon) * nearness ** 1.25 + extraOffset;
  const ridgeHeight = (frame.height * 0.16 + 60) * (1 - 0.55 * nearness) * (0.6 + 0.8 * random(index, 5));
  const stretch = (isSoft ? 420 : 250) + 330 * nearness + 200 * random(index, 6);
  const octaves = isSoft ? 2 : 6 - Math.floor(nearness * 2.5);
  const shapeDice = randomFor(`ridge ${index}`);
  const height = (x: number) => base - ridgeHeight * (0.5 + fractalNoise(shapeDice, x / stretch, octaves, 0, 0.46));
  const body = palette.land(index < RIDGE_COUNT ? nearness : 0.9 + 0.1 * (index % 2));
  const mist = mix(palette.sky(0.92), body, 0.25 + 0.6 * nearness);
  const step = Math.max(unit * 1.6, (window.right - window.left) / 900);
  const outline = contourArea(window, step, Math.max(window.bottom, base) + 200, height);
  const fade = verticalGradient(`ridge${index}`, base - ridgeHeight, base + frame.height * 0.16, [
    body,
    mix(body, mist, 0.35),
    mist,
  ]);
  const figures = index === FIGURE_RIDGE ? figuresSvg(tools, height) : '';
  const trees = nearness > 0.5 && !isSoft ? pines(tools, height, index, nearness) : '';
  return { svg: fade + figures + shape(outline, `ridge${index}`) + shape(trees, body), depth: 0.2 + 0.8 * nearness };
}

/** The figures of the prompt, on the second-to-last ridge, where they are large but still in front of the sky. */
function figuresSvg({ subject, frame, palette, randomFor }: Tools, height: (x: number) => number): string {
  const placeDice = randomFor('figure');
  const figureHeight = Math.min(frame.width, frame.height) * 0.19;
  return LAND_FIGURES.filter((figure) => subject.figures.includes(figure))
    .slice(0, 3)
    .map((figure, index) => {
      const x = frame.width * ((0.3 + 0.4 * placeDice(index) + index * 0.3) % 0.9);
      const altitude = figure === 'balloon' || figure === 'rocket' ? frame.height * 0.24 : -7;
      return figureSvg(figure, x, height(x) - altitude, figureHeight, palette.land(0.97), placeDice(index, 1) < 0.5);
    })
    .join('');
}

function pines(
  { window, randomFor, unit }: Tools,
  height: (x: number) => number,
  index: number,
  nearness: number,
): string {
  const [placeDice, shapeDice] = [randomFor(`pine place ${index}`), randomFor(`pine shape ${index}`)];
  const gap = 12 + 26 * nearness;
  const trees = cells(window.left - 60, window.right + 60, gap).map((cell) => {
    const grove = fractalNoise(placeDice, cell / 9, 2, 7);
    const treeHeight = (26 + 78 * nearness) * (0.55 + 0.75 * shapeDice(cell)) * (0.7 + grove * 0.6);
    if (grove < -0.05 + placeDice(cell, 3) * 0.35 || treeHeight < unit * 2) return '';
    const [x, baseHalfWidth] = [(cell + placeDice(cell)) * gap, treeHeight * (0.15 + 0.08 * shapeDice(cell, 1))];
    const foot = height(x) + 5;
    // Five tiers of branches, narrower towards the top.
    const tiers = [0, 1, 2, 3, 4].map((tier) => {
      const [y, halfWidth] = [foot - treeHeight * (0.12 + 0.17 * tier), baseHalfWidth * (1 - tier / 5.4)];
      return `M${round(x - halfWidth)} ${round(y)}L${round(x)} ${round(y - treeHeight * 0.32)}L${round(x + halfWidth)} ${round(y)}Z`;
    });
    return `M${round(x - baseHalfWidth * 0.12)} ${round(foot)}h${round(baseHalfWidth * 0.24)}v${round(-treeHeight * 0.14)}h${round(-baseHalfWidth * 0.24)}Z${tiers.join('')}`;
  });
  return trees.join('');
}
