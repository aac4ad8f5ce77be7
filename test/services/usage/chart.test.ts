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
  return [...svg.matchAll(/<path d="([^"]+)" fill="#(?:6b77e8|3a45b8)"/g)].map(([, path = '']) => {
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
    expect(svg.match(/fill="#3a45b8"/g)).toHaveLength(1);
    for (const text of ['What was used', 'Total 31.25', 'Largest: b', '03-01', '03-03', '2.5', '10', '5'])
      expect(labelsIn(svg)).toContain(text);
  });

  it('A chart puts labels next to horizontal bars, with every digit that fits, and shortens long labels in the middle', async () => {
    const longLabel = 'a-very-long-vendor-name/with-a-very-long-model-name-v12.5-preview:2026-01-31';
    const svg = await renderChartSvg(chartOf('lying', [bar(longLabel, '40'), bar('b', '10.000000001'), bar('c', '0')]));
    const [first, second] = barSizes(svg).map(({ width }) => width);
    expect((second ?? 0) / (first ?? 1)).toBeCloseTo(0.25, 1);
    expect(labelsIn(svg)).toContain('10.000000001');
    expect(
      labelsIn(svg).some((text) => text?.startsWith('a-very-') && text.includes('…') && text.endsWith('01-31')),
    ).toBe(true);
  });

  it.each([
    ['huge', '5'.padEnd(30, '0'), '× 10²⁷'],
    ['tiny', '0.000000000000000000005', '× 10⁻²¹'],
  ])('A chart scales its axis if amounts are %s', async (_name, amount, scale) => {
    const svg = await renderChartSvg(chartOf('upright', [bar('03-01', amount), bar('03-02', '0')]));
    expect(labelsIn(svg)).toContain(scale);
    expect(barSizes(svg)[0]?.height).toBeGreaterThan(100);
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

  it('A chart has its own background and readable text on a machine without fonts', async () => {
    const png = await drawChart(chartOf('upright', [bar('03-01', '0')]));
    const { width, height } = await sharp(png).metadata();
    expect([width, height]).toEqual([1050, 840]);
    const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const brightness = (x: number, y: number): number => data[(y * info.width + x) * info.channels] ?? 0;
    expect(brightness(0, 0)).toBeGreaterThan(245);
    // The area of the title: dark characters on the light background.
    const title = Array.from({ length: 200 * 40 }, (_, index) =>
      brightness(36 + (index % 200), 28 + Math.floor(index / 200)),
    );
    expect(title.filter((value) => value < 60).length).toBeGreaterThan(200);
  });
});
