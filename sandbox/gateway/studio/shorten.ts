import { isStopWord, plainPrompt } from '../prompt-words.ts';
import { affectsImage } from './subject.ts';

const DRAFT_SHARES = [0.8, 0.6, 0.45, 0.3, 0.15];
const MAX_WEIGHTS = 200;
const LONG_WORD_LENGTH = 10;

/** Drops the least significant words first: stop words, then short and frequently repeated words. */
export function shortenPrompt(prompt: string): { drafts: string[]; weights: { word: string; weight: number }[] } {
  const plainText = plainPrompt(prompt);
  const words = plainText.split(' ').filter((text) => withoutPunctuation(text).length > 0);
  const counts = new Map<string, number>();
  for (const text of words) counts.set(normalize(text), (counts.get(normalize(text)) ?? 0) + 1);
  const tokens = words.map((text, index) => {
    const weight = weightOf(normalize(text), index / words.length, counts.get(normalize(text)) ?? 1);
    return { text, index, weight };
  });
  const rankedTokens = [...tokens].sort((one, other) => other.weight - one.weight || one.index - other.index);
  const drafts = DRAFT_SHARES.map((share) =>
    rankedTokens
      .slice(0, Math.max(1, Math.round(tokens.length * share)))
      .filter(({ weight }, rank) => weight > 0 || rank === 0)
      .sort((one, other) => one.index - other.index)
      .map(({ text }) => text)
      .join(' ')
      // Punctuation stays with the word before it, except at the end.
      .replace(/[,;:.\s]+$/, ''),
  );
  return {
    drafts: [...new Set(drafts)].filter((draft) => draft.length > 0 && draft.length < plainText.length),
    weights: tokens.slice(0, MAX_WEIGHTS).map(({ text, weight }) => ({ word: withoutPunctuation(text), weight })),
  };
}

function weightOf(word: string, position: number, count: number): number {
  if (isStopWord(word)) return 0;
  const lengthScore = Math.min(1, word.length / LONG_WORD_LENGTH);
  const weight = (0.25 + 0.35 * lengthScore + (affectsImage(word) ? 0.3 : 0) + 0.1 * (1 - position)) / Math.sqrt(count);
  return Math.round(Math.min(1, weight) * 100) / 100;
}

const withoutPunctuation = (text: string) => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
const normalize = (text: string) => withoutPunctuation(text).toLowerCase();
