import { colourWords, figureWords, moodWords, styleWords } from './lexicon.ts';
import type { Hue } from './palette.ts';
import { hashOf, scramble } from './random.ts';
import { isStopWord, stemsOf, wordsOf } from './words.ts';

const styleNames = ['landscape', 'seascape', 'seigaiha', 'city', 'botanical', 'cosmos', 'ribbons', 'bauhaus'] as const;
export type StyleName = (typeof styleNames)[number];

export type Mood =
  | ('night' | 'dusk' | 'dawn' | 'noon' | 'spring' | 'summer' | 'autumn' | 'winter' | 'warm' | 'cold')
  | ('calm' | 'mist' | 'desert' | 'sea' | 'green' | 'neon' | 'future' | 'magic' | 'mono' | 'bold');

export type Figure = 'cat' | 'bird' | 'boat' | 'lighthouse' | 'house' | 'pine' | 'rocket' | 'wolf' | 'balloon';

/** What a prompt is about, as far as a lexicon can tell; `hash` stands for every word it does not know. */
export interface Subject {
  readonly style: StyleName;
  readonly moods: readonly Mood[];
  readonly figures: readonly Figure[];
  readonly hues: readonly Hue[];
  readonly hash: number;
}

const MOST_HUES = 3;
/** Said of a manner ("bauhaus cat"), not of a thing, so it outweighs the thing. */
const MANNERS: ReadonlySet<StyleName> = new Set(['bauhaus', 'seigaiha', 'ribbons']);

export function subjectOf(prompt: string): Subject {
  const words = wordsOf(prompt).filter((word) => !isStopWord(word));
  const hash = hashOf(words.join(' '));
  const votes = new Map<StyleName, number>();
  words.forEach((word, order) => {
    const style = found(styleWords, word);
    if (style === undefined) return;
    const early = 1 + 0.5 / (1 + order);
    votes.set(style, (votes.get(style) ?? 0) + early * (MANNERS.has(style) ? 1.7 : 1));
  });
  const favourite = [...votes].sort((one, other) => other[1] - one[1])[0]?.[0];
  return {
    style: favourite ?? styleNames[scramble(hash) % styleNames.length] ?? 'landscape',
    moods: everyFound(moodWords, words),
    figures: everyFound(figureWords, words),
    hues: everyFound(colourWords, words).slice(0, MOST_HUES),
    hash,
  };
}

function found<Meaning>(lexicon: ReadonlyMap<string, Meaning>, word: string): Meaning | undefined {
  for (const stem of stemsOf(word)) {
    const meaning = lexicon.get(stem);
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

function everyFound<Meaning>(lexicon: ReadonlyMap<string, Meaning>, words: readonly string[]): Meaning[] {
  const meanings = new Set<Meaning>();
  for (const word of words) {
    const meaning = found(lexicon, word);
    if (meaning !== undefined) meanings.add(meaning);
  }
  return [...meanings];
}
