import type { JobFigures, JobInput } from './job-orders.ts';
import { runJobs } from './jobs.ts';

const JOBS = 100;
/** Short, usual and long jobs: about 16, 40 and 80 seconds. */
const DURATION_FACTORS = [0.4, 1, 2] as const;
const ORDER_INTERVAL_MS = 80;
/** The embedded servers and the bot share a clock that runs this many times as fast; otherwise the run would take several minutes. */
export const CLOCK_SPEED = 4;

/** Runs jobs like those of a real gateway: of all lengths, every other one with an image. */
export async function runMixedJobs(): Promise<JobFigures[]> {
  const jobs = Array.from({ length: JOBS }, (_, number): JobInput => {
    return {
      ends: number % 2 === 0 ? 'image' : 'fails',
      times: DURATION_FACTORS[number % DURATION_FACTORS.length] ?? 1,
    };
  });
  return runJobs({ jobs, everyMs: ORDER_INTERVAL_MS }, { clockSpeed: CLOCK_SPEED, gatewaySpeed: 1 });
}
