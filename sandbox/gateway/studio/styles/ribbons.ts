import { lighten, mix } from '../colour.ts';
import { cells, linearGradient, rectangle, round, shape } from '../drawing.ts';
import { noise } from '../random.ts';
import type { Layer, Tools } from '../tools.ts';

const RIBBON_COUNT = 6;
const STRIP_COUNT = 44;
/** Strips overlap a little, because their seams would be visible otherwise. */
const OVERLAP = 1.25;

/** Silk bands that twist across the image, each made of strips that reflect the light differently. */
export function ribbons(tools: Tools): Layer[] {
  const { window, frame, palette, randomFor } = tools;
  const random = randomFor('ribbon plan');
  const isDark = palette.isNight || random(0) < 0.45;
  const colours = isDark ? [palette.land(1), palette.land(0.6)] : [palette.paper, palette.sky(0.82)];
  const fade = linearGradient('ground', 0, 0, frame.width * 0.4, frame.height, colours);
  const angle = (random(1) - 0.5) * 70;
  const layers = Array.from({ length: RIBBON_COUNT }, (_, index) => ribbon(tools, index, angle, isDark ? 0.72 : 0.86));
  return [{ svg: fade + rectangle(window, 'ground'), depth: 0 }, ...layers];
}

function ribbon({ window, frame, palette, randomFor }: Tools, index: number, angle: number, opacity: number): Layer {
  const shapeDice = randomFor(`ribbon ${index}`);
  const nearness = index / (RIBBON_COUNT - 1);
  const halfLength = Math.hypot(window.right - window.left, window.bottom - window.top) * 0.75;
  const spread = Math.min(frame.width, frame.height) * 1.25;
  const middle = (shapeDice(0, 90) * 0.5 + (index + 0.5) / RIBBON_COUNT - 0.75) * spread;
  const width = spread * (0.1 + 0.17 * shapeDice(1, 90));
  const [x, y] = [frame.width / 2, frame.height / 2];
  const offset = ((window.left + window.right) / 2 - x) * Math.cos((angle * Math.PI) / 180);
  const step = Math.max(14, halfLength / 110);
  // The centre line of the ribbon, and its twist from 1 to -1.
  const ribs = cells(offset - halfLength, offset + halfLength, step).map((cell) => {
    const position = cell * step;
    const spine =
      middle +
      noise(shapeDice, position / 560, 1) * spread * 0.34 +
      noise(shapeDice, position / 260, 2) * spread * 0.03;
    return { at: position, spine, twist: Math.sin(noise(shapeDice, position / 820, 3) * 2.9 + shapeDice(2, 90) * 6) };
  });
  const edge = (share: number): string[] =>
    ribs.map(({ at: position, spine, twist }) => {
      const fold = noise(shapeDice, position / 430 + share * 0.75, 4) * width * 0.2;
      return `${round(position)} ${round(spine + (share - 0.5) * width * 2 * (0.34 + 0.66 * twist) + fold)}`;
    });
  const strips = Array.from({ length: STRIP_COUNT }, (_, strip) => {
    const share = strip / STRIP_COUNT;
    const sheen = Math.sin(share * Math.PI * (2 + 2 * shapeDice(4, 90)) + shapeDice(5, 90) * 6);
    const silk = mix(palette.accent(index), palette.sky(0.25 + 0.6 * shapeDice(3, 90)), share);
    const colour = lighten(mix(silk, palette.light, Math.max(0, sheen) ** 3 * 0.5), Math.min(0, sheen) * 0.13);
    const outline = [...edge(share), ...edge(share + OVERLAP / STRIP_COUNT).reverse()];
    return shape(`M${outline.join('L')}Z`, colour);
  });
  const transform = `rotate(${round(angle)} ${round(x)} ${round(y)}) translate(${round(x)} ${round(y)})`;
  const svg = `<g transform="${transform}" opacity="${(opacity + 0.12 * nearness).toFixed(2)}">${strips.join('')}</g>`;
  return { svg, depth: 0.15 + 0.85 * nearness, sway: 10 + 14 * nearness };
}
