import { measureEdits } from './edits.ts';
import { measureLatency } from './latency.ts';
import { measureMemory } from './memory.ts';
import { measureReady } from './ready.ts';

/** Measures one table after the other, so that no measurement shares the machine with another. */
export async function measureDiscord(): Promise<void> {
  await measureLatency();
  await measureEdits();
  await measureReady();
  await measureMemory();
}
