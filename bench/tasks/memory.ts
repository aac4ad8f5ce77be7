import type { Usage } from '../harness/probe.ts';
import { median, table } from '../table.ts';
import { BotHarness } from './bot-harness.ts';

const ROUNDS = 2;
const TASK_COUNTS = [0, 10_000, 50_000] as const;
const HOUR_MS = 3_600_000;

/** Each task is polled once, so that the engine's data about it is measured too, and is not due again for minutes. */
const settings = { GATEWAY_POLLS_PER_SECOND: '10000', GATEWAY_CONNECTIONS: '64' };

/** Measures the memory of the shipped bot with different numbers of live tasks, each after a garbage collection. */
export async function measureMemory(): Promise<void> {
  const results = TASK_COUNTS.map((): Usage[] => []);
  const harness = await BotHarness.open();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, tasks] of TASK_COUNTS.entries()) results[i]?.push(await measureBot(harness, tasks));
    }
  } finally {
    await harness.close();
  }
  report(results);
}

async function measureBot(harness: BotHarness, tasks: number): Promise<Usage> {
  const { bot } = await harness.launchBot({
    storeContent: { tasks, ageMs: 2 * HOUR_MS },
    polls: tasks,
    settings,
  });
  const memoryUse = await bot.call('idleUsage');
  await harness.stopBot(bot);
  return memoryUse;
}

function report(results: readonly Usage[][]): void {
  const medianOf = (i: number, pick: (use: Usage) => number): number => median(results[i]?.map(pick) ?? []);
  const resident = (i: number): number => medianOf(i, ({ residentBytes }) => residentBytes);
  const heap = (i: number): number => medianOf(i, ({ heapBytes }) => heapBytes);
  const mb = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
  const bytesPerTask = (i: number, bytesAt: (at: number) => number): string => {
    const additionalTasks = (TASK_COUNTS[i] ?? 0) - (TASK_COUNTS[i - 1] ?? 0);
    return i === 0 ? '' : Math.round((bytesAt(i) - bytesAt(i - 1)) / additionalTasks).toLocaleString('en');
  };
  const rows = TASK_COUNTS.map((tasks, i) => [
    `${tasks.toLocaleString('en')} live tasks`,
    mb(resident(i)),
    bytesPerTask(i, resident),
    mb(heap(i)),
    bytesPerTask(i, heap),
  ]);
  console.log(`
The shipped bot after one poll of each task and a garbage collection; MB of 1,000,000 bytes, median of ${ROUNDS} processes.
Bytes are per additional task compared with the row above; the first rows include memory that Node reserves once for short-lived objects.
`);
  console.log(table(['', 'RSS MB', 'bytes/task', 'heap MB', 'bytes/task'], rows));
}
