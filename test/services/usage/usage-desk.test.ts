import { expect, it } from 'vitest';
import { UsageDesk } from '../../../src/services/usage/usage-desk.ts';

it('a chart that cannot be drawn is left out, and the log says why', async () => {
  const warned: string[] = [];
  const desk = new UsageDesk({
    reports: { get: async () => ({ total: undefined, rows: [] }) },
    book: { uses: async () => [] },
    unit: undefined,
    log: { warn: (_facts, sentence) => warned.push(sentence) },
  });
  const picture = { title: 'T', facts: [], bars: 'lying' } as const;
  expect(await desk.draw({ ...picture, entries: [{ label: 'a', amount: '1', text: '1' }] })).toBeInstanceOf(Buffer);
  expect(warned).toEqual([]);
  // No drawing may hold such a sign.
  expect(await desk.draw({ ...picture, entries: [{ label: 'a\u0001', amount: '1', text: '1' }] })).toBeUndefined();
  expect(warned).toEqual(['A chart could not be drawn.']);
});
