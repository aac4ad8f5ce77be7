import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, messageFrom, start } from '../discord/child.ts';
import type { MemoryUse } from '../discord/memory-probe.ts';
import { table } from '../table.ts';
import { startBot } from '../tasks/bot.ts';
import { StoreFolder } from '../tasks/store-folder.ts';
import type { LoadCommand, LoadServerInfo, LoadState } from './orders.ts';

const JOB_COUNT = 500;
/** This many jobs are requested before the progress is checked. */
const BATCH_SIZE = 10;
const CHECK_INTERVAL_MS = 500;
const TARGET_MIB = 200;
const MIB = 2 ** 20;

/** Measures the peak memory of the bot's process, as recorded by the kernel, while many results of two megabytes arrive. */
export async function measureLoad(): Promise<void> {
  const folder = await StoreFolder.open();
  const embeddedServers = start(new URL('sides.ts', import.meta.url));
  try {
    const { settings } = await messageFrom<LoadServerInfo>(embeddedServers);
    const file = await folder.createStore({ tasks: 0, ageMs: 0 });
    const probe = new URL('../discord/memory-probe.ts', import.meta.url).href;
    const bot = startBot({ ...settings, STORE_URL: `sqlite://${file}`, LOG_LEVEL: 'info' }, [
      '--expose-gc',
      '--import',
      probe,
    ]);
    try {
      await bot.ready;
      const pid = bot.process.pid ?? 0;
      const memoryAtStart = await residentMemoryOf(pid);
      let state = await requestJobs(BATCH_SIZE);
      for (let jobs = BATCH_SIZE; jobs < JOB_COUNT; jobs += BATCH_SIZE) state = await requestJobs(BATCH_SIZE);
      const memoryAfterOrders = await residentMemoryOf(pid);
      const endedEarly = state.ended;
      while (state.shown < JOB_COUNT) {
        await sleep(CHECK_INTERVAL_MS);
        state = await requestJobs(0);
      }
      const memoryAtEnd = await residentMemoryOf(pid);
      bot.process.send('measure-memory');
      const { residentBytes } = await messageFrom<MemoryUse>(bot.process);
      report({ memoryAtStart, memoryAfterOrders, memoryAtEnd, finalBytes: residentBytes, endedEarly });
    } finally {
      await end(bot.process);
    }
  } finally {
    await Promise.all([end(embeddedServers), folder.close()]);
  }

  function requestJobs(jobs: number): Promise<LoadState> {
    embeddedServers.send({ jobs } satisfies LoadCommand);
    return messageFrom<LoadState>(embeddedServers);
  }
}

interface ResidentMemory {
  now: number;
  max: number;
}

async function residentMemoryOf(pid: number): Promise<ResidentMemory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytesOf = (name: string): number => 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { now: bytesOf('VmRSS'), max: bytesOf('VmHWM') };
}

interface Figures {
  memoryAtStart: ResidentMemory;
  memoryAfterOrders: ResidentMemory;
  memoryAtEnd: ResidentMemory;
  finalBytes: number;
  endedEarly: number;
}

function report({ memoryAtStart, memoryAfterOrders, memoryAtEnd, finalBytes, endedEarly }: Figures): void {
  const mib = (bytes: number): string => (bytes / MIB).toFixed(0);
  console.log(`
${JOB_COUNT} image jobs, of which ${JOB_COUNT - endedEarly} were still in flight when the last one was ordered, each with a result of two megabytes; MiB of the bot's
own process, as reported by the kernel. Target: at most ${TARGET_MIB}.
`);
  const rows = [
    ['when ready', mib(memoryAtStart.now)],
    ['peak until all are ordered', mib(memoryAfterOrders.max)],
    ['peak until all are shown', mib(memoryAtEnd.max)],
    ['at the end, after a garbage collection', mib(finalBytes)],
  ];
  console.log(table(['', 'MiB'], rows));
}
