import { readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { MediaProcess } from '../../../src/services/media/media-process.ts';
import { createUsageReader } from '../../../src/services/money/usage-reader.ts';
import { plainLog } from '../../support/plain-log.ts';

function openReader() {
  const warned: string[] = [];
  const log = plainLog({ warn: (_, message) => void warned.push(message) });
  const process = new MediaProcess({ clock: systemClock, log });
  onTestFinished(() => process.close());
  const reader = createUsageReader(
    { get: async () => ({ total: undefined, rows: [] }) },
    { queryUsage: async () => [] },
    undefined,
    process,
    log,
  );
  return { reader, process, warned };
}

it('A chart that cannot be drawn is omitted, and a warning is logged', async () => {
  const { reader, warned } = openReader();
  const image = { title: 'T', language: 'en', facts: [], bars: 'lying' } as const;
  expect(await reader.drawChart({ ...image, entries: [{ label: 'a', amount: '1', text: '1' }] })).toBeInstanceOf(
    Buffer,
  );
  expect(warned).toEqual([]);
  // This character is invalid in XML and therefore in SVG.
  expect(await reader.drawChart({ ...image, entries: [{ label: 'a\u0001', amount: '1', text: '1' }] })).toBeUndefined();
  expect(warned).toEqual(['A chart could not be drawn.']);
});

it('A chart has a transparent background and text that contrasts with dark and light themes, on a machine without fonts', {
  tags: ['breadth'],
}, async () => {
  const { reader, process } = openReader();
  const widths: number[] = [];
  for (const title of ['iiiiiiii', 'mmmmmmmm']) {
    const entries = [{ label: '03-01', amount: '0', text: '0' }];
    const png = await reader.drawChart({ title, language: 'en', facts: [], bars: 'upright', entries });
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([1050, 840, 4]);
    expect(data[3]).toBe(0);
    const titleArea = Array.from({ length: info.width * 90 }, (_, index) => data.subarray(index * 4, index * 4 + 4));
    const solid = titleArea.flatMap(([grey = 0, , , alpha], index) =>
      alpha === 255 ? [{ grey, x: index % info.width }] : [],
    );
    for (const theme of [255, 0x31]) expect(contrast(solid[0]?.grey ?? 0, theme)).toBeGreaterThan(3);
    widths.push(Math.max(...solid.map(({ x }) => x)) - Math.min(...solid.map(({ x }) => x)));
  }
  const [narrow = 0, wide = 0] = widths;
  // Without a font, every character would be a box of the same width.
  expect(wide).toBeGreaterThan(2.5 * narrow);
  if (platform() !== 'linux') return;
  expect(await fontsOf(process)).toEqual(new Set(['DejaVuSansCondensed-Bold.ttf', 'DejaVuSansCondensed.ttf']));
});

it('A chart has the characters of names in other scripts, in the forms of its language, on a machine without fonts', {
  tags: ['breadth'],
}, async () => {
  const { reader, process } = openReader();
  const draw = (label: string, language: string) =>
    reader.drawChart({ title: '', language, facts: [], bars: 'lying', entries: [{ label, amount: '1', text: '1' }] });
  const chinese = await draw('直角', 'zh-CN');
  expect(await draw('直角', 'ja')).not.toEqual(chinese);
  expect(await draw('直角', 'en')).toEqual(chinese);
  // Both names have characters of one form only.
  expect(await draw('東莞さん', 'ja')).toBeInstanceOf(Buffer);
  expect(await draw('김민수', 'ja')).toBeInstanceOf(Buffer);
  if (platform() !== 'linux') return;
  expect(await fontsOf(process)).toEqual(
    new Set(['DejaVuSansCondensed.ttf', 'NotoSansJP.ttf', 'NotoSansKR.ttf', 'NotoSansSC.ttf']),
  );
});

/** The names of the fonts that the process has opened. All of them are the project's own. */
async function fontsOf({ pid }: MediaProcess): Promise<Set<string>> {
  const maps = await readFile(`/proc/${pid}/maps`, 'latin1');
  const paths = [...maps.matchAll(/\S+\.(?:ttf|otf|ttc|pf[ab])$/gm)].map(([path]) => path);
  for (const path of paths) expect(dirname(path)).toBe(resolve('src/services/media/process/fonts'));
  return new Set(paths.map((path) => basename(path)));
}

/** The contrast of two greys. */
function contrast(one: number, other: number): number {
  const [dark = 0, light = 0] = [one, other].map((value) => (value / 255) ** 2.2).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
