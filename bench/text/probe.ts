/** Loaded with `--import` before the measured bot, which knows nothing of it: says on request what it weighs and has worked. */

export interface Strain {
  residentBytes: number;
  heapBytes: number;
  cpuMicros: number;
}

process.on('message', (wish: { collect?: boolean }) => {
  if (wish.collect) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ residentBytes: rss, heapBytes: heapUsed, cpuMicros: user + system } satisfies Strain);
});
// Whoever listens is kept alive, and the measured bot should end as it does by itself.
process.channel?.unref();
