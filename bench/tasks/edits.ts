import { table } from '../table.ts';
import type { JobFigures } from './job-orders.ts';

const SECOND_MS = 1_000;
const LENGTHS = [
  { name: 'at most 30 s', from: 0, to: 30 },
  { name: '30 to 60 s', from: 30, to: 60 },
  { name: 'longer', from: 60, to: Number.POSITIVE_INFINITY },
  { name: 'all', from: 0, to: Number.POSITIVE_INFINITY },
] as const;

/** Reports how much of Discord's and the gateway's rate limits a job uses. */
export function reportEdits(jobs: readonly JobFigures[]): void {
  const rows = LENGTHS.map(({ name, from, to }) => {
    const matching = jobs.filter(({ durationMs }) => durationMs > from * SECOND_MS && durationMs <= to * SECOND_MS);
    const average = (pick: (job: JobFigures) => number): string => mean(matching.map(pick)).toFixed(1);
    return [
      name,
      String(matching.length),
      average(({ polls }) => polls),
      average(({ progressEdits }) => progressEdits),
      String(Math.max(...matching.map(({ progressEdits }) => progressEdits))),
      average(({ endEdits }) => endEdits),
    ];
  });
  console.log(`
Edits of the same ${jobs.length} jobs. Target: one edit for the end of each job.
`);
  console.log(table(['job duration', 'jobs', 'polls', 'progress edits', 'max', 'end edits'], rows));
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
