import { lighten, mix } from '../colour.ts';
import {
  cells,
  circle,
  figureSvg,
  glow,
  line,
  linearGradient,
  placeAt,
  radialGradient,
  rectangle,
  round,
  shape,
  stop,
} from '../drawing.ts';
import { noise } from '../random.ts';
import { starsLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

const DARK_COLOUR = { l: 0.08, a: 0.005, b: -0.03 };
const CLOUD_CELL = 95;

/** A large planet with rings, small moons on their orbits, and a nebula behind the stars. */
export function cosmos(tools: Tools): Layer[] {
  const { frame, randomFor, subject, palette } = tools;
  const random = randomFor('cosmos plan');
  const shortSide = Math.min(frame.width, frame.height);
  const [x, y] = [frame.width * (0.3 + 0.4 * random(0)), frame.height * (0.38 + 0.28 * random(1))];
  const radius = shortSide * (0.17 + 0.13 * random(2));
  const tilt = (random(3) - 0.5) * 60;
  const hasRings = tools.choices('ringed')(0) < 0.72;
  const [backRings, frontRings] = [1, 0].map((sweep) => (hasRings ? rings(tools, radius, sweep) : ''));
  const atmosphere = glow('air', x, y, radius * 1.5, mix(palette.accent(0), palette.light, 0.3), 0.55);
  const layers: Layer[] = [
    backdrop(tools),
    nebula(tools),
    starsLayer(tools, frame.height * 60, 0.62),
    { svg: placeAt(x, y, tilt, orbits(tools, radius)), depth: 0.36 },
    { svg: atmosphere + placeAt(x, y, tilt, `${backRings}${planet(tools, radius, tilt)}${frontRings}`), depth: 0.42 },
  ];
  const rocket = figureSvg('rocket', 0, shortSide * 0.1, shortSide * 0.2, palette.light);
  const flyingRocket = placeAt(frame.width * (x > frame.width / 2 ? 0.2 : 0.8), frame.height * 0.72, 24, rocket);
  return subject.figures.includes('rocket') ? [...layers, { svg: flyingRocket, depth: 0.95 }] : layers;
}

function backdrop({ window, palette, frame }: Tools): Layer {
  const dark = mix(palette.sky(0), { l: 0.09, a: 0.004, b: -0.02 }, palette.isNight ? 0.35 : 0.8);
  const stops = [mix(dark, palette.sky(0.4), 0.45), mix(dark, palette.sky(0.2), 0.3), dark];
  const radius = Math.hypot(frame.width, frame.height) * 0.72;
  const light = radialGradient('depths', frame.width * 0.55, frame.height * 0.6, radius, stops);
  return { svg: light + rectangle(window, 'depths'), depth: 0 };
}

/** Many faint glows along a curved band add up to a structured cloud. */
function nebula({ window, palette, randomFor, frame }: Tools): Layer {
  const [placeDice, shapeDice] = [randomFor('nebula place'), randomFor('nebula shape')];
  const slope = (placeDice(0, 77) - 0.5) * 1.1;
  const glows = cells(window.left - 300, window.right + 300, CLOUD_CELL).flatMap((cell) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((blob) => {
      const x = (cell + shapeDice(cell, blob)) * CLOUD_CELL;
      const spine = frame.height * 0.5 + (x - frame.width / 2) * slope + noise(placeDice, x / 420, blob >> 2) * 190;
      const y = spine + (shapeDice(cell, blob + 40) + shapeDice(cell, blob + 60) - 1) * frame.height * 0.3;
      const colour = mix(palette.accent(blob), palette.sky(0.65), 0.45);
      const opacity = 0.08 + 0.2 * placeDice(cell, blob);
      return glow(`nebula${cell}_${blob}`, x, y, 70 + 210 * shapeDice(cell, blob + 80), colour, opacity);
    }),
  );
  return { svg: glows.join(''), depth: 0.1, pulse: 0.18 };
}

function planet({ palette, randomFor }: Tools, radius: number, tilt: number): string {
  const shapeDice = randomFor('planet');
  const base = palette.accent(shapeDice(0, 50) < 0.5 ? 0 : 2);
  let bands = '';
  for (let index = 0, y = -radius; y < radius; index++) {
    const [bandHeight, dip] = [radius * (0.06 + 0.2 * shapeDice(index, 2)), radius * 0.16];
    const colour = mix(base, palette.accent(1 + (index % 2)), 0.1 + 0.45 * shapeDice(index));
    const outline = `M${round(-radius)} ${round(y)}q${round(radius)} ${round(dip * 2)} ${round(radius * 2)} 0v${round(bandHeight + dip)}h${round(-radius * 2)}z`;
    bands += shape(outline, lighten(colour, (shapeDice(index, 1) - 0.5) * 0.16));
    y += bandHeight;
  }
  const stops = [
    stop(0, palette.light, 0.34),
    stop(0.3, palette.light, 0),
    stop(0.55, DARK_COLOUR, 0.3),
    stop(1, DARK_COLOUR, 0.93),
  ];
  const shade = radialGradient('shade', -radius * 0.42, -radius * 0.42, radius * 1.62, stops);
  const shaded = placeAt(0, 0, -tilt, circle(0, 0, radius, 'shade'));
  return `${shade}<clipPath id="globe">${circle(0, 0, radius, base)}</clipPath><g clip-path="url(#globe)">${circle(0, 0, radius, base)}${bands}${shaded}</g>`;
}

/** Half of the rings; the far half is drawn behind the planet, the near half in front of it. */
function rings({ palette, randomFor }: Tools, radius: number, sweep: number): string {
  const shapeDice = randomFor('rings');
  const flatness = 0.2 + 0.16 * shapeDice(0);
  return Array.from({ length: 11 }, (_, index) => {
    const radiusX = radius * (1.34 + index * 0.066);
    const colour = mix(palette.accent(index % 3 === 0 ? 1 : 3), palette.light, 0.35 + 0.4 * shapeDice(index, 1));
    const arc = `M${round(-radiusX)} 0A${round(radiusX)} ${round(radiusX * flatness)} 0 0 ${sweep} ${round(radiusX)} 0`;
    return line(arc, colour, radius * 0.05 * (0.3 + shapeDice(index, 2)), 0.25 + 0.6 * shapeDice(index, 3));
  }).join('');
}

function orbits({ palette, randomFor }: Tools, radius: number): string {
  const shapeDice = randomFor('orbits');
  return [0, 1, 2, 3]
    .map((index) => {
      const radiusX = radius * (2.5 + index * 0.85);
      const radiusY = radiusX * (0.24 + 0.1 * shapeDice(9));
      const angle = Math.PI * 2 * shapeDice(index);
      const [x, y, size] = [
        Math.cos(angle) * radiusX,
        Math.sin(angle) * radiusY,
        radius * (0.05 + 0.11 * shapeDice(index, 1)),
      ];
      const colour = palette.accent(index);
      const shades = [stop(0.1, lighten(colour, 0.1)), stop(0.9, mix(colour, DARK_COLOUR, 0.85))];
      const shade = linearGradient(`moon${index}`, x - size, y - size, x + size, y + size, shades);
      const path = `M${round(-radiusX)} 0A${round(radiusX)} ${round(radiusY)} 0 0 1 ${round(radiusX)} 0A${round(radiusX)} ${round(radiusY)} 0 0 1 ${round(-radiusX)} 0`;
      return line(path, palette.light, 1.3, 0.22) + shade + circle(x, y, size, `moon${index}`);
    })
    .join('');
}
