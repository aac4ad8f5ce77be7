import { setTimeout as sleep } from 'node:timers/promises';

export interface Counted {
  seconds: number;
  cpuMicros: number;
}

/** Lets this process run for a while, and returns the processor time that it used. */
export async function counted(forMs: number): Promise<Counted> {
  const before = process.cpuUsage();
  const begun = performance.now();
  await sleep(forMs);
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuMicros: user + system };
}
