import type { Size } from './size.ts';

/** Strokes on a grid four wide and six high: a slim machine has no fonts. */
const LETTERS: Readonly<Record<string, string>> = {
  S: 'M4 .8Q3.4 0 2 0Q0 0 0 1.5Q0 2.7 2 3Q4 3.3 4 4.5Q4 6 2 6Q.6 6 0 5.2',
  A: 'M0 6L2 0L4 6M.8 4H3.2',
  N: 'M0 6V0L4 6V0',
  D: 'M0 0V6H1.6Q4 6 4 3Q4 0 1.6 0Z',
  B: 'M0 0V6H2.3Q4 6 4 4.4Q4 2.9 2.3 2.9H0M2.3 2.9Q3.7 2.9 3.7 1.45Q3.7 0 2.3 0H0',
  O: 'M2 0Q0 0 0 3Q0 6 2 6Q4 6 4 3Q4 0 2 0Z',
  X: 'M0 0L4 6M4 0L0 6',
};

const WORD = 'SANDBOX';
const ADVANCE = 6.2;
const WIDTH = ADVANCE * (WORD.length - 1) + 4;
const HEIGHT = 6;
const SHARE_OF_SHORT_SIDE = 0.0165;
const SMALLEST_LETTER = 7;

/** Says where the result comes from. A dark halo under light strokes keeps it legible on any picture. */
export function markSvg({ width, height }: Size): string {
  const wanted = Math.max(SMALLEST_LETTER, Math.min(width, height) * SHARE_OF_SHORT_SIDE) / HEIGHT;
  const scale = Math.min(wanted, (width * 0.8) / WIDTH, (height * 0.5) / HEIGHT);
  const gap = Math.min(scale * 7, (width - WIDTH * scale) / 2, (height - HEIGHT * scale) / 2);
  const x = width - gap - WIDTH * scale;
  const y = height - gap - HEIGHT * scale;
  const letters = [...WORD]
    .map((letter, index) => `<path transform="translate(${index * ADVANCE} 0)" d="${LETTERS[letter] ?? ''}"/>`)
    .join('');
  const stroke = (colour: string, wide: number, opacity: number) =>
    `<g fill="none" stroke="${colour}" stroke-width="${wide}" stroke-linecap="round" stroke-linejoin="round" opacity="${opacity}">${letters}</g>`;
  return `<g transform="translate(${x} ${y}) scale(${scale})">${stroke('#000', 3.4, 0.14)}${stroke('#000', 2, 0.42)}${stroke('#fff', 0.8, 0.96)}</g>`;
}
