import type { EChartsCoreOption } from 'echarts/core';
import { compared, drawn, magnitude } from '../../../lib/decimals.ts';
import { cutInside, cutTo, FACT, FONT, HEADER, MARGIN, SMALL, WIDTH, widthOf } from './layout.ts';
import type { Bar, BarPicture } from './picture.ts';

/** A card of its own, which stands on Discord's dark ground as well as on its light one. */
const CARD = '#fbfbfe';
const INK = '#1f2328';
const FAINT = '#4a505a';
const GRID = '#dcdfe6';
const BAR = '#6b77e8';
const LARGEST = '#3a45b8';

const FAMILY = 'DejaVu Sans Condensed';
const UPRIGHT_HEIGHT = 480;
const ROW_HEIGHT = 48;
const MOST_LABEL = 210;
const MOST_VALUE = 180;

interface Chart {
  width: number;
  height: number;
  option: EChartsCoreOption;
}

export function chartOf(picture: BarPicture): Chart {
  const power = powerFor(picture.entries);
  const upright = picture.bars === 'upright';
  const height = upright ? UPRIGHT_HEIGHT : HEADER + ROW_HEIGHT * picture.entries.length + MARGIN;
  const shape = upright ? uprightBars(picture.entries, power) : lyingBars(picture.entries, power);
  return {
    width: WIDTH,
    height,
    option: {
      animation: false,
      backgroundColor: CARD,
      textStyle: { fontFamily: FAMILY, color: INK },
      title: {
        ...{ left: MARGIN, top: MARGIN - 6, itemGap: 8 },
        text: cutTo(WIDTH - 2 * MARGIN, FONT + 3, picture.title),
        textStyle: { fontFamily: FAMILY, fontSize: FONT + 2, fontWeight: 'bold', color: INK },
        subtext: picture.facts.map((fact) => cutTo(WIDTH - 2 * MARGIN, FACT, fact)).join('\n'),
        subtextStyle: { fontFamily: FAMILY, fontSize: FACT, lineHeight: 26, color: FAINT },
      },
      ...shape,
    },
  };
}

function uprightBars(entries: readonly Bar[], power: number) {
  const axisWidth = 60;
  const plot = WIDTH - 2 * MARGIN - 16 - axisWidth;
  const slot = plot / Math.max(1, entries.length);
  // Half of the labels would be worse than none: the header tells the largest in any case.
  const isTold = entries.every(({ text }) => widthOf(text, SMALL) <= slot - 4);
  const every = Math.ceil(Math.max(...entries.map(({ label }) => widthOf(label, SMALL)), 1) / Math.max(1, slot - 8));
  return {
    grid: { left: MARGIN + axisWidth, right: MARGIN + 16, top: HEADER + 34, bottom: 52, ...unmeasured },
    xAxis: {
      type: 'category',
      data: entries.map(({ label }) => label),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: FAINT } },
      axisLabel: { color: FAINT, fontSize: SMALL, interval: every - 1, margin: 12, hideOverlap: false },
    },
    yAxis: {
      type: 'value',
      splitNumber: 4,
      ...(power === 0 ? {} : { name: `× 10${superscript(power)}`, nameTextStyle: { ...small, align: 'right' } }),
      ...(isFlat(entries) ? { min: 0, max: 1, interval: 1 } : {}),
      axisLabel: { color: FAINT, fontSize: SMALL },
      splitLine: { lineStyle: { color: GRID } },
    },
    series: [series(entries, power, { show: isTold, position: 'top', ...small, color: INK }, { barMaxWidth: 72 })],
  };
}

function lyingBars(entries: readonly Bar[], power: number) {
  const labels = entries.map(({ label }) => cutInside(MOST_LABEL, SMALL, label));
  const values = entries.map(({ text }) => cutTo(MOST_VALUE, SMALL, text));
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => widthOf(text, SMALL)));
  return {
    grid: {
      ...{ left: MARGIN + widest(labels) + 12, right: MARGIN + widest(values) + 10 },
      ...{ top: HEADER, bottom: MARGIN, ...unmeasured },
    },
    xAxis: { type: 'value', show: false, ...(isFlat(entries) ? { min: 0, max: 1 } : {}) },
    yAxis: {
      type: 'category',
      inverse: true,
      data: labels,
      axisTick: { show: false },
      axisLine: { lineStyle: { color: FAINT } },
      axisLabel: { color: INK, fontSize: SMALL, interval: 0 },
    },
    series: [
      series(
        entries.map((entry, index) => ({ ...entry, text: values[index] ?? '' })),
        power,
        { show: true, position: 'right', ...small, color: INK },
        { barMaxWidth: 30 },
      ),
    ],
  };
}

function series(entries: readonly Bar[], power: number, label: object, look: object) {
  const largest = entries.reduce((most, { amount }) => (compared(amount, most) > 0 ? amount : most), '0');
  return {
    type: 'bar',
    ...look,
    label,
    data: entries.map(({ amount, text }) => ({
      value: drawn(amount, power),
      label: { formatter: () => text },
      itemStyle: { color: compared(amount, largest) === 0 ? LARGEST : BAR, borderRadius: 3 },
    })),
  };
}

const small = { fontFamily: FAMILY, fontSize: SMALL, color: FAINT } as const;

/** We measure by ourselves, for there is no canvas here that could. */
const unmeasured = { outerBoundsMode: 'none' } as const;

const isFlat = (entries: readonly Bar[]): boolean => entries.every(({ amount }) => compared(amount, '0') === 0);

/** Numbers from a thousandth to ten thousands are read as they are; others by a power of ten beside the axis. */
function powerFor(entries: readonly Bar[]): number {
  const power = entries.reduce((most, { amount }) => {
    return compared(amount, '0') === 0 ? most : Math.max(most, magnitude(amount));
  }, Number.NEGATIVE_INFINITY);
  return power === Number.NEGATIVE_INFINITY || (power >= -3 && power <= 4) ? 0 : Math.floor(power / 3) * 3;
}

function superscript(power: number): string {
  return String(power).replace(/[-\d]/g, (sign) => (sign === '-' ? '⁻' : ('⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? '')));
}
