import { setTimeout as sleep } from 'node:timers/promises';

export interface CpuUse {
  seconds: number;
  cpuMicros: number;
}

/** Lets this process run for a while, and returns the CPU time that it used. */
export async function measureCpuUse(forMs: number): Promise<CpuUse> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await sleep(forMs);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { seconds, cpuMicros: user + system };
}
