/** Loaded with `--import` before the measured bot, which does not know about it: reports its memory and CPU time on request. */

export interface ProcessUsage {
  residentBytes: number;
  heapBytes: number;
  cpuMicros: number;
}

process.on('message', (input: { collect?: boolean }) => {
  if (input.collect) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ residentBytes: rss, heapBytes: heapUsed, cpuMicros: user + system } satisfies ProcessUsage);
});
// The listener would keep the process alive, but the measured bot must exit as it does without the probe.
process.channel?.unref();
