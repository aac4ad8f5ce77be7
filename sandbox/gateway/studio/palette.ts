import { along, type Colour, chromaOf, hex, hueOf, lch, lighter, mix, turned } from './colour.ts';
import { type Curated, curated } from './palettes.ts';
import type { Dice } from './random.ts';
import type { Mood, Subject } from './subject.ts';

/** The colours of one scene. `sky` runs from the top to the horizon, `land` from the farthest layer to the nearest. */
export interface Palette {
  readonly name: string;
  readonly sky: readonly Colour[];
  readonly land: readonly Colour[];
  readonly accents: readonly Colour[];
  readonly light: Colour;
  readonly ink: Colour;
  readonly paper: Colour;
  readonly night: boolean;
}

/** `choice` picks the palette and stays in a relative; `tint` turns its colours a little and moves. */
export function paletteOf(subject: Subject, choice: Dice, tint: Dice): Palette {
  const ranked = curated
    .map((palette, index) => ({ palette, score: scoreOf(palette, subject) + choice(index, 1) * 0.9 }))
    .sort((one, other) => other.score - one.score);
  const chosen = ranked[0]?.palette ?? curated[0];
  const palette = fromCurated(chosen as Curated);
  const drift = (tint(0) - 0.5) * 0.24;
  const drifted = subject.hues.length > 0 ? palette : mapped(palette, (colour) => turned(colour, drift));
  return subject.hues.reduce((tinting, hue, index) => tinted(tinting, hue, index), drifted);
}

/** A time of day or a season says more about colours than a place does. */
const TIMES: ReadonlySet<Mood> = new Set<Mood>(['night', 'dusk', 'dawn', 'noon']);
const RULING: ReadonlySet<Mood> = new Set<Mood>([...TIMES, 'spring', 'autumn', 'winter', 'neon', 'mono', 'desert']);

function scoreOf(palette: Curated, subject: Subject): number {
  const matches = palette.moods.filter((mood) => subject.moods.includes(mood));
  const told = matches.reduce((sum, mood) => sum + (RULING.has(mood) ? 4 : 1.5), 0);
  const contradicts =
    subject.moods.includes('night') !== palette.moods.includes('night') &&
    subject.moods.some((mood) => TIMES.has(mood));
  return told + (palette.styles.includes(subject.style) ? 1.2 : 0) - (contradicts ? 4 : 0);
}

function fromCurated(source: Curated): Palette {
  const sky = source.sky.map(hex);
  const land = source.land.map(hex);
  const last = land.at(-1) ?? hex('#111111');
  const horizon = sky.at(-1) ?? hex('#ffffff');
  return {
    name: source.name,
    sky,
    land,
    accents: source.accents.map(hex),
    light: hex(source.light),
    ink: mix(last, hex('#0b0b12'), 0.35),
    paper: mix(horizon, hex('#fbf6ea'), 0.75),
    night: source.moods.includes('night'),
  };
}

function mapped(palette: Palette, change: (colour: Colour) => Colour): Palette {
  return {
    ...palette,
    sky: palette.sky.map(change),
    land: palette.land.map(change),
    accents: palette.accents.map(change),
    light: change(palette.light),
    ink: change(palette.ink),
    paper: change(palette.paper),
  };
}

export interface Hue {
  /** Radians in OKLCH; absent for the colours without one. */
  readonly angle?: number;
  readonly chroma: number;
  readonly lift: number;
}

/** A named colour rules the whole palette when it comes first and the accents when it comes second. */
function tinted(palette: Palette, hue: Hue, order: number): Palette {
  const towards = (colour: Colour, amount: number): Colour => {
    if (hue.angle === undefined) return lighter(mix(colour, { l: colour.l, a: 0, b: 0 }, amount), hue.lift * amount);
    const chroma = Math.max(chromaOf(colour), hue.chroma * 0.55 * (0.35 + colour.l * (1 - colour.l) * 2.6));
    return lighter(mix(colour, lch(colour.l, chroma, hue.angle), amount), hue.lift * amount);
  };
  const strong = order === 0 ? 0.78 : 0.12;
  const accents = palette.accents.map((accent, index) =>
    index % 2 === order % 2
      ? towards({ ...accent, ...lch(accent.l, Math.max(chromaOf(accent), hue.chroma), hueOf(accent)) }, 0.9)
      : accent,
  );
  return {
    ...mapped(palette, (colour) => towards(colour, strong)),
    accents,
    light: towards(palette.light, strong * 0.45),
  };
}

/** The palette of a scene that has reference pictures: their colours, sorted into sky, land and accents by lightness. */
export function borrowed(palette: Palette, colours: readonly Colour[]): Palette {
  const byLight = [...colours].sort((one, other) => one.l - other.l);
  if (byLight.length < 2) return palette;
  const vivid = [...colours].sort((one, other) => chromaOf(other) - chromaOf(one));
  const ramp = (source: readonly Colour[]) =>
    source.map((colour) => ({ ...mix(colour, along(byLight, colour.l), 0.85), l: colour.l }));
  return {
    ...palette,
    sky: ramp(palette.sky),
    land: ramp(palette.land),
    accents: palette.accents.map((accent, index) => mix(vivid[index % vivid.length] ?? accent, accent, 0.2)),
    light: mix(palette.light, byLight.at(-1) ?? palette.light, 0.5),
  };
}
