import type { Hue } from './palette.ts';
import type { Figure, Mood, StyleName } from './subject.ts';

const list = <Name extends string>(name: Name, words: string): [string, Name][] =>
  words.split(/\s+/).map((word) => [word, name]);

export const styleWords: ReadonlyMap<string, StyleName> = new Map<string, StyleName>([
  ...list(
    'landscape',
    'mountain hill valley landscape field meadow desert dune canyon countryside road path sunset sunrise dawn dusk cabin forest wood tree pine fog mist nature castle farm village volcano aurora northern snow winter wolf fox deer bear horse cat dog rabbit owl camp tent dragon knight wizard cottage',
  ),
  ...list(
    'seascape',
    'sea ocean beach ship boat sail coast island lake river harbour harbor lighthouse whale fish shore bay water tropical palm pirate',
  ),
  ...list('seigaiha', 'wave japanese japan pattern ukiyo-e koi tile kimono textile wallpaper tsunami scales fan'),
  ...list(
    'city',
    'city town street skyline building skyscraper tower cyberpunk neon downtown tokyo york paris london apartment window traffic car robot metropolis urban bridge train station rain',
  ),
  ...list(
    'botanical',
    'flower leaf plant botanical garden fern rose tulip daisy herb bloom blossom bouquet vine moss mushroom fruit tea jungle sakura lotus bee butterfly',
  ),
  ...list(
    'cosmos',
    'space star planet galaxy moon cosmos cosmic universe orbit nebula rocket astronaut comet saturn mars alien ufo satellite constellation solar eclipse cosmonaut',
  ),
  ...list(
    'ribbons',
    'abstract flow ribbon silk smoke music dream liquid wind dance fluid gradient energy hair fire flame soul emotion sound motion',
  ),
  ...list(
    'bauhaus',
    'geometric bauhaus poster minimal minimalist logo icon design shape circle square triangle graphic modernist architecture chair vector print cover typography collage',
  ),
]);

export const moodWords: ReadonlyMap<string, Mood> = new Map<string, Mood>([
  ...list(
    'night',
    'night midnight dark moon moonlit nocturnal aurora star starry evening shadow space galaxy owl gothic',
  ),
  ...list('dusk', 'dusk sunset twilight evening golden romantic glow'),
  ...list('dawn', 'dawn sunrise morning daybreak early breakfast soft pastel'),
  ...list('noon', 'noon day midday sunny bright daylight sunshine clear'),
  ...list('spring', 'spring blossom sakura cherry bloom april may fresh easter'),
  ...list('summer', 'summer july august tropical beach hot holiday'),
  ...list('autumn', 'autumn fall october november harvest pumpkin maple halloween'),
  ...list('winter', 'winter snow ice frozen frost christmas arctic january december glacier'),
  ...list('warm', 'warm fire cosy cozy candle lava flame sunny honey'),
  ...list('cold', 'cold cool ice blue crystal'),
  ...list('calm', 'calm quiet peaceful zen serene minimal still gentle'),
  ...list('mist', 'mist misty fog foggy haze cloud rain smoke ghost'),
  ...list('desert', 'desert dune sand sahara cactus canyon egypt camel mars western'),
  ...list('sea', 'sea ocean water underwater fish whale wave'),
  ...list('green', 'forest wood jungle leaf moss garden nature meadow fern'),
  ...list('neon', 'neon cyberpunk synthwave vaporwave retrowave disco club arcade electric'),
  ...list('future', 'future futuristic robot sci-fi scifi alien rocket android cyber'),
  ...list('magic', 'magic magical fantasy dream aurora northern fairy wizard dragon enchanted mystic'),
  ...list('mono', 'monochrome ink noir charcoal pencil sketch sumi-e black white grey gray'),
  ...list('bold', 'bauhaus bold pop poster graphic primary colorful colourful vivid'),
]);

export const figureWords: ReadonlyMap<string, Figure> = new Map<string, Figure>([
  ...list('cat', 'cat kitten kitty feline'),
  ...list('bird', 'bird gull crow raven swallow eagle goose swan freedom'),
  ...list('boat', 'boat ship sail sailing pirate yacht harbour harbor'),
  ...list('lighthouse', 'lighthouse beacon'),
  ...list('house', 'house cabin cottage home village farm hut'),
  ...list('pine', 'pine forest wood fir spruce christmas tree jungle'),
  ...list('rocket', 'rocket spaceship astronaut launch'),
  ...list('wolf', 'wolf dog fox coyote husky puppy'),
  ...list('balloon', 'balloon airship adventure'),
]);

const degrees = (angle: number) => (angle * Math.PI) / 180;

/** Angles in OKLCH; a lift makes a named colour what its name promises: brown is a dark orange. */
export const colourWords: ReadonlyMap<string, Hue> = new Map<string, Hue>([
  ...['red', 'crimson', 'scarlet', 'ruby', 'blood', 'vermilion'].map(
    (word) => [word, { angle: degrees(27), chroma: 0.2, lift: -0.02 }] as const,
  ),
  ...['orange', 'tangerine', 'apricot', 'copper', 'rust', 'amber', 'fire', 'flame', 'lava', 'ember'].map(
    (word) => [word, { angle: degrees(55), chroma: 0.16, lift: 0 }] as const,
  ),
  ...['yellow', 'gold', 'golden', 'lemon', 'honey', 'mustard'].map(
    (word) => [word, { angle: degrees(88), chroma: 0.15, lift: 0.04 }] as const,
  ),
  ...['green', 'emerald', 'lime', 'olive', 'mint', 'jade'].map(
    (word) => [word, { angle: degrees(148), chroma: 0.14, lift: 0 }] as const,
  ),
  ...['teal', 'turquoise', 'cyan', 'aqua'].map(
    (word) => [word, { angle: degrees(200), chroma: 0.11, lift: 0.01 }] as const,
  ),
  ...['blue', 'azure', 'navy', 'cobalt', 'sapphire', 'indigo'].map(
    (word) => [word, { angle: degrees(258), chroma: 0.15, lift: -0.01 }] as const,
  ),
  ...['purple', 'violet', 'lavender', 'lilac', 'mauve', 'plum'].map(
    (word) => [word, { angle: degrees(305), chroma: 0.15, lift: 0 }] as const,
  ),
  ...['pink', 'rose', 'magenta', 'fuchsia', 'coral', 'salmon'].map(
    (word) => [word, { angle: degrees(2), chroma: 0.15, lift: 0.05 }] as const,
  ),
  ...['brown', 'sepia', 'chocolate', 'coffee', 'tan'].map(
    (word) => [word, { angle: degrees(58), chroma: 0.08, lift: -0.05 }] as const,
  ),
  ...['white', 'ivory', 'cream', 'pearl'].map((word) => [word, { chroma: 0, lift: 0.1 }] as const),
  ...['black', 'onyx', 'ebony', 'obsidian'].map((word) => [word, { chroma: 0, lift: -0.12 }] as const),
  ...['grey', 'gray', 'silver', 'monochrome', 'noir'].map((word) => [word, { chroma: 0, lift: 0 }] as const),
]);
