import { fileURLToPath } from 'node:url';
import type { EChartsCoreOption } from 'echarts/core';
import { compare, inUnitsOf, isZero, magnitude } from '../../lib/decimals.ts';

/** The content of a chart. Its style is determined when it is drawn. */
export interface ChartData {
  title: string;
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
const BASE_FONT_SIZE = 22;
const LABEL_FONT_SIZE = 20;
/** This size lets a day and thirty digits fit on one line. */
const FACT_FONT_SIZE = 17;
const MARGIN = 24;
const HEADER_HEIGHT = 150;

/** A width that characters of the condensed font rarely exceed, as a share of the font size. */
const CHARACTER_WIDTH = 0.57;

const widthOf = (text: string, size: number): number => text.length * CHARACTER_WIDTH * size;
const charactersIn = (width: number, size: number): number => Math.floor(width / (CHARACTER_WIDTH * size));

/** Truncates the end of a text; digits are dropped, never rounded. */
function truncateEnd(width: number, size: number, text: string): string {
  const max = Math.max(2, charactersIn(width, size));
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/** Breaks a long name into two lines. Of an even longer one, the maker at its start and the version at its end are kept. */
function breakLabel(width: number, size: number, text: string): string {
  const max = Math.max(3, charactersIn(width, size));
  if (text.length <= max) return text;
  const space = text.lastIndexOf(' ', max);
  if (space > 0 && text.length - space - 1 <= max) return `${text.slice(0, space)}\n${text.slice(space + 1)}`;
  if (text.length <= 2 * max) return `${text.slice(0, max)}\n${text.slice(max)}`;
  return `${text.slice(0, max - 1)}…\n${text.slice(-max)}`;
}

/** The background is transparent, so every colour has a contrast of at least 3 with Discord's dark and light themes. */
const TEXT_COLOUR = '#7f848e';
const GRID_COLOUR = '#7f848e40';
const BAR_COLOUR = '#8a93ea';
const LARGEST_BAR_COLOUR = '#5865f2';

const FONT_FAMILY = 'DejaVu Sans Condensed';
const VERTICAL_CHART_HEIGHT = 480;
const ROW_HEIGHT = 48;
const MAX_LABEL_WIDTH = 210;
const MAX_VALUE_WIDTH = 180;

const heightOf = ({ bars, entries }: ChartData): number =>
  bars === 'upright' ? VERTICAL_CHART_HEIGHT : HEADER_HEIGHT + ROW_HEIGHT * entries.length + MARGIN;

function optionOf({ title, facts, bars, entries, currency }: ChartData): EChartsCoreOption {
  const power = powerFor(entries);
  return {
    animation: false,
    textStyle: { fontFamily: FONT_FAMILY, color: TEXT_COLOUR },
    title: {
      ...{ left: MARGIN, top: MARGIN - 6, itemGap: 8 },
      text: truncateEnd(WIDTH - 2 * MARGIN, BASE_FONT_SIZE + 3, title),
      textStyle: { fontFamily: FONT_FAMILY, fontSize: BASE_FONT_SIZE + 2, fontWeight: 'bold', color: TEXT_COLOUR },
      subtext: facts.map((fact) => truncateEnd(WIDTH - 2 * MARGIN, FACT_FONT_SIZE, fact)).join('\n'),
      subtextStyle: { fontFamily: FONT_FAMILY, fontSize: FACT_FONT_SIZE, lineHeight: 26, color: TEXT_COLOUR },
    },
    ...(bars === 'upright' ? verticalBars(entries, power, currency ?? '') : horizontalBars(entries, power)),
  };
}

function verticalBars(entries: readonly Bar[], power: number, currency: string) {
  const axisWidth = 76;
  const plotWidth = WIDTH - 2 * MARGIN - 16 - axisWidth;
  const slotWidth = plotWidth / Math.max(1, entries.length);
  // Half of the labels would be worse than none, and the header shows the largest value anyway.
  const areValuesShown = entries.every(({ text }) => widthOf(text, LABEL_FONT_SIZE) <= slotWidth - 4);
  const labelInterval = Math.ceil(Math.max(widest(entries, 'label'), 1) / Math.max(1, slotWidth - 8));
  const axisLabel = { color: TEXT_COLOUR, fontSize: LABEL_FONT_SIZE };
  return {
    grid: { left: MARGIN + axisWidth, right: MARGIN + 16, top: HEADER_HEIGHT + 34, bottom: 52, ...noMeasuring },
    xAxis: {
      ...categoryAxis(entries),
      axisLabel: { ...axisLabel, interval: labelInterval - 1, margin: 12, hideOverlap: false },
    },
    yAxis: {
      type: 'value',
      splitNumber: 4,
      ...(power === 0
        ? {}
        : { name: `${currency} × 10${superscript(power)}`.trim(), nameTextStyle: { ...labelStyle, align: 'right' } }),
      ...(isFlat(entries) ? { min: 0, max: 1, interval: 1 } : {}),
      axisLabel: { ...axisLabel, formatter: (value: number) => (power === 0 ? `${currency}${value}` : `${value}`) },
      splitLine: { lineStyle: { color: GRID_COLOUR } },
    },
    series: [series(entries, power, { show: areValuesShown, position: 'top' }, 72)],
  };
}

function horizontalBars(entries: readonly Bar[], power: number) {
  const truncatedEntries = entries.map(({ label, amount, text }) => {
    return {
      label: breakLabel(MAX_LABEL_WIDTH, LABEL_FONT_SIZE, label),
      amount,
      // The table has the numbers that do not fit.
      text: widthOf(text, LABEL_FONT_SIZE) <= MAX_VALUE_WIDTH ? text : '',
    };
  });
  const [left, right] = [
    MARGIN + widest(truncatedEntries, 'label') + 12,
    MARGIN + widest(truncatedEntries, 'text') + 10,
  ];
  return {
    grid: { left, right, top: HEADER_HEIGHT, bottom: MARGIN, ...noMeasuring },
    xAxis: { type: 'value', show: false, ...(isFlat(entries) ? { min: 0, max: 1 } : {}) },
    yAxis: {
      ...categoryAxis(truncatedEntries),
      inverse: true,
      axisLabel: { color: TEXT_COLOUR, fontSize: LABEL_FONT_SIZE, interval: 0 },
    },
    series: [series(truncatedEntries, power, { show: true, position: 'right' }, 30)],
  };
}

const widest = (entries: readonly Bar[], field: 'label' | 'text'): number =>
  Math.max(0, ...entries.flatMap((entry) => entry[field].split('\n').map((line) => widthOf(line, LABEL_FONT_SIZE))));

const categoryAxis = (entries: readonly Bar[]) => ({
  type: 'category',
  data: entries.map(({ label }) => label),
  axisTick: { show: false },
  axisLine: { lineStyle: { color: TEXT_COLOUR } },
});

function series(entries: readonly Bar[], power: number, label: object, barMaxWidth: number) {
  const largestAmount = entries.reduce((max, { amount }) => (compare(amount, max) > 0 ? amount : max), '0');
  return {
    type: 'bar',
    barMaxWidth,
    label: { ...label, ...labelStyle, color: TEXT_COLOUR },
    data: entries.map(({ amount, text }) => ({
      value: inUnitsOf(amount, power),
      label: { formatter: () => text },
      itemStyle: { color: compare(amount, largestAmount) === 0 ? LARGEST_BAR_COLOUR : BAR_COLOUR, borderRadius: 3 },
    })),
  };
}

const labelStyle = { fontFamily: FONT_FAMILY, fontSize: LABEL_FONT_SIZE, color: TEXT_COLOUR } as const;

/** Text is measured by `widthOf`, because there is no canvas in this process. */
const noMeasuring = { outerBoundsMode: 'none' } as const;

const isFlat = (entries: readonly Bar[]): boolean => entries.every(({ amount }) => isZero(amount));

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

/** The fonts are loaded from a package, because a minimal machine has none. */
const fontFiles = [
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
].map((url) => fileURLToPath(url));

/** About twice Discord's size, sharp on a dense screen; more would cost tens of megabytes. */
const ZOOM = 1.75;

/** Renders a chart as SVG. The library is large and takes a second to load, so it is only loaded for the first chart. */
export async function renderChartSvg(chartData: ChartData): Promise<string> {
  const [{ init, use }, { BarChart }, { GridComponent, TitleComponent }, { SVGRenderer }] = await Promise.all([
    import('echarts/core'),
    import('echarts/charts'),
    import('echarts/components'),
    import('echarts/renderers'),
  ]);
  use([BarChart, GridComponent, TitleComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: heightOf(chartData) });
  try {
    chart.setOption(optionOf(chartData));
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

export async function drawChart(chartData: ChartData): Promise<Buffer> {
  const { renderAsync } = await import('@resvg/resvg-js');
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: FONT_FAMILY };
  const image = await renderAsync(await renderChartSvg(chartData), { font, fitTo: { mode: 'zoom', value: ZOOM } });
  return image.asPng();
}
