import { type Colour, css } from './colour.ts';
import { n } from './drawing.ts';
import type { Figure } from './subject.ts';

/** Silhouettes in a box of 100 units, standing on y = 0 and growing upwards; drawn in one colour. */
const SHAPES: Readonly<Record<Figure, string>> = {
  cat: 'M-18 0C-28 -8 -27 -32 -15 -46C-10 -52 -8 -56 -8 -60C-15 -66 -16 -76 -12 -92L-3 -82Q3 -84 9 -82L18 -92C22 -76 20 -66 13 -60C14 -48 20 -36 21 -22C22 -12 21 -4 24 0ZM-16 0C-36 2 -52 -6 -50 -24C-49 -36 -41 -42 -37 -38C-33 -34 -39 -32 -40 -24C-41 -14 -30 -10 -18 -14Z',
  wolf: 'M-46 0L-44 -26C-52 -34 -54 -22 -60 -8C-66 -26 -60 -44 -44 -48L4 -54L16 -70L14 -84L24 -76L30 -86L34 -74L52 -64L50 -57L36 -54L26 -34L26 0L18 0L14 -28L-22 -28L-32 -20L-38 0Z',
  bird: 'M-50 -46Q-24 -66 0 -40Q24 -66 50 -46Q24 -54 2 -30Q0 -28 -2 -30Q-24 -54 -50 -46Z',
  boat: 'M-46 -14L46 -14Q38 2 28 2L-30 2Q-40 0 -46 -14ZM-4 -18L-4 -98Q22 -60 38 -20ZM-9 -18L-9 -84Q-34 -44 -38 -20Z',
  lighthouse: 'M-13 0L-8 -72L8 -72L13 0ZM-11 -73H11V-77H-11ZM-7 -78H7V-90H-7ZM-9 -90L0 -100L9 -90Z',
  house: 'M-32 0L-32 -34L-40 -34L-2 -66L12 -54L12 -64L20 -64L20 -47L36 -34L30 -34L30 0Z',
  pine: 'M-3 0L-3 -10L-30 -10L-11 -36L-24 -36L-8 -62L-18 -62L0 -100L18 -62L8 -62L24 -36L11 -36L30 -10L3 -10L3 0Z',
  rocket:
    'M-12 -16C-16 -50 -10 -80 0 -100C10 -80 16 -50 12 -16ZM-13 -36L-26 -8L-11 -16ZM13 -36L26 -8L11 -16ZM-6 -14L0 6L6 -14Z',
  balloon:
    'M0 -100C26 -100 36 -80 34 -64C32 -48 16 -34 8 -24L-8 -24C-16 -34 -32 -48 -34 -64C-36 -80 -26 -100 0 -100ZM-7 -16H7L5 -4H-5ZM-8 -24L-6 -16L-4 -16L-6 -24ZM8 -24L6 -16L4 -16L6 -24Z',
};

export function figureSvg(figure: Figure, x: number, y: number, tall: number, fill: Colour, flip = false): string {
  const scale = tall / 100;
  return `<path transform="translate(${n(x)} ${n(y)}) scale(${(flip ? -scale : scale).toFixed(3)} ${scale.toFixed(3)})" d="${SHAPES[figure]}" fill="${css(fill)}"/>`;
}
