/** Sizes in units of the drawing. A phone shows some 350 of its own, so letters have to be nearly twice as large as they should be there. */
export const WIDTH = 600;
export const FONT = 20;
export const SMALL = 18;
/** Thirty digits and their day have to fit on one line. */
export const FACT = 17;
export const MARGIN = 24;
export const HEADER = 150;

/** The condensed face that everything is set in: so wide is a letter, seldom wider. */
const LETTER = 0.57;

export const widthOf = (text: string, size: number): number => text.length * LETTER * size;
const lettersIn = (width: number, size: number): number => Math.floor(width / (LETTER * size));

/** Cut at its end to what fits; digits are left out, never rounded. */
export function cutTo(width: number, size: number, text: string): string {
  const most = Math.max(2, lettersIn(width, size));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Cut in its middle: a model's name begins with its maker and ends with its version, and both tell. */
export function cutInside(width: number, size: number, text: string): string {
  const most = Math.max(3, lettersIn(width, size));
  if (text.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - tail)}…${text.slice(-tail)}`;
}
