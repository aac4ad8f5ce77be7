import { describe, expect, it } from 'vitest';
import type { CalmPoint } from './calm-point.ts';
import { soak } from './soak.ts';
import { passedLimits, tableOf } from './verdict.ts';

const SEED = 374;
/** A successful run takes two minutes, most of which is waiting. */
const WAIT_LIMIT_MS = 900_000;
const MIB = 2 ** 20;

describe('A soak', () => {
  it(
    'The bot keeps nothing that it no longer needs, whatever failed in the meantime',
    async () => {
      const points = await Array.fromAsync(soak({ seed: SEED, jobs: 200, hours: 1 }));
      process.stderr.write(`${tableOf(points)}\n`);
      expect(passedLimits(points)).toEqual([]);
    },
    WAIT_LIMIT_MS,
  );

  it('The verdict names everything that grew beyond its limit, and nothing else', () => {
    const point = (part: number, leaks: { bytes: number; rows: number; more: number }): CalmPoint => ({
      process: 1,
      jobs: part * 10_000,
      memoryBytes: 50 * MIB + part * leaks.bytes,
      residentBytes: 0,
      counts: { handles: 1, timers: 9 + part * leaks.more, descriptors: 30, files: 6 },
      rows: new Map([
        ['finished', part * 10_000],
        ['live', part * leaks.rows],
        ['index', part * 20_000],
      ]),
    });
    const verdict = (leaks: Parameters<typeof point>[1]): string[] =>
      passedLimits([point(1, leaks), point(2, leaks), point(3, { ...leaks, rows: 2 * leaks.rows })]);
    expect(verdict({ bytes: 9 * MIB, rows: 0, more: 0 })).toEqual([]);
    expect(verdict({ bytes: 11 * MIB, rows: 100, more: 1 })).toEqual([
      'Process 1 grew by 22.0 MiB in 20000 jobs.',
      'There are 12 timers, and there were 10 after the first part.',
      'There are 600 rows in live, and at most 404 were expected.',
    ]);
  });
});
