/** A cut further to the front than this wastes too much of a message. */
const LEAST_SHARE = 0.5;

/** In the order in which they are looked for: between lines, between sentences, between words. */
const BETWEEN_LINES = /\n/g;
const BETWEEN_SENTENCES = /[.!?…。！？]["'”’)]?(?=\s)/g;
const BETWEEN_WORDS = /\s(?=\S)/g;

/** Where a text that is too long is best cut: never through a letter that takes two places. */
export function cutAt(text: string, most: number, byLinesOnly: boolean): number {
  const room = text.slice(0, most);
  const places = byLinesOnly ? [BETWEEN_LINES] : [BETWEEN_LINES, BETWEEN_SENTENCES, BETWEEN_WORDS];
  for (const place of places) {
    const end = lastEnd(room, place);
    if (end > most * LEAST_SHARE) return end;
  }
  return /[\uD800-\uDBFF]$/.test(room) ? most - 1 : most;
}

function lastEnd(text: string, place: RegExp): number {
  let end = 0;
  for (const { index, 0: found } of text.matchAll(place)) end = index + found.length;
  return end;
}
