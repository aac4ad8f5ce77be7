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
}

export interface Bar {
  label: string;
  /** The exact amount. */
  amount: string;
  /** The text next to the bar. */
  text: string;
}

/** Lengths in the units of the drawing. A phone shows it 350 units wide, so letters need nearly twice their final size. */
const WIDTH = 600;
const FONT = 20;
const SMALL = 18;
/** This size lets a day and thirty digits fit on one line. */
const FACT = 17;
const MARGIN = 24;
const HEADER = 150;

/** A width that letters of the condensed font rarely exceed. */
const LETTER = 0.57;

const widthOf = (text: string, size: number): number => text.length * LETTER * size;
const lettersIn = (width: number, size: number): number => Math.floor(width / (LETTER * size));

/** Truncates the end of a text; digits are dropped, never rounded. */
function cutTo(width: number, size: number, text: string): string {
  const max = Math.max(2, lettersIn(width, size));
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/** Cuts out the middle, because both the maker at the start of a model's name and the version at its end are important. */
function cutInside(width: number, size: number, text: string): string {
  const max = Math.max(3, lettersIn(width, size));
  if (text.length <= max) return text;
  const tail = Math.floor((max - 1) / 2);
  return `${text.slice(0, max - 1 - tail)}…${text.slice(-tail)}`;
}

/** Opaque, so it works in Discord's dark and light themes. */
const CARD = '#fbfbfe';
const INK = '#1f2328';
const FAINT = '#4a505a';
const GRID = '#dcdfe6';
const BAR = '#6b77e8';
const LARGEST_BAR = '#3a45b8';

const FAMILY = 'DejaVu Sans Condensed';
const UPRIGHT_HEIGHT = 480;
const ROW_HEIGHT = 48;
const MAX_LABEL = 210;
const MAX_VALUE = 180;

const heightOf = ({ bars, entries }: ChartData): number =>
  bars === 'upright' ? UPRIGHT_HEIGHT : HEADER + ROW_HEIGHT * entries.length + MARGIN;

function optionOf({ title, facts, bars, entries }: ChartData): EChartsCoreOption {
  const power = powerFor(entries);
  return {
    animation: false,
    backgroundColor: CARD,
    textStyle: { fontFamily: FAMILY, color: INK },
    title: {
      ...{ left: MARGIN, top: MARGIN - 6, itemGap: 8 },
      text: cutTo(WIDTH - 2 * MARGIN, FONT + 3, title),
      textStyle: { fontFamily: FAMILY, fontSize: FONT + 2, fontWeight: 'bold', color: INK },
      subtext: facts.map((fact) => cutTo(WIDTH - 2 * MARGIN, FACT, fact)).join('\n'),
      subtextStyle: { fontFamily: FAMILY, fontSize: FACT, lineHeight: 26, color: FAINT },
    },
    ...(bars === 'upright' ? uprightBars(entries, power) : lyingBars(entries, power)),
  };
}

function uprightBars(entries: readonly Bar[], power: number) {
  const axisWidth = 60;
  const plot = WIDTH - 2 * MARGIN - 16 - axisWidth;
  const slot = plot / Math.max(1, entries.length);
  // Half of the labels would be worse than none, and the header shows the largest value anyway.
  const areValuesShown = entries.every(({ text }) => widthOf(text, SMALL) <= slot - 4);
  const every = Math.ceil(Math.max(widest(entries, 'label'), 1) / Math.max(1, slot - 8));
  const axisLabel = { color: FAINT, fontSize: SMALL };
  return {
    grid: { left: MARGIN + axisWidth, right: MARGIN + 16, top: HEADER + 34, bottom: 52, ...noMeasuring },
    xAxis: { ...names(entries), axisLabel: { ...axisLabel, interval: every - 1, margin: 12, hideOverlap: false } },
    yAxis: {
      type: 'value',
      splitNumber: 4,
      ...(power === 0 ? {} : { name: `× 10${superscript(power)}`, nameTextStyle: { ...small, align: 'right' } }),
      ...(isFlat(entries) ? { min: 0, max: 1, interval: 1 } : {}),
      axisLabel,
      splitLine: { lineStyle: { color: GRID } },
    },
    series: [series(entries, power, { show: areValuesShown, position: 'top' }, 72)],
  };
}

function lyingBars(entries: readonly Bar[], power: number) {
  const cut = entries.map(({ label, amount, text }) => {
    return { label: cutInside(MAX_LABEL, SMALL, label), amount, text: cutTo(MAX_VALUE, SMALL, text) };
  });
  const [left, right] = [MARGIN + widest(cut, 'label') + 12, MARGIN + widest(cut, 'text') + 10];
  return {
    grid: { left, right, top: HEADER, bottom: MARGIN, ...noMeasuring },
    xAxis: { type: 'value', show: false, ...(isFlat(entries) ? { min: 0, max: 1 } : {}) },
    yAxis: { ...names(cut), inverse: true, axisLabel: { color: INK, fontSize: SMALL, interval: 0 } },
    series: [series(cut, power, { show: true, position: 'right' }, 30)],
  };
}

const widest = (entries: readonly Bar[], of: 'label' | 'text'): number =>
  Math.max(0, ...entries.map((entry) => widthOf(entry[of], SMALL)));

const names = (entries: readonly Bar[]) => ({
  type: 'category',
  data: entries.map(({ label }) => label),
  axisTick: { show: false },
  axisLine: { lineStyle: { color: FAINT } },
});

function series(entries: readonly Bar[], power: number, label: object, barMaxWidth: number) {
  const largest = entries.reduce((max, { amount }) => (compare(amount, max) > 0 ? amount : max), '0');
  return {
    type: 'bar',
    barMaxWidth,
    label: { ...label, ...small, color: INK },
    data: entries.map(({ amount, text }) => ({
      value: inUnitsOf(amount, power),
      label: { formatter: () => text },
      itemStyle: { color: compare(amount, largest) === 0 ? LARGEST_BAR : BAR, borderRadius: 3 },
    })),
  };
}

const small = { fontFamily: FAMILY, fontSize: SMALL, color: FAINT } as const;

/** The text is measured above, because there is no canvas here. */
const noMeasuring = { outerBoundsMode: 'none' } as const;

const isFlat = (entries: readonly Bar[]): boolean => entries.every(({ amount }) => isZero(amount));

/** Values from a thousandth to ten thousands are shown as they are, others with a power of ten at the axis. */
function powerFor(entries: readonly Bar[]): number {
  const powers = entries.flatMap(({ amount }) => (isZero(amount) ? [] : [magnitude(amount)]));
  const power = Math.max(...powers);
  return powers.length === 0 || (power >= -3 && power <= 4) ? 0 : Math.floor(power / 3) * 3;
}

function superscript(power: number): string {
  return String(power).replace(/[-\d]/g, (sign) => (sign === '-' ? '⁻' : ('⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '')));
}

/** The fonts are loaded from a package, because a minimal machine has none. */
const fontFiles = [
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
].map((address) => fileURLToPath(address));

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
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: FAMILY };
  const image = await renderAsync(await renderChartSvg(chartData), { font, fitTo: { mode: 'zoom', value: ZOOM } });
  return image.asPng();
}
