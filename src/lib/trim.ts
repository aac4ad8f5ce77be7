/*
 * Letters taken off the ends of a text. A pattern like `/x+$/` does the same, but looks at every run of them again from
 * each of its letters: a run of 100,000 in the middle of a text takes seconds.
 */

export function withoutStart(text: string, letters: string): string {
  let start = 0;
  while (start < text.length && letters.includes(text.charAt(start))) start++;
  return text.slice(start);
}

export function withoutEnd(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
