import { messageFrom } from '../discord/child.ts';
import type { MemoryUse } from '../discord/weigh.ts';
import { median, table } from '../table.ts';
import { Scene } from './scene.ts';

const ROUNDS = 2;
const TASKS = [0, 10_000, 50_000] as const;
const HOUR_MS = 3_600_000;

/** Each task is polled once, so that the engine's own data for it is measured too, and then not again for minutes. */
const settings = { GATEWAY_POLLS_PER_SECOND: '10000', GATEWAY_CONNECTIONS: '64' };

/** Measures the memory of the shipped bot with this many live tasks, once nothing is left to collect. */
export async function measureMemory(): Promise<void> {
  const results = TASKS.map((): MemoryUse[] => []);
  const scene = await Scene.open();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [at, tasks] of TASKS.entries()) results[at]?.push(await measureBot(scene, tasks));
    }
  } finally {
    await scene.close();
  }
  report(results);
}

async function measureBot(scene: Scene, tasks: number): Promise<MemoryUse> {
  const probe = new URL('../discord/weigh.ts', import.meta.url).href;
  const { bot } = await scene.launchBot({
    storeContent: { tasks, ageMs: 2 * HOUR_MS },
    polls: tasks,
    settings,
    nodeOptions: ['--expose-gc', '--import', probe],
  });
  bot.send('weigh');
  const memoryUse = await messageFrom<MemoryUse>(bot);
  await scene.stopBot(bot);
  return memoryUse;
}

function report(results: readonly MemoryUse[][]): void {
  const medianOf = (at: number, pick: (use: MemoryUse) => number): number => median(results[at]?.map(pick) ?? []);
  const resident = (at: number): number => medianOf(at, ({ residentBytes }) => residentBytes);
  const heap = (at: number): number => medianOf(at, ({ heapBytes }) => heapBytes);
  const mb = (bytes: number): string => (bytes / 1_000_000).toFixed(1);
  const bytesPerTask = (at: number, bytesAt: (at: number) => number): string => {
    const additionalTasks = (TASKS[at] ?? 0) - (TASKS[at - 1] ?? 0);
    return at === 0 ? '' : Math.round((bytesAt(at) - bytesAt(at - 1)) / additionalTasks).toLocaleString('en');
  };
  const rows = TASKS.map((tasks, at) => [
    `${tasks.toLocaleString('en')} live tasks`,
    mb(resident(at)),
    bytesPerTask(at, resident),
    mb(heap(at)),
    bytesPerTask(at, heap),
  ]);
  console.log(`
The shipped bot after one poll of each task and a garbage collection; MB of 1,000,000 bytes, median of ${ROUNDS} processes.
Bytes are per additional task compared with the row above; the first rows include memory that Node reserves once for short-lived objects.
`);
  console.log(table(['', 'RSS MB', 'bytes/task', 'heap MB', 'bytes/task'], rows));
}
