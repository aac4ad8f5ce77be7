import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { type Bar, type ChartData, drawChart, renderChartSvg } from '../../../src/services/media/chart.ts';

const bar = (label: string, amount: string): Bar => ({ label, amount, text: amount });
const chartOf = (bars: ChartData['bars'], entries: Bar[]): ChartData => ({
  title: 'What was used',
  language: 'en',
  facts: ['Total 31.25', 'Largest: b'],
  bars,
  entries,
});

const labelsIn = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

/** Heights and widths of the bars, in their order. */
function barSizes(svg: string) {
  return [...svg.matchAll(/<rect [^>]*width="([\d.]+)" height="([\d.]+)"/g)].map(([, width, height]) => ({
    width: Number(width),
    height: Number(height),
  }));
}

describe('A chart', () => {
  it('A chart has a bar for every day, as high as its amount, and marks the largest one', () => {
    const svg = renderChartSvg(chartOf('upright', [bar('03-01', '2.5'), bar('03-02', '10'), bar('03-03', '5')]));
    const [first, second, third] = barSizes(svg).map(({ height }) => height);
    expect((first ?? 0) / (second ?? 1)).toBeCloseTo(0.25, 1);
    expect((third ?? 0) / (second ?? 1)).toBeCloseTo(0.5, 1);
    expect(svg.match(/fill="#636ff4"/g)).toHaveLength(1);
    for (const text of ['What was used', 'Total 31.25', 'Largest: b', '03-01', '03-03', '2.5', '10', '5'])
      expect(labelsIn(svg)).toContain(text);
  });

  it('A chart puts labels next to horizontal bars, with every digit that fits, and breaks long labels into two lines', () => {
    const longLabel = 'a-very-long-vendor-name/with-a-very-long-model-name-v12.5-preview:2026-01-31';
    const svg = renderChartSvg(chartOf('lying', [bar(longLabel, '40'), bar('b', '10.000000001'), bar('c', '0')]));
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
  ])('A chart scales its axis if amounts are %s', (_name, amount, scale) => {
    const svg = renderChartSvg(chartOf('upright', [bar('03-01', amount), bar('03-02', '0')]));
    expect(labelsIn(svg)).toContain(scale);
    expect(barSizes(svg)[0]?.height).toBeGreaterThan(100);
  });

  it('A chart draws a single word that is slightly too long smaller, instead of breaking it', () => {
    const svg = renderChartSvg(chartOf('lying', [bar('Bereichsbearbeitung', '2'), bar('b', '1')]));
    expect(labelsIn(svg)).toContain('Bereichsbearbeitung');
    expect(svg).toMatch(/<g font-size="19\.\d+"><text[^>]*>Bereichsbearbeitung</);
  });

  it('A chart breaks labels of several words between words', () => {
    const svg = renderChartSvg(chartOf('lying', [bar('no role with limits', '1')]));
    expect(labelsIn(svg)).toContain('no role with');
  });

  it('A chart breaks and truncates wide characters where they reach the width of narrow ones', () => {
    const labels = labelsIn(
      renderChartSvg(chartOf('lying', [bar('上限のあるロールを持っていません', '1'), bar('漢字'.repeat(20), '1')])),
    );
    expect(labels).toEqual(
      expect.arrayContaining(['上限のあるロールを持', 'っていません', `${'漢字'.repeat(4)}漢…`, '漢字'.repeat(5)]),
    );
    expect(labelsIn(renderChartSvg({ ...chartOf('lying', []), facts: ['字'.repeat(40)] }))).toContain(
      `${'字'.repeat(31)}…`,
    );
  });

  it('A chart makes a long title smaller, and truncates it where it would be smaller than the text below', () => {
    const sizeOf = (title: string) => {
      const svg = renderChartSvg({ ...chartOf('upright', [bar('03-01', '1')]), title });
      return { size: Number(/<g font-size="([\d.]+)" font-weight="bold">/.exec(svg)?.[1]), title: labelsIn(svg)[0] };
    };
    expect(sizeOf('x'.repeat(40))).toEqual({ size: 24, title: 'x'.repeat(40) });
    expect(sizeOf('x'.repeat(48))).toEqual({ size: expect.closeTo(20.2, 1), title: 'x'.repeat(48) });
    expect(sizeOf('x'.repeat(90))).toEqual({ size: 17, title: `${'x'.repeat(55)}…` });
  });

  it('A chart draws zeros and refunds correctly', () => {
    const zerosSvg = renderChartSvg(chartOf('upright', [bar('03-01', '0.00'), bar('03-02', '0.00')]));
    expect(labelsIn(zerosSvg)).toContain('0.00');
    expect(zerosSvg).not.toMatch(/NaN|Infinity/);
    const refundSvg = renderChartSvg(chartOf('upright', [bar('03-01', '-3'), bar('03-02', '3')]));
    const [down, up] = barSizes(refundSvg).map(({ height }) => height);
    expect(Math.abs((down ?? 0) - (up ?? 0))).toBeLessThan(2);
  });

  it('A chart omits labels that would overlap', () => {
    const days = Array.from({ length: 60 }, (_, index) => bar(`d${index}-00`, '1.25'));
    const svg = renderChartSvg(chartOf('upright', days));
    expect(barSizes(svg)).toHaveLength(60);
    expect(labelsIn(svg).filter((text) => text?.startsWith('d')).length).toBeLessThan(15);
    expect(labelsIn(svg)).not.toContain('1.25');
  });

  it('A chart draws labels as plain text, whatever they contain', async () => {
    const names = ['<script>&"]]>', '{a|b}', '日本', '\u{1F98A}'];
    const chart = chartOf(
      'lying',
      names.map((name) => bar(name, '1')),
    );
    expect((await sharp(await drawChart(chart)).metadata()).format).toBe('png');
    expect(labelsIn(renderChartSvg(chart))).toEqual(
      expect.arrayContaining(['&#60;script&#62;&#38;"]]&#62;', ...names.slice(1)]),
    );
  });

  it('A chart in dollars says so on its axis', () => {
    const chart = chartOf('upright', [bar('03-01', '0.005'), bar('03-02', '0.02')]);
    const labels = labelsIn(renderChartSvg({ ...chart, currency: '$' }));
    expect(labels.filter((label) => label?.startsWith('$'))).toEqual([
      '$0.000',
      '$0.005',
      '$0.010',
      '$0.015',
      '$0.020',
    ]);
  });

  it('A chart in dollars has whole cents on its axis, and none where its steps are whole dollars', () => {
    const axisOf = (amount: string) =>
      labelsIn(renderChartSvg({ ...chartOf('upright', [bar('03-01', amount)]), currency: '$' })).filter((label) =>
        label?.startsWith('$'),
      );
    expect(axisOf('0.2')).toEqual(['$0.00', '$0.05', '$0.10', '$0.15', '$0.20']);
    expect(axisOf('4')).toEqual(['$0', '$1', '$2', '$3', '$4']);
  });
});
