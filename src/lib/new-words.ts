/** A comparison takes as many steps as both texts have words, multiplied. */
const MAX_WORDS = 300;

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
/** Case and punctuation make no difference. */
const keyOf = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '') || word;

/** The words of a text, and which of them an earlier text does not have in this order. Undefined if there are too many to compare. */
export function newWords(before: string, after: string): { word: string; isNew: boolean }[] | undefined {
  const words = wordsOf(after);
  const [from, to] = [wordsOf(before).map(keyOf), words.map(keyOf)];
  if (from.length > MAX_WORDS || to.length > MAX_WORDS) return undefined;
  const common = commonCounts(from, to);
  const countAt = (i: number, j: number): number => common[i]?.[j] ?? 0;
  let i = 0;
  return words.map((word, j) => {
    while (i < from.length && from[i] !== to[j] && countAt(i + 1, j) === countAt(i, j)) i++;
    const isNew = i >= from.length || from[i] !== to[j];
    if (!isNew) i++;
    return { word, isNew };
  });
}

/** How many words the ends of both texts have in common, by where the ends start. */
function commonCounts(from: readonly string[], to: readonly string[]): Uint16Array[] {
  let below = new Uint16Array(to.length + 1);
  const rows = [below];
  for (const word of from.toReversed()) {
    const row = new Uint16Array(to.length + 1);
    for (let j = to.length - 1; j >= 0; j--)
      row[j] = word === to[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    rows.push(row);
    below = row;
  }
  return rows.reverse();
}
