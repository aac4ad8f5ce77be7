import { setTimeout as sleep } from 'node:timers/promises';

/** Loaded with `--import` before the measured program, which does not know about it: reports its memory use on request. */

export interface MemoryUse {
  residentBytes: number;
  heapBytes: number;
}

const CHECK_INTERVAL_MS = 200;
const IDLE_MICROS = 8_000;
const MAX_CHECKS = 60;
const COLLECTION_COUNT = 3;

process.on('message', () => void measureMemory());
// The listener must not keep the process alive, because the measured program has to end as it does without one.
process.channel?.unref();

async function measureMemory(): Promise<void> {
  await waitUntilIdle();
  // Collected memory returns to the system a little later, and a second collection finds the objects released by finalizers.
  for (let collection = 0; collection < COLLECTION_COUNT; collection++) {
    globalThis.gc?.();
    await sleep(CHECK_INTERVAL_MS / COLLECTION_COUNT);
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ residentBytes: rss, heapBytes: heapUsed } satisfies MemoryUse);
}

/** Waits until the client is idle, because ten thousand servers keep it busy after READY. */
async function waitUntilIdle(): Promise<void> {
  for (let checks = 0; checks < MAX_CHECKS; checks++) {
    const cpuBefore = process.cpuUsage();
    await sleep(CHECK_INTERVAL_MS);
    const { user, system } = process.cpuUsage(cpuBefore);
    if (user + system < IDLE_MICROS) return;
  }
  throw new Error('The measured process did not become idle.');
}
