const WIDE =
  /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f|^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

/** How many columns text takes in a code block. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The characters from the start that fit, but at least one. */
export function startOf(text: string, width: number, widthOf: (text: string) => number = textWidth): string {
  let start = '';
  for (const character of text) {
    if (start !== '' && widthOf(start + character) > width) break;
    start += character;
  }
  return start;
}

const reversed = (text: string): string => [...text].reverse().join('');
export const endOf: typeof startOf = (text, ...limit) => reversed(startOf(reversed(text), ...limit));
