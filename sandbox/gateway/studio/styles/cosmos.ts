import { along, css, lighter, mix } from '../colour.ts';
import { cells, glow, linear, n, type Point, radial, rectangle } from '../drawing.ts';
import { figureSvg } from '../figures.ts';
import { noise } from '../random.ts';
import { starsLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

/** A great planet with its rings, small worlds on their orbits, and clouds of light behind the stars. */
export function cosmos(tools: Tools): Layer[] {
  const { frame, dice, subject, palette } = tools;
  const plan = dice('cosmos plan');
  const short = Math.min(frame.width, frame.height);
  const centre = { x: frame.width * (0.3 + 0.4 * plan(0)), y: frame.height * (0.38 + 0.28 * plan(1)) };
  const radius = short * (0.17 + 0.13 * plan(2));
  const tilt = (plan(3) - 0.5) * 60;
  const layers = [depths(tools), ...nebula(tools), starsLayer(tools, frame.height * 60, 0.62)];
  layers.push(orbits(tools, centre, radius, tilt));
  const ringed = tools.choices('ringed')(0) < 0.72;
  if (ringed) layers.push({ svg: rings(tools, centre, radius, tilt, false), depth: 0.42 });
  layers.push({ svg: planet(tools, centre, radius, tilt), depth: 0.42 });
  if (ringed) layers.push({ svg: rings(tools, centre, radius, tilt, true), depth: 0.42 });
  layers.push(comet(tools));
  if (subject.figures.includes('rocket')) {
    const x = frame.width * (centre.x > frame.width / 2 ? 0.2 : 0.8);
    layers.push({
      svg: `<g transform="rotate(24 ${n(x)} ${n(frame.height * 0.75)})">${figureSvg('rocket', x, frame.height * 0.8, short * 0.2, css(palette.light))}</g>`,
      depth: 0.95,
    });
  }
  return layers;
}

function depths({ window, palette, frame }: Tools): Layer {
  const dark = mix(along(palette.sky, 0), { l: 0.09, a: 0.004, b: -0.02 }, palette.night ? 0.35 : 0.8);
  const gradient = radial(
    'depths',
    { x: frame.width * 0.55, y: frame.height * 0.6 },
    Math.hypot(frame.width, frame.height) * 0.72,
    [
      { at: 0, colour: mix(dark, along(palette.sky, 0.4), 0.45) },
      { at: 0.6, colour: mix(dark, along(palette.sky, 0.2), 0.3) },
      { at: 1, colour: dark },
    ],
  );
  return { svg: `<defs>${gradient}</defs>${rectangle(window, 'url(#depths)')}`, depth: 0 };
}

/** Many faint glows along a bent band add up to a cloud with structure. */
function nebula({ window, palette, dice, frame }: Tools): Layer[] {
  const [place, shape] = [dice('nebula place'), dice('nebula shape')];
  const slope = (place(0, 77) - 0.5) * 1.1;
  return [0, 1].map((sheet): Layer => {
    let svg = '';
    for (const cell of cells(window.left - 300, window.right + 300, 95)) {
      for (let blob = 0; blob < 4; blob++) {
        const key = blob + sheet * 10;
        const x = (cell + shape(cell, key)) * 95;
        const spine = frame.height * 0.5 + (x - frame.width / 2) * slope + noise(place, x / 420, sheet + 5) * 190;
        const y = spine + (shape(cell, key + 40) + shape(cell, key + 60) - 1) * frame.height * 0.3;
        const colour = mix(
          palette.accents[(sheet * 2 + blob) % palette.accents.length] ?? palette.light,
          along(palette.sky, 0.65),
          0.45,
        );
        svg += glow(
          `nebula${sheet}_${String(cell).replace('-', 'm')}_${blob}`,
          { x, y },
          70 + 210 * shape(cell, key + 80),
          colour,
          0.08 + 0.2 * place(cell, key),
        );
      }
    }
    return { svg, depth: 0.05 + 0.1 * sheet, pulse: 0.18 };
  });
}

function planet({ palette, dice }: Tools, centre: Point, radius: number, tilt: number): string {
  const shape = dice('planet');
  const base = palette.accents[Math.floor(shape(0, 50) * 2) * 2] ?? palette.light;
  const shadeOf = (index: number) =>
    lighter(
      mix(base, palette.accents[1 + (index % 2)] ?? base, 0.1 + 0.45 * shape(index)),
      (shape(index, 1) - 0.5) * 0.16,
    );
  let bands = '';
  for (let index = 0, y = -radius; y < radius; index++) {
    const tall = radius * (0.06 + 0.2 * shape(index, 2));
    const dip = radius * 0.16;
    bands += `<path d="M${n(-radius)} ${n(y)}Q0 ${n(y + dip)} ${n(radius)} ${n(y)}V${n(y + tall + dip)}H${n(-radius)}Z" fill="${css(shadeOf(index))}"/>`;
    y += tall;
  }
  const dark = { l: 0.08, a: 0.005, b: -0.03 };
  const shade = radial('shade', { x: -radius * 0.42, y: -radius * 0.42 }, radius * 1.62, [
    { at: 0, colour: palette.light, opacity: 0.34 },
    { at: 0.3, colour: palette.light, opacity: 0 },
    { at: 0.55, colour: dark, opacity: 0.3 },
    { at: 1, colour: dark, opacity: 0.93 },
  ]);
  const air = glow('air', centre, radius * 1.5, mix(base, palette.light, 0.3), 0.55);
  return `${air}<g transform="translate(${n(centre.x)} ${n(centre.y)}) rotate(${n(tilt)})"><defs><clipPath id="globe"><circle r="${n(radius)}"/></clipPath>${shade}</defs><g clip-path="url(#globe)"><circle r="${n(radius)}" fill="${css(base)}"/>${bands}<circle r="${n(radius)}" fill="url(#shade)" transform="rotate(${n(-tilt)})"/></g></g>`;
}

/** The far half of the rings lies behind the planet, the near half before it. */
function rings({ palette, dice }: Tools, centre: Point, radius: number, tilt: number, front: boolean): string {
  const shape = dice('rings');
  const flat = 0.2 + 0.16 * shape(0);
  let svg = '';
  for (let index = 0; index < 11; index++) {
    const wide = radius * (1.34 + index * 0.066);
    const arc = `M${n(-wide)} 0A${n(wide)} ${n(wide * flat)} 0 0 ${front ? 0 : 1} ${n(wide)} 0`;
    const colour = mix(
      palette.accents[index % 3 === 0 ? 1 : 3] ?? palette.light,
      palette.light,
      0.35 + 0.4 * shape(index, 1),
    );
    svg += `<path d="${arc}" stroke="${css(colour)}" stroke-width="${n(radius * 0.05 * (0.3 + shape(index, 2)))}" stroke-opacity="${(0.25 + 0.6 * shape(index, 3)).toFixed(2)}"/>`;
  }
  return `<g fill="none" transform="translate(${n(centre.x)} ${n(centre.y)}) rotate(${n(tilt)})">${svg}</g>`;
}

function orbits({ palette, dice }: Tools, centre: Point, radius: number, tilt: number): Layer {
  const shape = dice('orbits');
  let svg = '';
  for (let index = 0; index < 4; index++) {
    const wide = radius * (2.5 + index * 0.85);
    const flat = 0.24 + 0.1 * shape(9);
    const angle = Math.PI * 2 * shape(index);
    const [x, y] = [Math.cos(angle) * wide, Math.sin(angle) * wide * flat];
    const size = radius * (0.05 + 0.11 * shape(index, 1));
    const colour = palette.accents[index % palette.accents.length] ?? palette.light;
    const shade = linear(`moon${index}`, { x: x - size, y: y - size }, { x: x + size, y: y + size }, [
      { at: 0.1, colour: lighter(colour, 0.1) },
      { at: 0.9, colour: mix(colour, { l: 0.12, a: 0, b: -0.03 }, 0.85) },
    ]);
    svg += `<defs>${shade}</defs><ellipse rx="${n(wide)}" ry="${n(wide * flat)}" fill="none" stroke="${css(palette.light)}" stroke-width="1.3" stroke-opacity=".22"/>`;
    svg += `<circle cx="${n(x)}" cy="${n(y)}" r="${n(size)}" fill="url(#moon${index})"/>`;
  }
  return { svg: `<g transform="translate(${n(centre.x)} ${n(centre.y)}) rotate(${n(tilt)})">${svg}</g>`, depth: 0.36 };
}

function comet({ frame, palette, dice }: Tools): Layer {
  const shape = dice('comet');
  const [x, y] = [frame.width * (0.1 + 0.8 * shape(0)), frame.height * (0.08 + 0.22 * shape(1))];
  const long = 150 + 170 * shape(2);
  const tail = linear('tail', { x: 0, y: 0 }, { x: long, y: 0 }, [
    { at: 0, colour: palette.light, opacity: 0.95 },
    { at: 1, colour: palette.light, opacity: 0 },
  ]);
  const svg = `<defs>${tail}</defs><g transform="translate(${n(x)} ${n(y)}) rotate(${n(-18 - 30 * shape(3))})"><path d="M0 -2.4L${n(long)} 0L0 2.4Z" fill="url(#tail)"/><circle r="2.8" fill="${css(palette.light)}"/></g>`;
  return { svg, depth: 0.75 };
}
