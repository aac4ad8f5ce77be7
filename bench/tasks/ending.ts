import { median, percentile, table } from '../table.ts';
import { CLOCK_SPEED } from './day.ts';
import type { JobFigures, JobInput } from './job-orders.ts';
import { runJobs } from './jobs.ts';

const SECOND_MS = 1_000;
/** The specification's schedule: how often a job is polled in its first half minute and after it. */
const FIRST_PHASE_MS = 30 * SECOND_MS;
const FIRST_INTERVAL_MS = 2.5 * SECOND_MS;
const LATER_INTERVAL_MS = 7.5 * SECOND_MS;

const JOBS = 24;
const ORDER_INTERVAL_MS = 300;
/** At this speed a job takes about four seconds. */
const GATEWAY_SPEED = 10;

/** Reports how long after the gateway finishes a job the member sees the result, and how much of that delay comes from polling. */
export function reportSchedule(jobs: readonly JobFigures[]): void {
  const groups = [
    {
      name: 'at most 30 s long',
      intervalMs: FIRST_INTERVAL_MS,
      jobs: jobs.filter(({ durationMs }) => durationMs <= FIRST_PHASE_MS),
    },
    {
      name: 'longer',
      intervalMs: LATER_INTERVAL_MS,
      jobs: jobs.filter(({ durationMs }) => durationMs > FIRST_PHASE_MS),
    },
  ];
  const rows = groups.map(({ name, intervalMs, jobs: group }) => {
    const foundDelays = group.map(({ untilFound }) => untilFound);
    const shownDelays = group.map(({ delay }) => delay);
    return [
      name,
      String(group.length),
      seconds(median(foundDelays)),
      seconds(percentile(foundDelays, 0.95)),
      seconds(intervalMs / 2),
      (median(foundDelays) / (intervalMs / 2)).toFixed(2),
      seconds(median(shownDelays)),
      seconds(percentile(shownDelays, 0.95)),
    ];
  });
  console.log(`
From the end of a job at the gateway to the poll that found it, and to the edit that Discord received; ${jobs.length} jobs of realistic
length. The clock runs ${CLOCK_SPEED} times faster, so real processing time is multiplied by ${CLOCK_SPEED} here.
`);
  console.log(table(['seconds', 'jobs', 'found p50', 'p95', 'half the interval', 'ratio', 'shown p50', 'p95'], rows));
}

/** Measures the bot's own delay in real time: from the poll that found the end to the edit that shows it. */
export async function measureBotDelay(): Promise<void> {
  const jobInputs = Array.from({ length: JOBS }, (_, number): JobInput => {
    return { ends: number % 2 === 0 ? 'image' : 'fails', times: 1 };
  });
  const jobs = await runJobs(
    { jobs: jobInputs, everyMs: ORDER_INTERVAL_MS },
    { clockSpeed: 1, gatewaySpeed: GATEWAY_SPEED },
  );
  const names = { fails: 'failed, no media', image: 'one image of 1 MB' } as const;
  const rows = (['fails', 'image'] as const).map((ends) => {
    const delays = jobs.filter((job) => job.ends === ends).map((job) => job.botDelay);
    return [
      names[ends],
      String(delays.length),
      ...[median(delays), Math.min(...delays), Math.max(...delays)].map((ms) => ms.toFixed(0)),
      `${((100 * median(delays)) / (FIRST_INTERVAL_MS / 2)).toFixed(1)}%`,
    ];
  });
  console.log(`
From the poll that found the end to the edit that Discord received, in milliseconds of real time; an image is fetched, examined
and uploaded in between.
`);
  console.log(table(['', 'jobs', 'median', 'min', 'max', 'median as % of half the poll interval'], rows));
}

const seconds = (ms: number): string => (ms / SECOND_MS).toFixed(2);
