const WIDE =
  /^\p{Emoji_Presentation}|^\p{Emoji}\ufe0f|^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

/** How many columns text takes in a code block. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
