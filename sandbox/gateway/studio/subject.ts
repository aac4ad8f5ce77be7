import { isStopWord, stemsOf, wordsOf } from '../prompt-words.ts';
import { hashOf } from './random.ts';

const styleWords = lexiconOf({
  landscape:
    'mountain hill valley landscape field meadow desert dune canyon countryside road path sunset sunrise dawn dusk cabin forest wood tree pine fog mist nature castle farm village volcano aurora northern snow winter wolf fox deer bear horse cat dog rabbit owl camp tent dragon knight wizard cottage',
  seascape:
    'sea ocean beach ship boat sail coast island lake river harbour harbor lighthouse whale fish shore bay water tropical palm pirate',
  seigaiha: 'wave japanese japan pattern ukiyo-e koi tile kimono textile wallpaper tsunami scales fan',
  city: 'city town street skyline building skyscraper tower cyberpunk neon downtown tokyo york paris london apartment window traffic car robot metropolis urban bridge train station rain',
  botanical:
    'flower leaf plant botanical garden fern rose tulip daisy herb bloom blossom bouquet vine moss mushroom fruit tea jungle sakura lotus bee butterfly',
  cosmos:
    'space star planet galaxy moon cosmos cosmic universe orbit nebula rocket astronaut comet saturn mars alien ufo satellite constellation solar eclipse cosmonaut',
  ribbons:
    'abstract flow ribbon silk smoke music dream liquid wind dance fluid gradient energy hair fire flame soul emotion sound motion',
  bauhaus:
    'geometric bauhaus poster minimal minimalist logo icon design shape circle square triangle graphic modernist architecture chair vector print cover typography collage',
});

const moodWords = lexiconOf({
  night: 'night midnight dark moon moonlit nocturnal aurora star starry evening shadow space galaxy owl gothic',
  dusk: 'dusk sunset twilight evening golden romantic glow',
  dawn: 'dawn sunrise morning daybreak early breakfast soft pastel',
  noon: 'noon day midday sunny bright daylight sunshine clear',
  spring: 'spring blossom sakura cherry bloom april may fresh easter',
  summer: 'summer july august tropical beach hot holiday',
  autumn: 'autumn fall october november harvest pumpkin maple halloween',
  winter: 'winter snow ice frozen frost christmas arctic january december glacier',
  warm: 'warm fire cosy cozy candle lava flame sunny honey',
  cold: 'cold cool ice blue crystal',
  calm: 'calm quiet peaceful zen serene minimal still gentle',
  mist: 'mist misty fog foggy haze cloud rain smoke ghost',
  desert: 'desert dune sand sahara cactus canyon egypt camel mars western',
  sea: 'sea ocean water underwater fish whale wave',
  green: 'forest wood jungle leaf moss garden nature meadow fern',
  neon: 'neon cyberpunk synthwave vaporwave retrowave disco club arcade electric',
  future: 'future futuristic robot sci-fi scifi alien rocket android cyber',
  magic: 'magic magical fantasy dream aurora northern fairy wizard dragon enchanted mystic',
  mono: 'monochrome ink noir charcoal pencil sketch sumi-e black white grey gray',
  bold: 'bauhaus bold pop poster graphic primary colorful colourful vivid',
});

const figureWords = lexiconOf({
  cat: 'cat kitten kitty feline',
  bird: 'bird gull crow raven swallow eagle goose swan freedom',
  boat: 'boat ship sail sailing pirate yacht harbour harbor',
  lighthouse: 'lighthouse beacon',
  house: 'house cabin cottage home village farm hut',
  pine: 'pine forest wood fir spruce christmas tree jungle',
  rocket: 'rocket spaceship astronaut launch',
  wolf: 'wolf dog fox coyote husky puppy',
  balloon: 'balloon airship adventure',
});

export interface Hue {
  /** Radians in OKLCH. */
  readonly angle: number;
  readonly chroma: number;
  /** Added to the lightness; brown, for example, is a dark orange. */
  readonly lift: number;
}

const hueWords: ReadonlyMap<string, Hue> = new Map([
  ...hue('red crimson scarlet ruby blood vermilion', 27, 0.2, -0.02),
  ...hue('orange tangerine apricot copper rust amber fire flame lava ember', 55, 0.16),
  ...hue('yellow gold golden lemon honey mustard', 88, 0.15, 0.04),
  ...hue('green emerald lime olive mint jade', 148, 0.14),
  ...hue('teal turquoise cyan aqua', 200, 0.11, 0.01),
  ...hue('blue azure navy cobalt sapphire indigo', 258, 0.15, -0.01),
  ...hue('purple violet lavender lilac mauve plum', 305, 0.15),
  ...hue('pink rose magenta fuchsia coral salmon', 2, 0.15, 0.05),
  ...hue('brown sepia chocolate coffee tan', 58, 0.08, -0.05),
  ...hue('white ivory cream pearl', 0, 0, 0.1),
  ...hue('black onyx ebony obsidian', 0, 0, -0.12),
  ...hue('grey gray silver monochrome noir', 0, 0),
]);

type Meaning<Lexicon> = Lexicon extends ReadonlyMap<string, infer Name> ? Name : never;
type StyleName = Meaning<typeof styleWords>;
export type Mood = Meaning<typeof moodWords>;
export type Figure = Meaning<typeof figureWords>;

/** The subject of a prompt, as far as its words are in the lexicons; `hash` covers all words. */
export interface Subject {
  readonly style: StyleName;
  readonly moods: readonly Mood[];
  readonly figures: readonly Figure[];
  readonly hues: readonly Hue[];
  readonly hash: number;
}

const MAX_HUES = 3;
/** Words for these styles name a style, not an object, so they outweigh the object, as in "bauhaus cat". */
const EXPLICIT_STYLES: readonly StyleName[] = ['bauhaus', 'seigaiha', 'ribbons'];

export function subjectOf(prompt: string): Subject {
  const words = wordsOf(prompt).filter((word) => !isStopWord(word));
  const hash = hashOf(words.join(' '));
  const votes = new Map<StyleName, number>();
  for (const [position, word] of words.entries()) {
    const [style] = meaningsOf([word], styleWords);
    if (!style) continue;
    const positionWeight = 1 + 0.5 / (1 + position);
    votes.set(style, (votes.get(style) ?? 0) + positionWeight * (EXPLICIT_STYLES.includes(style) ? 1.7 : 1));
  }
  const [topVote] = [...votes].sort(([, one], [, other]) => other - one);
  return {
    style: topVote?.[0] ?? [...new Set(styleWords.values())][hash % 8] ?? 'landscape',
    moods: meaningsOf(words, moodWords),
    figures: meaningsOf(words, figureWords),
    hues: meaningsOf(words, hueWords).slice(0, MAX_HUES),
    hash,
  };
}

/** Whether a word affects what is drawn. */
export function affectsImage(word: string): boolean {
  const lexicons = [styleWords, moodWords, figureWords, hueWords];
  return stemsOf(word).some((stem) => lexicons.some((lexicon) => lexicon.has(stem)));
}

function meaningsOf<Name>(words: readonly string[], lexicon: ReadonlyMap<string, Name>): Name[] {
  const knownStems = words.map((word) => stemsOf(word).find((stem) => lexicon.has(stem)));
  return [...new Set(knownStems.flatMap((stem) => lexicon.get(stem ?? '') ?? []))];
}

function hue(words: string, degrees: number, chroma: number, lift = 0): [string, Hue][] {
  const value: Hue = { angle: (degrees * Math.PI) / 180, chroma, lift };
  return words.split(' ').map((word) => [word, value]);
}

function lexiconOf<Words extends Readonly<Record<string, string>>>(
  words: Words,
): ReadonlyMap<string, Extract<keyof Words, string>> {
  const lexicon = new Map<string, Extract<keyof Words, string>>();
  for (const name in words) for (const word of words[name]?.split(' ') ?? []) lexicon.set(word, name);
  return lexicon;
}
