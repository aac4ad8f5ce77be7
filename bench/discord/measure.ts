import { measureEdits } from './edits.ts';
import { measureLatency } from './latency.ts';
import { measureMemory } from './memory.ts';
import { measureReady } from './ready.ts';

/** Runs the benchmarks one at a time, so that they do not compete for the machine. */
export async function measureDiscord(): Promise<void> {
  await measureLatency();
  await measureEdits();
  await measureReady();
  await measureMemory();
}
