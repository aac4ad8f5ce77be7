import type { JobFigures, JobInput } from './job-orders.ts';
import { runJobs } from './jobs.ts';

const JOBS = 100;
/** Short, usual and long jobs: about 16, 40 and 80 seconds. */
const TIMES = [0.4, 1, 2] as const;
const EVERY_MS = 80;
/** The embedded servers and the bot share a clock that runs this many times as fast; otherwise the run would take several minutes. */
export const CLOCK_SPEED = 4;

/** Jobs as at a real gateway: of all lengths, and every other one with an image. */
export async function dayOfJobs(): Promise<JobFigures[]> {
  const jobs = Array.from({ length: JOBS }, (_, number): JobInput => {
    return { ends: number % 2 === 0 ? 'image' : 'fails', times: TIMES[number % TIMES.length] ?? 1 };
  });
  return runJobs({ jobs, everyMs: EVERY_MS }, { clockSpeed: CLOCK_SPEED, gatewaySpeed: 1 });
}
