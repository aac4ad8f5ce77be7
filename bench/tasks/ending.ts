import { median, table } from '../table.ts';
import { CLOCK_SPEED } from './day.ts';
import type { JobFigures, JobInput } from './job-orders.ts';
import { runJobs } from './jobs.ts';
import { percentile } from './percentile.ts';

const SECOND_MS = 1_000;
/** The specification's schedule: how often a job is polled in its first half minute, and afterwards. */
const EARLY_MS = 30 * SECOND_MS;
const EARLY_GAP_MS = 2.5 * SECOND_MS;
const GAP_MS = 7.5 * SECOND_MS;

const JOBS = 24;
const EVERY_MS = 300;
/** A job is then over after some four seconds. */
const GATEWAY_SPEED = 10;

/** How much later than the gateway a member knows of the end, and whose part of it that is. */
export function reportSchedule(jobs: readonly JobFigures[]): void {
  const kinds = [
    { name: 'at most 30 s long', gap: EARLY_GAP_MS, jobs: jobs.filter(({ lasted }) => lasted <= EARLY_MS) },
    { name: 'longer', gap: GAP_MS, jobs: jobs.filter(({ lasted }) => lasted > EARLY_MS) },
  ];
  const rows = kinds.map(({ name, gap, jobs: those }) => {
    const found = those.map(({ untilFound }) => untilFound);
    const shown = those.map(({ delay }) => delay);
    return [
      name,
      String(those.length),
      seconds(median(found)),
      seconds(percentile(found, 0.95)),
      seconds(gap / 2),
      (median(found) / (gap / 2)).toFixed(2),
      seconds(median(shown)),
      seconds(percentile(shown, 0.95)),
    ];
  });
  console.log(`
From the end of a job at the gateway to the question that found it, and to the edit that Discord heard; ${jobs.length} jobs of natural lengths,
with a clock ${CLOCK_SPEED} times as fast for all three: the machine's own time counts ${CLOCK_SPEED}-fold here.
`);
  console.log(table(['seconds', 'jobs', 'found p50', 'p95', 'half a gap', 'ratio', 'shown p50', 'p95'], rows));
}

/** The bot's own part, by the machine's clock: from the question that found the end to the edit that shows it. */
export async function measureOurs(): Promise<void> {
  const planned = Array.from({ length: JOBS }, (_, number): JobInput => {
    return { ends: number % 2 === 0 ? 'image' : 'fails', times: 1 };
  });
  const jobs = await runJobs({ jobs: planned, everyMs: EVERY_MS }, { clockSpeed: 1, gatewaySpeed: GATEWAY_SPEED });
  const names = { fails: 'failed, no media', image: 'one image of 1 MB' } as const;
  const rows = (['fails', 'image'] as const).map((ends) => {
    const ours = jobs.filter((job) => job.ends === ends).map((job) => job.ours);
    return [
      names[ends],
      String(ours.length),
      ...[median(ours), Math.min(...ours), Math.max(...ours)].map((ms) => ms.toFixed(0)),
      `${((100 * median(ours)) / (EARLY_GAP_MS / 2)).toFixed(1)} %`,
    ];
  });
  console.log(`
From the poll that found the end to the edit that Discord heard, in milliseconds of the machine's clock; an image is fetched, examined
and uploaded in between.
`);
  console.log(table(['', 'jobs', 'median', 'least', 'max', 'median of half a gap'], rows));
}

const seconds = (ms: number): string => (ms / SECOND_MS).toFixed(2);
