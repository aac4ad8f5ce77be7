/** On one line, and without what would end a block of code, turn the direction of writing, or be no letter at all in a drawing. */
export function harmless(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('`', 'ˋ')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** Cut in its middle: a model's name begins with its maker and ends with its version, and both tell. */
export function cutInside(text: string, most: number): string {
  const letters = [...text];
  if (letters.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return [...letters.slice(0, most - 1 - tail), '…', ...letters.slice(letters.length - tail)].join('');
}
