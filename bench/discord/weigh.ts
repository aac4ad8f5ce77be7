import { setTimeout as sleep } from 'node:timers/promises';

/** Loaded with `--import` before the measured program, which does not know about it: reports its memory on request. */

export interface Weight {
  residentBytes: number;
  heapBytes: number;
}

const LOOK_MS = 200;
const IDLE_MICROS = 8_000;
const MAX_LOOKS = 60;
const COLLECTIONS = 3;

process.on('message', () => void measureMemory());
// A listener would keep the process alive, and the measured program must end as it does without one.
process.channel?.unref();

async function measureMemory(): Promise<void> {
  await quiet();
  // Collected memory returns to the system a little later, and a second collection finds the objects released by finalizers.
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    globalThis.gc?.();
    await sleep(LOOK_MS / COLLECTIONS);
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ residentBytes: rss, heapBytes: heapUsed } satisfies Weight);
}

/** Ten thousand servers keep a client busy after its READY. */
async function quiet(): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const before = process.cpuUsage();
    await sleep(LOOK_MS);
    const { user, system } = process.cpuUsage(before);
    if (user + system < IDLE_MICROS) return;
  }
  throw new Error('The measured process did not come to rest.');
}
