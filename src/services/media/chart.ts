import sharp from 'sharp';
import { compare, inUnitsOf, isZero, largestOf, magnitude } from '../../lib/decimals.ts';
import { dollarsText } from '../../lib/formats.ts';
import { endOf, startOf } from '../../lib/text-width.ts';

/** The content of a chart. Its style is determined when it is drawn. */
export interface ChartData {
  title: string;
  /** Chinese characters have other forms in Japanese. */
  language: string;
  /** Lines under the title. */
  facts: readonly string[];
  /** Vertical bars for days, and horizontal bars for entries with long names. */
  bars: 'upright' | 'lying';
  entries: readonly Bar[];
  /** The currency of the amounts, if it is known. */
  currency?: '$' | undefined;
}

export interface Bar {
  label: string;
  /** The exact amount. */
  amount: string;
  /** The text next to the bar. */
  text: string;
}

/** In drawing units. A phone scales the chart to a width of 350 units, so text needs nearly twice its final size. */
const WIDTH = 600;
const TITLE_FONT_SIZE = 24;
const LABEL_FONT_SIZE = 20;
/** Lets a day and thirty digits fit on one line. */
const FACT_FONT_SIZE = 17;
const MARGIN = 24;
const HEADER_HEIGHT = 150;

/** Widths that characters of the fonts rarely exceed, as a share of the font size. */
const CHARACTER_WIDTH = 0.57;
const FULL_WIDTH = 1;
const FULL_WIDTH_CHARACTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u30ff\uff01-\uff60]/u;

function widthOf(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += FULL_WIDTH_CHARACTER.test(character) ? FULL_WIDTH : CHARACTER_WIDTH;
  return width * size;
}

/** Truncates the end of a text; digits are dropped, never rounded. */
function truncateEnd(width: number, size: number, text: string): string {
  const start = (): string => startOf(text, width - CHARACTER_WIDTH * size, (part) => widthOf(part, size));
  return widthOf(text, size) <= width ? text : `${start()}…`;
}

/** Breaks a long name into two lines. Of an even longer one, the maker at its start and the version at its end are kept. */
function breakLabel(width: number, size: number, text: string): string[] {
  const sizedWidth = (part: string): number => widthOf(part, size);
  const fits = (part: string): boolean => sizedWidth(part) <= width;
  if (fits(text)) return [text];
  const start = startOf(text, width, sizedWidth);
  const space = text.lastIndexOf(' ', start.length);
  if (space > 0 && fits(text.slice(space + 1))) return [text.slice(0, space), text.slice(space + 1)];
  // A single word is drawn smaller.
  const isWord = /^\p{L}+$/u.test(text) && !FULL_WIDTH_CHARACTER.test(text);
  if (isWord && widthOf(text, size * SMALLEST_WORD) <= width) return [text];
  const rest = text.slice(start.length);
  return fits(rest) ? [start, rest] : [truncateEnd(width, size, text), endOf(text, width, sizedWidth)];
}

/** The background is transparent, so the colours of text and bars have a contrast of at least 3 with white and with #313338 of Discord's themes. */
const TEXT_COLOUR = '#7f848e';
const GRID_COLOUR = '#7f848e40';
const BAR_COLOUR = '#828be8';
const LARGEST_BAR_COLOUR = '#636ff4';

const FONT_FAMILIES = 'DejaVu Sans Condensed, Noto Sans SC, Noto Sans JP, Noto Sans KR';
const JAPANESE_FONT_FAMILIES = 'DejaVu Sans Condensed, Noto Sans JP, Noto Sans SC, Noto Sans KR';
const VERTICAL_CHART_HEIGHT = 480;
const ROW_HEIGHT = 48;
const MAX_LABEL_WIDTH = 210;
/** The share of the font size that a word of a label may shrink to before it is broken. */
const SMALLEST_WORD = 0.75;
const MAX_VALUE_WIDTH = 180;

/** About twice Discord's size, sharp on a dense screen; more would cost tens of megabytes. */
const ZOOM = 1.75;

/** Only has the right fonts in the media process. */
export const drawChart = (chart: ChartData): Promise<Buffer> =>
  sharp(Buffer.from(renderChartSvg(chart)))
    .png()
    .toBuffer();

export function renderChartSvg({ title, facts, bars, entries, currency, language }: ChartData): string {
  const height = bars === 'upright' ? VERTICAL_CHART_HEIGHT : HEADER_HEIGHT + ROW_HEIGHT * entries.length + MARGIN;
  const heading = (y: number, size: number, text: string, weight = 'normal'): string =>
    `<g font-size="${size}" font-weight="${weight}">${textAt(MARGIN + 5, y, truncateEnd(WIDTH - 2 * MARGIN, size, text))}</g>`;
  const titleSize = Math.max(FACT_FONT_SIZE, Math.min(TITLE_FONT_SIZE, (WIDTH - 2 * MARGIN) / widthOf(title, 1)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH * ZOOM}" height="${height * ZOOM}" viewBox="0 0 ${WIDTH} ${height}"`,
    ` font-family="${language === 'ja' ? JAPANESE_FONT_FAMILIES : FONT_FAMILIES}" font-size="${LABEL_FONT_SIZE}" fill="${TEXT_COLOUR}">`,
    heading(35, titleSize, title, 'bold'),
    ...facts.map((fact, index) => heading(68 + 26 * index, FACT_FONT_SIZE, fact)),
    ...(bars === 'upright' ? verticalBars(entries, currency ?? '', language) : horizontalBars(entries)),
    '</svg>',
  ].join('');
}

function verticalBars(entries: readonly Bar[], currency: string, language: string): string[] {
  const [left, right] = [MARGIN + 76, WIDTH - MARGIN - 16];
  const [top, bottom] = [HEADER_HEIGHT + 34, VERTICAL_CHART_HEIGHT - 52];
  const { power, ticks, positionOf, colourOf } = scaleFor(entries, bottom, top);
  const slotWidth = (right - left) / entries.length;
  const barWidth = Math.min(0.7 * slotWidth, 72);
  // Half of the labels would be worse than none, and the header shows the largest value anyway.
  const areValuesShown = entries.every(({ text }) => widthOf(text, LABEL_FONT_SIZE) <= slotWidth - 4);
  const labelInterval = Math.ceil(widest(entries.map(({ label }) => label)) / Math.max(1, slotWidth - 8));
  const digits = digitsOf(ticks, power === 0 && currency !== '');
  return [
    ...ticks.flatMap((tick) => {
      const y = positionOf(tick);
      const text = tick.toFixed(digits);
      const label = power === 0 && currency !== '' ? dollarsText(text, { language }) : text;
      return [line(left, y, right, y, tick === 0 ? TEXT_COLOUR : GRID_COLOUR), textAt(left - 8, y, label, 'end')];
    }),
    ...(power === 0 ? [] : [textAt(left, top - 25, `${currency} × 10${superscript(power)}`.trim(), 'end')]),
    ...entries.flatMap(({ label, amount, text }, index) => {
      const x = left + (index + 0.5) * slotWidth;
      const [zero, end] = [positionOf(0), positionOf(inUnitsOf(amount, power))];
      return [
        rect(x - barWidth / 2, zero, x + barWidth / 2, end, colourOf(amount)),
        ...(areValuesShown ? [textAt(x, Math.min(zero, end) - 15, text, 'middle')] : []),
        ...(index % labelInterval === 0 ? [textAt(x, bottom + 22, label, 'middle')] : []),
      ];
    }),
  ];
}

function horizontalBars(entries: readonly Bar[]): string[] {
  const labels = entries.map(({ label }) => breakLabel(MAX_LABEL_WIDTH, LABEL_FONT_SIZE, label));
  // The table has the numbers that do not fit.
  const texts = entries.map(({ text }) => (widthOf(text, LABEL_FONT_SIZE) <= MAX_VALUE_WIDTH ? text : ''));
  const left = MARGIN + Math.min(MAX_LABEL_WIDTH, widest(labels.flat())) + 12;
  const { power, positionOf, colourOf } = scaleFor(entries, left, WIDTH - MARGIN - widest(texts) - 10);
  const zero = positionOf(0);
  return [
    line(zero, HEADER_HEIGHT, zero, HEADER_HEIGHT + ROW_HEIGHT * entries.length, TEXT_COLOUR),
    ...entries.flatMap(({ amount }, index) => {
      const y = HEADER_HEIGHT + (index + 0.5) * ROW_HEIGHT;
      const end = positionOf(inUnitsOf(amount, power));
      const lines = labels[index] ?? [];
      return [
        rect(zero, y - 15, end, y + 15, colourOf(amount)),
        textAt(Math.max(zero, end) + 5, y, texts[index] ?? ''),
        ...lines.map((text, row) => {
          const size = Math.min(LABEL_FONT_SIZE, MAX_LABEL_WIDTH / widthOf(text, 1));
          const drawn = textAt(left - 8, y + (row - (lines.length - 1) / 2) * LABEL_FONT_SIZE, text, 'end');
          return size < LABEL_FONT_SIZE ? `<g font-size="${size}">${drawn}</g>` : drawn;
        }),
      ];
    }),
  ];
}

const widest = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map((text) => widthOf(text, LABEL_FONT_SIZE)));

/** Text that is vertically centred at `y`. */
function textAt(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end' = 'start'): string {
  const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<text x="${x}" y="${y}" dy="0.35em" text-anchor="${anchor}">${escaped}</text>`;
}

const line = (x1: number, y1: number, x2: number, y2: number, colour: string): string =>
  `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${colour}"/>`;

function rect(x1: number, y1: number, x2: number, y2: number, colour: string): string {
  const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)];
  return `<rect x="${Math.min(x1, x2)}" y="${Math.min(y1, y2)}" width="${width}" height="${height}" rx="3" fill="${colour}"/>`;
}

/** How amounts are drawn between the two ends of an axis, which includes zero. */
function scaleFor(entries: readonly Bar[], from: number, to: number) {
  const power = powerFor(entries);
  const values = entries.map(({ amount }) => inUnitsOf(amount, power));
  const ticks = ticksFor(Math.min(0, ...values), Math.max(0, ...values));
  const [first = 0, last = 1] = [ticks[0], ticks.at(-1)];
  const largest = largestOf(entries.map(({ amount }) => amount)) ?? '0';
  return {
    power,
    ticks,
    positionOf: (value: number) => from + ((value - first) / (last - first)) * (to - from),
    colourOf: (amount: string) => (compare(amount, largest) === 0 ? LARGEST_BAR_COLOUR : BAR_COLOUR),
  };
}

/** Round values in about four steps, from the smallest amount to the largest. */
function ticksFor(min: number, max: number): number[] {
  if (min === max) return [0, 1];
  const roughStep = (max - min) / 4;
  const unit = 10 ** Math.floor(Math.log10(roughStep));
  const step = unit * ([1, 2, 3, 5].find((round) => roughStep < 1.4 * round * unit) ?? 10);
  const [first, last] = [Math.floor(min / step), Math.ceil(max / step)];
  // Cuts off the error of binary fractions, as in 0.30000000000000004.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The decimals that all labels of an axis have, so that they can be compared at a glance: two for cents, and as many as the steps need. */
function digitsOf(ticks: readonly number[], isMoney: boolean): number {
  const digits = Math.max(...ticks.map((tick) => (String(tick).split('.')[1] ?? '').length));
  return isMoney && digits > 0 ? Math.max(2, digits) : digits;
}

/** Values from a thousandth to tens of thousands are shown as they are, others with a power of ten on the axis. */
function powerFor(entries: readonly Bar[]): number {
  const powers = entries.flatMap(({ amount }) => (isZero(amount) ? [] : [magnitude(amount)]));
  const power = Math.max(...powers);
  return powers.length === 0 || (power >= -3 && power <= 4) ? 0 : Math.floor(power / 3) * 3;
}

function superscript(power: number): string {
  return String(power).replace(/[-\d]/g, (character) =>
    character === '-' ? '⁻' : ('⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(character)] ?? ''),
  );
}
