import { type Colour, chromaOf, fromHex, fromLch, hueOf, interpolateColours, lighten, mix } from './colour.ts';
import type { Dice } from './random.ts';
import type { Hue, Mood, Subject } from './subject.ts';

/** The colours of one scene. */
export interface Palette {
  /** From 0 at the top to 1 at the horizon. */
  sky(t: number): Colour;
  /** From 0 for the farthest layer to 1 for the nearest. */
  land(t: number): Colour;
  accent(index: number): Colour;
  readonly accents: readonly Colour[];
  readonly light: Colour;
  readonly ink: Colour;
  readonly paper: Colour;
  readonly isNight: boolean;
}

type Colours = Pick<Palette, 'accents' | 'light'> & { readonly [ramp in 'sky' | 'land']: readonly Colour[] };

/** Palettes chosen by eye. The key lists the moods and styles; the value lists five sky colours, five land colours, the accents and the light. */
const CURATED: Readonly<Record<string, string>> = {
  'dusk warm autumn landscape seascape city':
    '1d1b3a 4b2e5a a8455c ef7f4e ffc879 b65a5a 7a3f5c 4d2d52 2c1d3d 150f24 ffb45e f25f5c ffe6bd 7fb7be fff0c9',
  'dawn calm spring mist landscape seascape botanical':
    '5f83ad 94abc9 d5c6d3 f6d3c4 fdeadb c4b3c4 93a0bb 66809f 3f5c7b 223a56 f2917c f7c59f 7a9e9f e8607a fffaf0',
  'night calm cold landscape city cosmos seascape':
    '060a1d 0d1638 1b2a5c 3a4f8a 7483b3 4a5d94 2f4178 1e2c59 111b3d 080d21 ffd27d 8fd3ff ff8fa3 c7b6ff fdf6df',
  'noon summer calm landscape seascape botanical':
    '1f6fb5 4f9bd3 93c8e6 cfe8ec f7f3df 9cc3c4 6aa394 43806a 27604b 153f33 f4b942 ef6f53 fff3d0 2b6cb0 fffbe6',
  'green mist calm noon landscape botanical':
    '43685f 7a9c88 adc4a4 dbe3c3 f3f1d8 a3bb9c 6f947c 44705f 234c43 0f2b28 e3b23c d9704a f6edc9 86b49a fffbe0',
  'autumn warm dusk landscape botanical bauhaus':
    '506b7c 93a19b d8b58a efc88d f9e3b4 d59a63 b86b3c 8c4527 5b2a22 2e1718 e8692c f2b441 8f2d2a 4d6b62 fff3d6',
  'winter cold calm mist landscape city botanical':
    '4d6f94 86a5c2 bfd2df e6edf0 fbf3ea d6e1e8 a9bfd0 7a98b2 4a6a88 28425c d8575e f0b67f ffffff 3d6e8f ffffff',
  'spring dawn landscape botanical ribbons':
    '7799c4 b3b4d6 e6bfd4 f9d4d3 fff0e6 dfb3c4 b98aa8 85668f 544470 2d274a f2789f ffb3c1 9ed0a8 ffe08a fff8f2',
  'desert warm noon summer landscape bauhaus':
    '2f6f86 6fa3a6 c9c6a4 f1cf9c fbe6c0 e6b07c d38a5a b0623f 7d3f30 452423 f08a4b 2a9d8f f7d9a3 c8553d fff6dc',
  'sea cold calm noon seascape seigaiha ribbons':
    '0d4a63 2b7f92 74b8b5 c2e0cf f6efd3 62a9a8 2f8090 165f78 0b3f58 062536 ff8a5b ffd98e e8f6ee ee5d6c fffbe5',
  'neon night future city ribbons cosmos':
    '0a0620 1f0b45 4a1173 9b1d8f ff5fa8 5a1c82 3b1268 260d4c 150833 0a041c 22e0ee ff3fa4 ffe25c 8b6bff ffd1ec',
  'mono mist calm landscape bauhaus seigaiha botanical':
    '8e918f b3b4af d2d0c8 e6e2d7 f4efe3 bdbcb4 8b8c89 5c5f62 36393f 17191e d1432f 2f3e53 e9c46a 6d6f70 fffdf6',
  'bold noon bauhaus':
    '1d4e9e 4f81c1 d9d4c2 efe6d0 f5eddb efe6d0 e8b92e d63a2a 1d4e9e 17181c d63a2a 1d4e9e f0b51f 17181c fff8e6',
  'night cold magic winter landscape ribbons cosmos':
    '050b1c 0a2038 10504f 2f9a7c a5e3b3 2d6b73 1b4a5a 123343 0a1f2e 050f19 7ef2b4 b48cff f4f7c5 53d1e8 effff2',
  'night magic future cosmos ribbons':
    '07051a 1a0f3c 40206b 8a3a86 e87f8b 7d4a95 52307d 331f5c 1d123c 0d081f ffb37b 7fd1ff ff7eb6 fff1b8 fff0df',
  'warm summer bold calm ribbons bauhaus seigaiha seascape':
    'e4572e f08a5d f9b384 fcd7ad fff0d9 f3a77b d96c50 a3404a 5f2a45 2d1a33 17616b f3a712 a8c5b5 db2b39 fff9ea',
  'cold calm sea winter seigaiha botanical bauhaus':
    '2d4a7c 6b8ab5 b8cade e3eaf0 f7f5ee c4d3e3 8aa6c6 4f74a4 274a7d 12284e 1f4e9c c9a227 e26d5a 7fa8d1 fffdf7',
};

/** The times of day. */
const TIMES: readonly Mood[] = ['night', 'dusk', 'dawn', 'noon'];
const DOMINANT_MOODS: readonly Mood[] = [...TIMES, 'spring', 'autumn', 'winter', 'neon', 'mono', 'desert'];

/** `choice` selects the palette and is the same for a variation of the scene; `hueDice` shifts the hues a little and varies. */
export function paletteOf(subject: Subject, choice: Dice, hueDice: Dice, referenceColours: readonly Colour[]): Palette {
  const scores = Object.keys(CURATED).map((suits, at) => scoreOf(suits.split(' '), subject) + choice(at, 1) * 0.9);
  const [suits = '', written = ''] = Object.entries(CURATED)[scores.indexOf(Math.max(...scores))] ?? [];
  const colours = parseColours(written);
  const hueShift = (hueDice(0) - 0.5) * 0.24;
  const shiftHue = (colour: Colour) => fromLch(colour.l, chromaOf(colour), hueOf(colour) + hueShift);
  const ownColours = subject.hues.length > 0 ? colours : mapColours(colours, shiftHue);
  const { sky, land, accents, light } = withReferenceColours(subject.hues.reduce(tint, ownColours), referenceColours);
  return {
    sky: (t) => interpolateColours(sky, t),
    land: (t) => interpolateColours(land, t),
    accent: (index) => accents[index % accents.length] ?? light,
    accents,
    light,
    ink: mix(interpolateColours(land, 1), fromHex('0b0b12'), 0.35),
    paper: mix(interpolateColours(sky, 1), fromHex('fbf6ea'), 0.75),
    isNight: suits.includes('night'),
  };
}

function scoreOf(suits: readonly string[], { moods, style }: Subject): number {
  const weights = moods.filter((mood) => suits.includes(mood)).map((mood) => (DOMINANT_MOODS.includes(mood) ? 4 : 1.5));
  const contradicts = moods.includes('night') !== suits.includes('night') && moods.some((mood) => TIMES.includes(mood));
  const sum = weights.reduce((one, other) => one + other, 0);
  return sum + (suits.includes(style) ? 1.2 : 0) - (contradicts ? 4 : 0);
}

function parseColours(written: string): Colours {
  const colours = written.split(' ').map(fromHex);
  const light = colours.pop() ?? fromHex('ffffff');
  return { sky: colours.slice(0, 5), land: colours.slice(5, 10), accents: colours.slice(10), light };
}

function mapColours({ sky, land, accents, light }: Colours, change: (colour: Colour) => Colour): Colours {
  return { sky: sky.map(change), land: land.map(change), accents: accents.map(change), light: change(light) };
}

/** The first colour that a prompt names tints the whole palette; later ones mainly tint the accents. */
function tint(palette: Colours, { angle, chroma, lift }: Hue, order: number): Colours {
  const towards = (colour: Colour, amount: number, minChroma = chromaOf(colour)): Colour => {
    const vivid = chroma === 0 ? 0 : Math.max(minChroma, chroma * 0.55 * (0.35 + colour.l * (1 - colour.l) * 2.6));
    return lighten(mix(colour, fromLch(colour.l, vivid, angle), amount), lift * amount);
  };
  const strong = order === 0 ? 0.78 : 0.12;
  const accents = palette.accents.map((accent, index) =>
    index % 2 === order % 2 ? towards(accent, 0.9, Math.max(chromaOf(accent), chroma)) : accent,
  );
  const { sky, land } = mapColours(palette, (colour) => towards(colour, strong));
  return { sky, land, accents, light: towards(palette.light, strong * 0.45) };
}

/** Blends in the colours of reference images at the palette's own lightness; the most vivid ones become accents. */
function withReferenceColours(palette: Colours, colours: readonly Colour[]): Colours {
  if (colours.length < 2) return palette;
  const byLightness = [...colours].sort((one, other) => one.l - other.l);
  const vivid = [...colours].sort((one, other) => chromaOf(other) - chromaOf(one));
  const { sky, land } = mapColours(palette, (colour) => ({
    ...mix(colour, interpolateColours(byLightness, colour.l), 0.85),
    l: colour.l,
  }));
  const accents = palette.accents.map((accent, index) => mix(vivid[index % vivid.length] ?? accent, accent, 0.2));
  return { sky, land, accents, light: mix(palette.light, interpolateColours(byLightness, 1), 0.5) };
}
