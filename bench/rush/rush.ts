import { setTimeout as sleep } from 'node:timers/promises';
import { Bot } from '../harness/bot.ts';
import { cpuTime, processesOf, proportionalBytes } from '../harness/processes.ts';
import { StoreFolder } from '../tasks/store-folder.ts';
import { startDiscord } from './discord.ts';
import { startGateway } from './gateway.ts';

const SAMPLE_INTERVAL_MS = 250;

export interface RushFigures {
  /** From the end of each job at the gateway to the edit that shows its result. */
  delays: number[];
  acknowledgements: number[];
  pollsPerJob: number;
  /** Of the bot and its children, from READY to the last result. */
  cpuMsPerJob: number;
  /** The most that the bot and its children took at one time, shared pages divided among their users. */
  peakBytes: number;
}

/** Starts the embedded servers and the bot of the source tree in `root`, and orders this many images. */
export async function measureOneRush(jobs: number, root: URL): Promise<RushFigures> {
  const [folder, gateway, discord] = await Promise.all([StoreFolder.open(), startGateway(), startDiscord()]);
  const bot = new Bot(
    {
      ...(await discord.call('settings')),
      GATEWAY_BASE_URL: await gateway.call('url'),
      STORE_URL: `sqlite://${folder.newFile()}`,
      MARK_RESULTS: 'off',
    },
    { hasProbe: false, root },
  );
  try {
    await bot.ready;
    const cpuBefore = await cpuTime(await processesOf(bot.pid));
    const controller = new AbortController();
    const peak = peakBytesOf(bot.pid, controller.signal);
    const orders = await discord.call('order', jobs);
    const cpuAfter = await cpuTime(await processesOf(bot.pid));
    controller.abort();
    const records = await gateway.call('jobs');
    const endTimes = new Map(records.map(({ prompt, finishedAt }) => [prompt, finishedAt]));
    return {
      delays: orders.map(({ prompt, shownAt }) => shownAt - (endTimes.get(prompt) ?? Number.NaN)),
      acknowledgements: orders.map(({ acknowledgedAfterMs }) => acknowledgedAfterMs),
      pollsPerJob: records.reduce((sum, { polls }) => sum + polls, 0) / jobs,
      cpuMsPerJob: (cpuAfter - cpuBefore) / jobs,
      peakBytes: await peak,
    };
  } finally {
    await bot.stop();
    await Promise.all([gateway.stop(), discord.stop(), folder.close()]);
  }
}

async function peakBytesOf(leader: number, signal: AbortSignal): Promise<number> {
  let peak = 0;
  while (!signal.aborted) {
    peak = Math.max(peak, await proportionalBytes(await processesOf(leader)));
    await sleep(SAMPLE_INTERVAL_MS);
  }
  return peak;
}
