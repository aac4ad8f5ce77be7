import { colourWords, figureWords, moodWords, styleWords } from './lexicon.ts';
import { isStopWord, plainPrompt, stemsOf } from './words.ts';

export interface Shortened {
  drafts: string[];
  weights: { word: string; weight: number }[];
}

const SHARES = [0.8, 0.6, 0.45, 0.3, 0.15];
const MOST_WEIGHTS = 200;
const LONG_WORD = 10;

interface Token {
  readonly text: string;
  readonly weight: number;
  readonly index: number;
}

/** Drops the words that say least first: stop words, then the short and often repeated ones. */
export function shortenPrompt(prompt: string): Shortened {
  const tokens = tokensOf(prompt);
  const ranked = [...tokens].sort((one, other) => other.weight - one.weight || one.index - other.index);
  const drafts = new Set<string>();
  const whole = plainPrompt(prompt);
  for (const share of SHARES) {
    const kept = ranked
      .slice(0, Math.max(1, Math.round(tokens.length * share)))
      .filter(({ weight }, index) => weight > 0 || index === 0);
    const draft = joined(kept.sort((one, other) => one.index - other.index));
    if (draft.length > 0 && draft.length < whole.length) drafts.add(draft);
  }
  return {
    drafts: [...drafts],
    weights: tokens.slice(0, MOST_WEIGHTS).map(({ text, weight }) => ({ word: bare(text), weight })),
  };
}

function tokensOf(prompt: string): Token[] {
  const texts = plainPrompt(prompt)
    .split(' ')
    .filter((text) => bare(text).length > 0);
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(folded(text), (counts.get(folded(text)) ?? 0) + 1);
  return texts.map((text, index) => ({
    text,
    index,
    weight: weightOf(folded(text), index / texts.length, counts.get(folded(text)) ?? 1),
  }));
}

function weightOf(word: string, place: number, count: number): number {
  if (isStopWord(word)) return 0;
  const long = Math.min(1, word.length / LONG_WORD);
  const known = stemsOf(word).some((stem) =>
    [styleWords, moodWords, figureWords, colourWords].some((lexicon) => lexicon.has(stem)),
  );
  const weight = (0.25 + 0.35 * long + (known ? 0.3 : 0) + 0.1 * (1 - place)) / Math.sqrt(count);
  return Math.round(Math.min(1, weight) * 100) / 100;
}

const bare = (text: string) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
const folded = (text: string) => bare(text).toLowerCase();

/** A comma stays where the word before it stays; the last one goes. */
const joined = (tokens: readonly Token[]) =>
  tokens
    .map(({ text }) => text)
    .join(' ')
    .replace(/[,;:.\s]+$/, '');
