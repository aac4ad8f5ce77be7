const ELLIPSIS = '…';

/** Cut at a word where there is one near the end, and never through a letter. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - ELLIPSIS.length).replace(/[\uD800-\uDBFF]$/, '');
  const word = cut.search(/\s+\S*$/);
  const whole = word > most * 0.6 ? cut.slice(0, word) : cut;
  return whole.trimEnd() + ELLIPSIS;
}
