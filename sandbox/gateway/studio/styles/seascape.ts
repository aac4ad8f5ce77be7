import { along, css, lighter, mix } from '../colour.ts';
import { cells, glow, linear, n, type Point, polygon, rectangle } from '../drawing.ts';
import { figureSvg } from '../figures.ts';
import { fractal } from '../random.ts';
import { birdsSvg, cloudsLayer, lightLayer, skyLayer, starsLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

const SWELLS = 5;

/** A low sun or moon over water, with its path of light and swells that come nearer. */
export function seascape(tools: Tools): Layer[] {
  const { frame, palette, subject, dice } = tools;
  const plan = dice('sea plan');
  const horizon = frame.height * (0.48 + 0.12 * plan(0));
  const light = { x: frame.width * (0.25 + 0.5 * plan(1)), y: horizon - frame.height * (0.05 + 0.2 * plan(2)) };
  const layers = [skyLayer(tools, 0, horizon)];
  if (palette.night) layers.push(starsLayer(tools, horizon));
  layers.push(lightLayer(tools, light, 56 + 50 * plan(3)), cloudsLayer(tools, horizon, 0.3 + 0.25 * plan(4)));
  layers.push(islands(tools, horizon), water(tools, horizon, light), glitter(tools, horizon, light));
  if (subject.figures.includes('lighthouse')) layers.push(lighthouse(tools, horizon, light));
  for (let index = 0; index < SWELLS; index++) layers.push(swell(tools, horizon, index, light));
  return layers;
}

function islands(tools: Tools, horizon: number): Layer {
  const { window, palette, dice, frame } = tools;
  const shapes = [0, 1].map((row) => {
    const shape = dice(`island ${row}`);
    const points = cells(window.left, window.right, 7).map((cell): Point => {
      const rise = Math.max(0, fractal(shape, (cell * 7) / (430 - row * 120), 5) - 0.05 + row * -0.12);
      return { x: cell * 7, y: horizon + 3 - rise * frame.height * (0.24 - 0.07 * row) };
    });
    const outline = polygon([
      ...points,
      { x: window.right + 9, y: horizon + 3 },
      { x: window.left - 9, y: horizon + 3 },
    ]);
    return `<path d="${outline}" fill="${css(mix(along(palette.land, 0.12 + 0.3 * row), along(palette.sky, 0.9), 0.35 - 0.15 * row))}"/>`;
  });
  const birds = palette.night ? '' : birdsSvg(tools, horizon);
  return { svg: shapes.join('') + birds, depth: 0.16 };
}

function water({ window, palette, frame }: Tools, horizon: number, light: Point): Layer {
  const depthOf = linear('water', { x: 0, y: horizon }, { x: 0, y: frame.height * 1.05 }, [
    { at: 0, colour: mix(along(palette.sky, 0.86), along(palette.land, 0.2), 0.35) },
    { at: 0.16, colour: mix(along(palette.sky, 0.6), along(palette.land, 0.3), 0.55) },
    { at: 0.55, colour: along(palette.land, 0.62) },
    { at: 1, colour: along(palette.land, 0.92) },
  ]);
  const sheen = glow(
    'sheen',
    { x: light.x, y: horizon },
    frame.width * 0.42,
    palette.light,
    palette.night ? 0.28 : 0.5,
  );
  const clip = `<clipPath id="below">${rectangle({ ...window, top: horizon }, '#fff')}</clipPath>`;
  return {
    svg: `<defs>${depthOf}${clip}</defs>${rectangle({ ...window, top: horizon }, 'url(#water)')}<g clip-path="url(#below)">${sheen}</g>`,
    depth: 0.2,
  };
}

/** Lens-shaped glints, larger and rarer towards the viewer, crowded below the light. */
function glitter({ window, palette, dice, unit, frame }: Tools, horizon: number, light: Point): Layer {
  const [place, shape] = [dice('glint place'), dice('glint shape')];
  let bright = '';
  let dim = '';
  for (let row = 0; row < 64; row++) {
    const near = row / 63;
    const y = horizon + 3 + near ** 1.7 * (frame.height * 1.04 - horizon);
    const gap = 16 + 84 * near;
    for (const cell of cells(window.left, window.right, gap)) {
      const x = (cell + place(cell, row)) * gap;
      const spread = frame.width * (0.035 + 0.15 * near);
      const inPath = Math.exp(-(((x - light.x) / spread) ** 2));
      if (shape(cell, row) > 0.1 + 0.85 * inPath) continue;
      const half = (5 + 34 * near) * (0.35 + shape(cell * 3, row));
      const thick = Math.max(unit * 0.5, (0.7 + 3.6 * near) * (0.5 + 0.7 * place(cell * 3, row)));
      const lens = `M${n(x - half)} ${n(y)}Q${n(x)} ${n(y - thick)} ${n(x + half)} ${n(y)}Q${n(x)} ${n(y + thick)} ${n(x - half)} ${n(y)}Z`;
      if (inPath > 0.25) bright += lens;
      else dim += lens;
    }
  }
  const soft = mix(palette.light, along(palette.sky, 0.8), 0.6);
  return {
    svg: `<path d="${dim}" fill="${css(soft)}" fill-opacity=".22"/><path d="${bright}" fill="${css(palette.light)}" fill-opacity=".78"/>`,
    depth: 0.3,
    sway: 5,
    pulse: 0.2,
  };
}

function swell(tools: Tools, horizon: number, index: number, light: Point): Layer {
  const { window, palette, dice, frame, subject } = tools;
  const near = (index + 1) / SWELLS;
  const shape = dice(`swell ${index}`);
  const base = horizon + (frame.height - horizon) * (0.14 + 0.8 * near ** 1.5);
  const tall = 7 + 42 * near;
  const crest = (x: number) => {
    const wave = fractal(shape, x / (150 + 330 * near), 2);
    return base - tall * (0.6 * wave + 0.35 * Math.abs(Math.sin(x / (110 + 150 * near) + shape(0, 9) * 6 + wave)));
  };
  const points = cells(window.left, window.right, 8).map((cell): Point => ({ x: cell * 8, y: crest(cell * 8) }));
  const floor = base + frame.height * 0.22;
  const body = along(palette.land, 0.4 + 0.6 * near);
  const fade = linear(`swell${index}`, { x: 0, y: base - tall }, { x: 0, y: floor }, [
    { at: 0, colour: mix(body, along(palette.sky, 0.75), 0.42 - 0.2 * near), opacity: 0.85 },
    { at: 0.3, colour: body, opacity: 0.6 },
    { at: 1, colour: body, opacity: index === SWELLS - 1 ? 1 : 0 },
  ]);
  const bottom = index === SWELLS - 1 ? Math.max(floor, window.bottom + 10) : floor;
  const outline = polygon([...points, { x: window.right + 9, y: bottom }, { x: window.left - 9, y: bottom }]);
  const rim = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${n(x)} ${n(y)}`).join('');
  const foam = `<path d="${rim}" fill="none" stroke="${css(lighter(mix(body, palette.light, 0.65), 0.05))}" stroke-width="${n(1 + 2.4 * near)}" stroke-opacity="${n(0.55 - 0.2 * near)}"/>`;
  const boat =
    index === 1 && (subject.figures.includes('boat') || (subject.figures.length === 0 && dice('boat')(0) < 0.45))
      ? boatSvg(tools, crest, light)
      : '';
  return {
    svg: `<defs>${fade}</defs>${boat}<path d="${outline}" fill="url(#swell${index})"/>${foam}`,
    depth: 0.35 + 0.65 * near,
    sway: 6,
  };
}

/** A tower on a rock across from the light, with its own beams. */
function lighthouse({ frame, palette, dice }: Tools, horizon: number, light: Point): Layer {
  const shape = dice('lighthouse');
  const side = light.x > frame.width / 2 ? 0.22 : 0.78;
  const foot = { x: frame.width * (side + 0.06 * (shape(0) - 0.5)), y: horizon + 14 };
  const tall = Math.min(frame.height * 0.26, 330);
  const lamp = { x: foot.x, y: foot.y - 26 - tall * 0.84 };
  const dark = along(palette.land, 0.92);
  const reach = frame.width * 0.7;
  const beams = [-1, 1].map((way) => {
    const fade = linear(`beam${way + 1}`, lamp, { x: lamp.x + way * reach, y: lamp.y }, [
      { at: 0, colour: palette.light, opacity: 0.75 },
      { at: 1, colour: palette.light, opacity: 0 },
    ]);
    return `<defs>${fade}</defs><path d="M${n(lamp.x)} ${n(lamp.y)}L${n(lamp.x + way * reach)} ${n(lamp.y - 70)}V${n(lamp.y + 46)}Z" fill="url(#beam${way + 1})"/>`;
  });
  const rock = polygon(
    Array.from({ length: 15 }, (_, index): Point => {
      const t = index / 14;
      return { x: foot.x - 190 + 380 * t, y: foot.y + 22 - Math.sin(Math.PI * t) ** 0.7 * (44 + 16 * shape(index, 1)) };
    }),
  );
  const tower = figureSvg('lighthouse', foot.x, foot.y - 26, tall, css(dark));
  return {
    svg: `${beams.join('')}${tower}${glow('lamp', lamp, tall * 0.34, palette.light, 0.9)}<path d="${rock}" fill="${css(dark)}"/>`,
    depth: 0.34,
  };
}

function boatSvg({ frame, palette, dice }: Tools, crest: (x: number) => number, light: Point): string {
  const side = light.x > frame.width / 2 ? 0.24 : 0.7;
  const x = frame.width * (side + 0.1 * dice('boat')(1));
  return figureSvg('boat', x, crest(x) + 4, frame.height * 0.15, css(along(palette.land, 1)), light.x < x);
}
