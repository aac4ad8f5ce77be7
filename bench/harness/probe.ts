import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import type { Call } from './program.ts';

/** Loaded with `--import` before the measured program, which does not know about it: reports its memory, CPU time and open resources on request. */

export interface Usage {
  residentBytes: number;
  heapBytes: number;
  /** What objects of the heap hold outside it, such as buffers. */
  externalBytes: number;
  cpuMicros: number;
}

const CHECK_INTERVAL_MS = 200;
const IDLE_MICROS = 8_000;
const MAX_CHECKS = 60;
const COLLECTION_COUNT = 3;

/** Node does not export the class of its timers. */
const Timeout = setTimeout(() => undefined).constructor;

const calls = {
  usage(): Usage {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { residentBytes: rss, heapBytes: heapUsed, externalBytes: external, cpuMicros: user + system };
  },
  /** Collected memory returns to the system a little later, and a second collection finds the objects released by finalizers. */
  async collectedUsage(): Promise<Usage> {
    for (let collection = 0; collection < COLLECTION_COUNT; collection++) {
      globalThis.gc?.();
      await sleep(CHECK_INTERVAL_MS);
    }
    return calls.usage();
  },
  /** Waits until the program is idle, because ten thousand servers keep it busy after READY. */
  async idleUsage(): Promise<Usage> {
    for (let checks = 0; checks < MAX_CHECKS; checks++) {
      const cpuBefore = process.cpuUsage();
      await sleep(CHECK_INTERVAL_MS);
      const { user, system } = process.cpuUsage(cpuBefore);
      if (user + system < IDLE_MICROS) return calls.collectedUsage();
    }
    throw new Error('The measured process did not become idle.');
  },
  /** Sockets, pipes, files and the like that are open, and timers, of which Node lists only those that keep a process alive. */
  openResources(): { handles: string[]; timers: number } {
    const handles = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && name !== 'Immediate');
    return { handles, timers: queryObjects(Timeout, { format: 'count' }) };
  },
};
export type ProbeCalls = typeof calls;

process.on('message', async ({ id, name }: Call) => {
  process.send?.({ id, output: await calls[name as keyof ProbeCalls]() });
});
// The listener must not keep the process alive, because the measured program has to end as it does without one.
process.channel?.unref();
