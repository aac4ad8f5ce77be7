import { range } from '../compare.ts';
import type { Bot } from '../harness/bot.ts';
import { residentBytes } from '../harness/processes.ts';
import { median, table } from '../table.ts';
import { type ClusterHarness, PARTITIONS } from './stage.ts';

const LOAD = { perSecond: 20, seconds: 10 };
const MB = 1_000_000;
interface MemoryUse {
  /** After some use, as the operating system reports it. */
  used: number;
  /** The same after garbage collection. */
  collected: number;
  heap: number;
}

type Results = Map<string, MemoryUse[]>;

/**
 * Measures the memory of each kind of process after some use. Each worker owns its share of the partitions, so several
 * shares need several workers.
 */
export async function measureMemory(harness: ClusterHarness, rounds: number): Promise<void> {
  const results: Results = new Map();
  for (let round = 0; round < rounds; round++) {
    const all = harness.start('all');
    await all.ready;
    await harness.waitForSessions(1);
    await harness.request('load', LOAD);
    await recordMemory(results, 'all', [all]);
    await harness.clear();
    for (const { workers, partitions } of [
      { workers: 1, partitions: PARTITIONS },
      { workers: 2, partitions: PARTITIONS },
      { workers: 1, partitions: 1 },
    ]) {
      const settings = { PARTITIONS: String(partitions) };
      const cluster = await harness.startCluster(workers, { settings, partitions });
      await harness.waitForSessions(1);
      await harness.request('load', LOAD);
      await recordMemory(results, `worker with ${partitions / workers} of ${partitions} partitions`, cluster.workers);
      if (workers === 1) await recordMemory(results, `shard process, ${partitions} partitions`, [cluster.shard]);
      await harness.clear();
    }
  }
  report(results, rounds);
}

async function recordMemory(results: Results, name: string, processes: readonly Bot[]): Promise<void> {
  const measurements = results.get(name) ?? [];
  for (const one of processes) {
    const used = await residentBytes(one.pid);
    const { residentBytes: collected, heapBytes: heap } = await one.call('collectedUsage');
    measurements.push({ used, collected, heap });
  }
  results.set(name, measurements);
}

function report(results: Results, rounds: number): void {
  const rows = [...results].map(([name, measurements]) => [
    name,
    range(
      measurements.map(({ used }) => used / MB),
      0,
    ),
    range(
      measurements.map(({ collected }) => collected / MB),
      0,
    ),
    (median(measurements.map(({ heap }) => heap)) / MB).toFixed(0),
  ]);
  console.log(`
RSS of each process in MB of 1,000,000 bytes, after ${LOAD.perSecond * LOAD.seconds} interactions, and after a garbage collection; median (minimum to maximum) of ${rounds} rounds.
A worker, or \`all\`, starts a media process with the first file.
`);
  console.log(table(['', 'MB', 'after a collection', 'heap'], rows));
}
