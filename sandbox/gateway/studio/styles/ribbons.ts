import { along, css, lighter, mix } from '../colour.ts';
import { cells, linear, n, rectangle } from '../drawing.ts';
import { noise } from '../random.ts';
import type { Layer, Tools } from '../tools.ts';

const RIBBONS = 6;
const STRIPS = 44;
/** Strips lie a little over each other, or their seams would show. */
const OVERLAP = 1.25;

/** A place along a ribbon: where its middle runs, and which of its faces is seen, from 1 to -1. */
interface Rib {
  readonly x: number;
  readonly spine: number;
  readonly twist: number;
}

/** Silk: bands that twist as they cross the picture, each made of strips that catch the light differently. */
export function ribbons(tools: Tools): Layer[] {
  const { window, frame, palette, dice } = tools;
  const plan = dice('ribbon plan');
  const dark = palette.night || plan(0) < 0.45;
  const [from, to] = dark
    ? [along(palette.land, 1), along(palette.land, 0.6)]
    : [palette.paper, along(palette.sky, 0.82)];
  const gradient = linear('ground', { x: 0, y: 0 }, { x: frame.width * 0.4, y: frame.height }, [
    { at: 0, colour: from },
    { at: 1, colour: to },
  ]);
  const ground: Layer = { svg: `<defs>${gradient}</defs>${rectangle(window, 'url(#ground)')}`, depth: 0 };
  const angle = (plan(1) - 0.5) * 70;
  return [ground, ...Array.from({ length: RIBBONS }, (_, index) => ribbon(tools, index, angle, dark))];
}

function ribbon({ window, frame, palette, dice }: Tools, index: number, angle: number, dark: boolean): Layer {
  const shape = dice(`ribbon ${index}`);
  const near = index / (RIBBONS - 1);
  const reach = Math.hypot(window.right - window.left, window.bottom - window.top) * 0.75;
  const across = Math.min(frame.width, frame.height) * 1.25;
  const middle = (shape(0, 90) * 0.5 + (index + 0.5) / RIBBONS - 0.75) * across;
  const width = across * (0.1 + 0.17 * shape(1, 90));
  const centre = { x: frame.width / 2, y: frame.height / 2 };
  const offset = ((window.left + window.right) / 2 - centre.x) * Math.cos((angle * Math.PI) / 180);
  const step = Math.max(14, reach / 110);
  const ribs = cells(offset - reach, offset + reach, step).map((cell): Rib => {
    const x = cell * step;
    return {
      x,
      spine: middle + noise(shape, x / 560, 1) * across * 0.34 + noise(shape, x / 260, 2) * across * 0.03,
      twist: Math.sin(noise(shape, x / 820, 3) * 2.9 + shape(2, 90) * 6),
    };
  });
  const edge = (share: number): string[] =>
    ribs.map(({ x, spine, twist }) => {
      const fold = noise(shape, x / 430 + share * 0.75, 4) * width * 0.2;
      return `${n(x)} ${n(spine + (share - 0.5) * width * 2 * (0.34 + 0.66 * twist) + fold)}`;
    });
  const accent = palette.accents[index % palette.accents.length] ?? palette.light;
  const other = along(palette.sky, 0.25 + 0.6 * shape(3, 90));
  let svg = '';
  for (let strip = 0; strip < STRIPS; strip++) {
    const share = strip / STRIPS;
    const sheen = Math.sin(share * Math.PI * (2 + 2 * shape(4, 90)) + shape(5, 90) * 6);
    const colour = lighter(
      mix(mix(accent, other, share), palette.light, Math.max(0, sheen) ** 3 * 0.5),
      Math.min(0, sheen) * 0.13,
    );
    svg += `<path d="M${edge(share).join('L')}L${edge(share + OVERLAP / STRIPS)
      .reverse()
      .join('L')}Z" fill="${css(colour)}"/>`;
  }
  const opacity = (dark ? 0.72 : 0.86) + 0.12 * near;
  return {
    svg: `<g transform="rotate(${n(angle)} ${n(centre.x)} ${n(centre.y)}) translate(${n(centre.x)} ${n(centre.y)})" opacity="${opacity.toFixed(2)}">${svg}</g>`,
    depth: 0.15 + 0.85 * near,
    sway: 10 + 14 * near,
  };
}
