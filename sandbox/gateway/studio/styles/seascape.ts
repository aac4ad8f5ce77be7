import { lighten, mix } from '../colour.ts';
import {
  cells,
  contourArea,
  contourPath,
  figureSvg,
  glow,
  line,
  linearGradient,
  rectangle,
  round,
  shape,
  stop,
  verticalGradient,
} from '../drawing.ts';
import { fractalNoise } from '../random.ts';
import { birdsSvg, cloudsLayer, lightLayer, skyLayer, starsLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

const SWELL_COUNT = 5;
const GLINT_ROWS = 64;

/** A low sun or moon over water, with its reflection and several rows of waves. */
export function seascape(tools: Tools): Layer[] {
  const { frame, palette, subject, randomFor } = tools;
  const random = randomFor('sea plan');
  const [horizon, lightX] = [frame.height * (0.48 + 0.12 * random(0)), frame.width * (0.25 + 0.5 * random(1))];
  const layers = [skyLayer(tools, 0, horizon)];
  if (palette.isNight) layers.push(starsLayer(tools, horizon));
  layers.push(lightLayer(tools, lightX, horizon - frame.height * (0.05 + 0.2 * random(2)), 56 + 50 * random(3)));
  layers.push(cloudsLayer(tools, horizon, 0.3 + 0.25 * random(4)));
  layers.push(islands(tools, horizon), water(tools, horizon, lightX), glitter(tools, horizon, lightX));
  if (subject.figures.includes('lighthouse')) layers.push(lighthouse(tools, horizon, lightX));
  for (let index = 0; index < SWELL_COUNT; index++) layers.push(swell(tools, horizon, lightX, index));
  return layers;
}

function islands(tools: Tools, horizon: number): Layer {
  const { window, palette, randomFor, frame } = tools;
  const rows = [0, 1].map((row) => {
    const shapeDice = randomFor(`island ${row}`);
    const rise = (x: number) => Math.max(0, fractalNoise(shapeDice, x / (430 - row * 120), 5) - 0.05 - row * 0.12);
    const maxHeight = frame.height * (0.24 - 0.07 * row);
    const outline = contourArea(window, 7, horizon + 3, (x) => horizon + 3 - rise(x) * maxHeight);
    return shape(outline, mix(palette.land(0.12 + 0.3 * row), palette.sky(0.9), 0.35 - 0.15 * row));
  });
  return { svg: rows.join('') + (palette.isNight ? '' : birdsSvg(tools, horizon)), depth: 0.16 };
}

function water({ window, palette, frame }: Tools, horizon: number, lightX: number): Layer {
  const { sky, land, isNight } = palette;
  const [pale, clear] = [mix(sky(0.86), land(0.2), 0.35), mix(sky(0.6), land(0.3), 0.55)];
  const stops = [pale, stop(0.16, clear), stop(0.55, land(0.62)), land(0.92)];
  const waterArea = { ...window, top: horizon };
  const sheen = glow('sheen', lightX, horizon, frame.width * 0.42, palette.light, isNight ? 0.28 : 0.5);
  const clip = `<clipPath id="below">${rectangle(waterArea, palette.light)}</clipPath>`;
  const surface = verticalGradient('water', horizon, frame.height * 1.05, stops) + rectangle(waterArea, 'water');
  return { svg: `${surface}${clip}<g clip-path="url(#below)">${sheen}</g>`, depth: 0.2 };
}

/** Lens-shaped glints, larger and rarer towards the viewer, and densest below the light. */
function glitter({ window, palette, randomFor, unit, frame }: Tools, horizon: number, lightX: number): Layer {
  const [placeDice, shapeDice] = [randomFor('glint place'), randomFor('glint shape')];
  let [brightGlints, dimGlints] = ['', ''];
  for (let row = 0; row < GLINT_ROWS; row++) {
    const nearness = row / (GLINT_ROWS - 1);
    const y = horizon + 3 + nearness ** 1.7 * (frame.height * 1.04 - horizon);
    const gap = 16 + 84 * nearness;
    for (const cell of cells(window.left, window.right, gap)) {
      const x = (cell + placeDice(cell, row)) * gap;
      const pathIntensity = Math.exp(-(((x - lightX) / (frame.width * (0.035 + 0.15 * nearness))) ** 2));
      if (shapeDice(cell, row) > 0.1 + 0.85 * pathIntensity) continue;
      const halfWidth = (5 + 34 * nearness) * (0.35 + shapeDice(cell * 3, row));
      const thickness = Math.max(unit * 0.5, (0.7 + 3.6 * nearness) * (0.5 + 0.7 * placeDice(cell * 3, row)));
      const lens = `M${round(x - halfWidth)} ${round(y)}q${round(halfWidth)} ${round(-thickness)} ${round(halfWidth * 2)} 0q${round(-halfWidth)} ${round(thickness)} ${round(-halfWidth * 2)} 0z`;
      if (pathIntensity > 0.25) brightGlints += lens;
      else dimGlints += lens;
    }
  }
  const softLight = mix(palette.light, palette.sky(0.8), 0.6);
  return {
    svg: shape(dimGlints, softLight, 0.22) + shape(brightGlints, palette.light, 0.78),
    depth: 0.3,
    sway: 5,
    pulse: 0.2,
  };
}

function swell(tools: Tools, horizon: number, lightX: number, index: number): Layer {
  const { window, palette, randomFor, frame, subject } = tools;
  const nearness = (index + 1) / SWELL_COUNT;
  const isLast = index === SWELL_COUNT - 1;
  const shapeDice = randomFor(`swell ${index}`);
  const base = horizon + (frame.height - horizon) * (0.14 + 0.8 * nearness ** 1.5);
  const maxHeight = 7 + 42 * nearness;
  const height = (x: number) => {
    const wave = fractalNoise(shapeDice, x / (150 + 330 * nearness), 2);
    return (
      base -
      maxHeight * (0.6 * wave + 0.35 * Math.abs(Math.sin(x / (110 + 150 * nearness) + shapeDice(0, 9) * 6 + wave)))
    );
  };
  const floor = base + frame.height * 0.22;
  const body = palette.land(0.4 + 0.6 * nearness);
  const top = mix(body, palette.sky(0.75), 0.42 - 0.2 * nearness);
  const stops = [stop(0, top, 0.85), stop(0.3, body, 0.6), stop(1, body, isLast ? 1 : 0)];
  const outline = contourArea(window, 8, isLast ? Math.max(floor, window.bottom + 10) : floor, height);
  const foam = lighten(mix(body, palette.light, 0.65), 0.05);
  const hasBoat = subject.figures.includes('boat') || (subject.figures.length === 0 && randomFor('boat')(0) < 0.45);
  const x = frame.width * ((lightX > frame.width / 2 ? 0.24 : 0.7) + 0.1 * randomFor('boat')(1));
  const boat = figureSvg('boat', x, height(x) + 4, frame.height * 0.15, palette.land(1), lightX < x);
  const rim = line(contourPath(window, 8, height), foam, 1 + 2.4 * nearness, 0.55 - 0.2 * nearness);
  const water =
    verticalGradient(`swell${index}`, base - maxHeight, floor, stops) + shape(outline, `swell${index}`) + rim;
  return { svg: (index === 1 && hasBoat ? boat : '') + water, depth: 0.35 + 0.65 * nearness, sway: 6 };
}

/** A lighthouse on a rock opposite the light, with beams. */
function lighthouse({ frame, palette, randomFor }: Tools, horizon: number, lightX: number): Layer {
  const x = frame.width * ((lightX > frame.width / 2 ? 0.22 : 0.78) + 0.06 * (randomFor('lighthouse')(0) - 0.5));
  const [foot, towerHeight] = [horizon + 14, Math.min(frame.height * 0.26, 330)];
  const lamp = foot - 26 - towerHeight * 0.84;
  const dark = palette.land(0.92);
  const beams = [-1, 1].map((direction) => {
    const [id, end] = [`beam${direction + 1}`, x + direction * frame.width * 0.7];
    const fade = linearGradient(id, x, 0, end, 0, [stop(0, palette.light, 0.75), stop(1, palette.light, 0)]);
    return fade + shape(`M${round(x)} ${round(lamp)}L${round(end)} ${round(lamp - 70)}V${round(lamp + 46)}Z`, id);
  });
  const tower = figureSvg('lighthouse', x, foot - 26, towerHeight, dark);
  const rock = shape(`M${round(x - 190)} ${round(foot + 22)}c70-76 310-72 380 0z`, dark);
  return {
    svg: beams.join('') + tower + glow('lamp', x, lamp, towerHeight * 0.34, palette.light, 0.9) + rock,
    depth: 0.34,
  };
}
