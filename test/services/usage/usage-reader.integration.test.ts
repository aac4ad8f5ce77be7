import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { MediaProcess } from '../../../src/services/media-process/media-process.ts';
import { UsageReader } from '../../../src/services/usage/usage-reader.ts';

it('A chart that cannot be drawn is omitted, and a warning is logged', async () => {
  const warned: string[] = [];
  const log = { warn: (_facts: object, message: string) => void warned.push(message) };
  const process = new MediaProcess({ clock: systemClock, log });
  onTestFinished(() => process.close());
  const reader = new UsageReader({
    reports: { get: async () => ({ total: undefined, rows: [] }) },
    ledger: { queryUsage: async () => [] },
    unit: undefined,
    process,
    log,
  });
  const image = { title: 'T', facts: [], bars: 'lying' } as const;
  expect(await reader.drawChart({ ...image, entries: [{ label: 'a', amount: '1', text: '1' }] })).toBeInstanceOf(
    Buffer,
  );
  expect(warned).toEqual([]);
  // This character is invalid in XML and therefore in SVG.
  expect(await reader.drawChart({ ...image, entries: [{ label: 'a\u0001', amount: '1', text: '1' }] })).toBeUndefined();
  expect(warned).toEqual(['A chart could not be drawn.']);
});
