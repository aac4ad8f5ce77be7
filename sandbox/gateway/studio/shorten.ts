import { isStopWord, plainPrompt } from '../prompt-words.ts';
import { isTelling } from './subject.ts';

const SHARES = [0.8, 0.6, 0.45, 0.3, 0.15];
const MAX_WEIGHTS = 200;
const LONG_WORD = 10;

/** Drops the words that say least first: stop words, then the short and often repeated ones. */
export function shortenPrompt(prompt: string): { drafts: string[]; weights: { word: string; weight: number }[] } {
  const whole = plainPrompt(prompt);
  const texts = whole.split(' ').filter((text) => bare(text).length > 0);
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(folded(text), (counts.get(folded(text)) ?? 0) + 1);
  const tokens = texts.map((text, index) => {
    const weight = weightOf(folded(text), index / texts.length, counts.get(folded(text)) ?? 1);
    return { text, index, weight };
  });
  const ranked = [...tokens].sort((one, other) => other.weight - one.weight || one.index - other.index);
  const drafts = SHARES.map((share) =>
    ranked
      .slice(0, Math.max(1, Math.round(tokens.length * share)))
      .filter(({ weight }, rank) => weight > 0 || rank === 0)
      .sort((one, other) => one.index - other.index)
      .map(({ text }) => text)
      .join(' ')
      // A comma stays where the word before it stays; the last one goes.
      .replace(/[,;:.\s]+$/, ''),
  );
  return {
    drafts: [...new Set(drafts)].filter((draft) => draft.length > 0 && draft.length < whole.length),
    weights: tokens.slice(0, MAX_WEIGHTS).map(({ text, weight }) => ({ word: bare(text), weight })),
  };
}

function weightOf(word: string, place: number, count: number): number {
  if (isStopWord(word)) return 0;
  const long = Math.min(1, word.length / LONG_WORD);
  const weight = (0.25 + 0.35 * long + (isTelling(word) ? 0.3 : 0) + 0.1 * (1 - place)) / Math.sqrt(count);
  return Math.round(Math.min(1, weight) * 100) / 100;
}

const bare = (text: string) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
const folded = (text: string) => bare(text).toLowerCase();
