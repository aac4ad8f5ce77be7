import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { type Bar, type ChartData, drawChart, renderChartSvg } from '../../../src/services/usage/chart.ts';

const bar = (label: string, amount: string): Bar => ({ label, amount, text: amount });
const chartOf = (bars: ChartData['bars'], entries: Bar[]): ChartData => ({
  ...{ title: 'What was used', facts: ['Total 31.25', 'Largest: b'], bars, entries },
});

const labelsIn = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

/** Heights and widths of the filled bars, in the order of the series. */
function barSizes(svg: string) {
  return [...svg.matchAll(/<path d="([^"]+)" fill="#(?:8a93ea|5865f2)"/g)].map(([, path = '']) => {
    const points = [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
    const extent = (values: number[]): number => Math.max(...values) - Math.min(...values);
    return { width: extent(points.map(([x]) => x)), height: extent(points.map(([, y]) => y)) };
  });
}

describe('A chart', () => {
  it('A chart has a bar for every day, as high as its amount, and marks the largest one', async () => {
    const svg = await renderChartSvg(chartOf('upright', [bar('03-01', '2.5'), bar('03-02', '10'), bar('03-03', '5')]));
    const [first, second, third] = barSizes(svg).map(({ height }) => height);
    expect((first ?? 0) / (second ?? 1)).toBeCloseTo(0.25, 1);
    expect((third ?? 0) / (second ?? 1)).toBeCloseTo(0.5, 1);
    expect(svg.match(/fill="#5865f2"/g)).toHaveLength(1);
    for (const text of ['What was used', 'Total 31.25', 'Largest: b', '03-01', '03-03', '2.5', '10', '5'])
      expect(labelsIn(svg)).toContain(text);
  });

  it('A chart puts labels next to horizontal bars, with every digit that fits, and breaks long labels into two lines', async () => {
    const longLabel = 'a-very-long-vendor-name/with-a-very-long-model-name-v12.5-preview:2026-01-31';
    const svg = await renderChartSvg(chartOf('lying', [bar(longLabel, '40'), bar('b', '10.000000001'), bar('c', '0')]));
    const [first, second] = barSizes(svg).map(({ width }) => width);
    expect((second ?? 0) / (first ?? 1)).toBeCloseTo(0.25, 1);
    expect(labelsIn(svg)).toContain('10.000000001');
    expect(
      labelsIn(svg).filter((text) => /^a-very-.*…$/.test(text ?? '') || text?.endsWith('2026-01-31')),
    ).toHaveLength(2);
  });

  it.each([
    ['huge', '5'.padEnd(30, '0'), '× 10²⁷'],
    ['tiny', '0.000000000000000000005', '× 10⁻²¹'],
  ])('A chart scales its axis if amounts are %s', async (_name, amount, scale) => {
    const svg = await renderChartSvg(chartOf('upright', [bar('03-01', amount), bar('03-02', '0')]));
    expect(labelsIn(svg)).toContain(scale);
    expect(barSizes(svg)[0]?.height).toBeGreaterThan(100);
  });

  it('A chart breaks labels of several words between words', async () => {
    const svg = await renderChartSvg(chartOf('lying', [bar('no role with limits', '1')]));
    expect(labelsIn(svg)).toContain('no role with');
  });

  it('A chart draws zeros and refunds correctly', async () => {
    const zerosSvg = await renderChartSvg(chartOf('upright', [bar('03-01', '0.00'), bar('03-02', '0.00')]));
    expect(labelsIn(zerosSvg)).toContain('0.00');
    expect(zerosSvg).not.toMatch(/NaN|Infinity/);
    const refundSvg = await renderChartSvg(chartOf('upright', [bar('03-01', '-3'), bar('03-02', '3')]));
    const [down, up] = barSizes(refundSvg).map(({ height }) => height);
    expect(Math.abs((down ?? 0) - (up ?? 0))).toBeLessThan(2);
  });

  it('A chart omits labels that would overlap', async () => {
    const days = Array.from({ length: 60 }, (_, index) => bar(`d${index}-00`, '1.25'));
    const svg = await renderChartSvg(chartOf('upright', days));
    expect(barSizes(svg)).toHaveLength(60);
    expect(labelsIn(svg).filter((text) => text?.startsWith('d')).length).toBeLessThan(15);
    expect(labelsIn(svg)).not.toContain('1.25');
  });

  it('A chart draws labels as plain text, whatever they contain', async () => {
    const names = ['<script>&"', '{a|b}', '{value}', '日本', '\u{1F98A}'];
    const png = await drawChart(
      chartOf(
        'lying',
        names.map((name) => bar(name, '1')),
      ),
    );
    expect((await sharp(png).metadata()).format).toBe('png');
    expect(
      labelsIn(
        await renderChartSvg(
          chartOf(
            'lying',
            names.map((name) => bar(name, '1')),
          ),
        ),
      ),
    ).toContain('{value}');
  });

  it('A chart in dollars says so on its axis', async () => {
    const chart = chartOf('upright', [bar('03-01', '0.005'), bar('03-02', '0.02')]);
    expect(labelsIn(await renderChartSvg({ ...chart, currency: '$' }))).toContain('$0.02');
  });

  it('A chart has a transparent background and text that contrasts with dark and light themes, on a machine without fonts', async () => {
    const png = await drawChart(chartOf('upright', [bar('03-01', '0')]));
    const { width, height } = await sharp(png).metadata();
    expect([width, height]).toEqual([1050, 840]);
    const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
    expect(pixel(0, 0)[3]).toBe(0);
    // The area of the title.
    const title = Array.from({ length: 200 * 40 }, (_, index) =>
      pixel(36 + (index % 200), 28 + Math.floor(index / 200)),
    );
    const solid = title.filter(([, , , alpha]) => alpha === 255);
    expect(solid.length).toBeGreaterThan(200);
    for (const theme of [255, 0x31]) expect(contrast(solid[0]?.[0] ?? 0, theme)).toBeGreaterThan(3);
  });
});

/** The contrast of two greys. */
function contrast(one: number, other: number): number {
  const [dark = 0, light = 0] = [one, other].map((value) => (value / 255) ** 2.2).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
