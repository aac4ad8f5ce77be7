import { runMixedJobs } from './day.ts';
import { reportEdits } from './edits.ts';
import { measureBotDelay, reportSchedule } from './ending.ts';
import { measureMemory } from './memory.ts';
import { measurePages } from './pages.ts';
import { measurePolls } from './polls.ts';
import { measureRestart } from './restart.ts';

/** Runs the benchmarks one at a time, so that they do not compete for the machine. */
export async function measureTasks(): Promise<void> {
  await measureRestart();
  await measureMemory();
  await measurePages();
  const jobs = await runMixedJobs();
  reportSchedule(jobs);
  await measureBotDelay();
  reportEdits(jobs);
  await measurePolls();
}
