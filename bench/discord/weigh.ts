import { setTimeout as sleep } from 'node:timers/promises';

/** Loaded with `--import` before the measured program, which knows nothing of it: says on request what it weighs. */

export interface Weight {
  residentBytes: number;
  heapBytes: number;
}

const LOOK_MS = 200;
const IDLE_MICROS = 8_000;
const MAX_LOOKS = 60;
const COLLECTIONS = 3;

process.on('message', () => void weigh());
// A listener would keep the process alive, and the measured program must end as it does without one.
process.channel?.unref();

async function weigh(): Promise<void> {
  await quiet();
  // What a collection frees goes back to the system a little later, and a second one finds what finalizers let go.
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
