import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { end, messageFrom, start } from '../discord/child.ts';
import type { MemoryUse } from '../discord/weigh.ts';
import { table } from '../table.ts';
import { startBot } from '../tasks/bot.ts';
import { StoreFolder } from '../tasks/store-folder.ts';
import type { LoadCommand, LoadServerInfo, LoadState } from './orders.ts';

const JOBS = 500;
/** This many jobs are requested before the progress is checked. */
const BATCH = 10;
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
    const probe = new URL('../discord/weigh.ts', import.meta.url).href;
    const bot = startBot({ ...settings, STORE_URL: `sqlite://${file}`, LOG_LEVEL: 'info' }, [
      '--expose-gc',
      '--import',
      probe,
    ]);
    try {
      await bot.ready;
      const pid = bot.process.pid ?? 0;
      const before = await resident(pid);
      let state = await requestJobs(BATCH);
      for (let jobs = BATCH; jobs < JOBS; jobs += BATCH) state = await requestJobs(BATCH);
      const ordered = await resident(pid);
      const endedEarly = state.ended;
      while (state.shown < JOBS) {
        await sleep(CHECK_INTERVAL_MS);
        state = await requestJobs(0);
      }
      const after = await resident(pid);
      bot.process.send('weigh');
      const { residentBytes } = await messageFrom<MemoryUse>(bot.process);
      report({ before, ordered, after, left: residentBytes, endedEarly });
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

interface Resident {
  now: number;
  max: number;
}

async function resident(pid: number): Promise<Resident> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytesOf = (name: string): number => 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { now: bytesOf('VmRSS'), max: bytesOf('VmHWM') };
}

interface Figures {
  before: Resident;
  ordered: Resident;
  after: Resident;
  left: number;
  endedEarly: number;
}

function report({ before, ordered, after, left, endedEarly }: Figures): void {
  const mib = (bytes: number): string => (bytes / MIB).toFixed(0);
  console.log(`
${JOBS} image jobs, of which ${JOBS - endedEarly} were still in flight when the last one was ordered, each with a result of two megabytes; MiB of the bot's
own process, as reported by the kernel. Target: at most ${TARGET_MIB}.
`);
  const rows = [
    ['when ready', mib(before.now)],
    ['peak until all are ordered', mib(ordered.max)],
    ['peak until all are shown', mib(after.max)],
    ['at the end, after a collection', mib(left)],
  ];
  console.log(table(['', 'MiB'], rows));
}
