import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MediaProcess } from '../services/media/media-process.ts';
import { fileOf, IN_MEMORY, isLocal, type StoreAddress } from '../services/store/backend.ts';
import type { Metrics } from './metrics.ts';

/** A finer resolution would wake the process more often. */
const RESOLUTION_MS = 20;
const NANOSECONDS_PER_SECOND = 1e9;
const MICROSECONDS_PER_SECOND = 1e6;

/** Metrics of the process itself. Returns a function that ends the measurement. */
export function measureProcess(metrics: Metrics, version: string): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // Node measures from one timer to the next, so the interval itself is subtracted.
  const seconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / NANOSECONDS_PER_SECOND - RESOLUTION_MS / 1000);
  metrics.registerGauge('eventLoop', () => {
    const statistics = { p50: delay.percentile(50), p99: delay.percentile(99), max: delay.max };
    const readings = Object.entries(statistics).map(([statistic, value]) => ({
      labels: { statistic },
      value: seconds(value),
    }));
    delay.reset();
    return readings;
  });
  metrics.registerGauge('heap', () => [{ labels: {}, value: process.memoryUsage().heapUsed }]);
  metrics.registerGauge('resident', () => [{ labels: {}, value: process.memoryUsage.rss() }]);
  metrics.registerGauge('cpu', () => {
    const { user, system } = process.cpuUsage();
    return [{ labels: {}, value: (user + system) / MICROSECONDS_PER_SECOND }];
  });
  const startedAt = (Date.now() - performance.now()) / 1000;
  metrics.registerGauge('startedAt', () => [{ labels: {}, value: startedAt }]);
  metrics.registerGauge('build', () => [{ labels: { version }, value: 1 }]);
  return () => delay.disable();
}

export function measureFiles(metrics: Metrics, mediaProcess: MediaProcess, store: StoreAddress): void {
  metrics.registerGauge('mediaMemory', async () => [{ labels: {}, value: await mediaProcess.residentBytes() }]);
  metrics.registerGauge('mediaJobs', () =>
    Object.entries(mediaProcess.load).map(([state, value]) => ({ labels: { state }, value })),
  );
  const file = isLocal(store) ? fileOf(store) : IN_MEMORY;
  const disks = [
    ...(file === IN_MEMORY ? [] : [{ disk: 'store', path: dirname(file) }]),
    { disk: 'files', path: tmpdir() },
  ];
  const sizes = async () =>
    Promise.all(disks.map(async ({ disk, path }) => ({ labels: { disk }, size: await statfs(path) })));
  metrics.registerGauge('diskFree', async () =>
    (await sizes()).map(({ labels, size: { bavail, bsize } }) => ({ labels, value: bavail * bsize })),
  );
  metrics.registerGauge('diskSize', async () =>
    (await sizes()).map(({ labels, size: { blocks, bsize } }) => ({ labels, value: blocks * bsize })),
  );
}
