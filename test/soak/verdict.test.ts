import { expect, it } from 'vitest';
import type { CalmPoint } from './calm-point.ts';
import { passedLimits } from './verdict.ts';

const MIB = 2 ** 20;

interface Leaks {
  /** For each part of a soak. */
  bytes: number;
  timers: number;
  /** More in the last part than its tasks explain. */
  rows: number;
}

const verdictOn = ({ bytes, timers, rows }: Leaks): string[] =>
  passedLimits(
    [1, 2, 3].map(
      (part): CalmPoint => ({
        process: 1,
        jobs: part * 10_000,
        memoryBytes: 50 * MIB + part * bytes,
        residentBytes: 100 * MIB,
        counts: { handles: 1, timers: 9 + part * timers, descriptors: 30, files: 6 },
        rows: new Map([
          ['finished', part * 10_000],
          ['live', part * 100 + (part === 3 ? rows : 0)],
        ]),
      }),
    ),
  );

it('A soak allows a mebibyte for a thousand jobs, and rows that grow with the finished tasks', () => {
  expect(verdictOn({ bytes: 10 * MIB, timers: 0, rows: 0 })).toEqual([]);
});

it('A soak names everything that grew beyond its limit', () => {
  expect(verdictOn({ bytes: 11 * MIB, timers: 1, rows: 300 })).toEqual([
    'Process 1 grew by 22.0 MiB in 20000 jobs.',
    'There are 12 timers, and there were 10 after the first part.',
    'There are 600 rows in live, and at most 404 were expected.',
  ]);
});
