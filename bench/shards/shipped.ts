import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterHarness, PARTITIONS } from '../cluster/stage.ts';
import type { BenchServer } from '../cluster/store.ts';
import type { Bot } from '../harness/bot.ts';
import { cpuTime, peakResidentBytes, processesOf, residentBytes } from '../harness/processes.ts';
import { percentile, table } from '../table.ts';
import { GUILDS_PER_SHARD, nameOf, type Shape, shapes } from './shapes.ts';

const IDLE_MS = 10_000;
const LOAD_SECONDS = 20;
const MB = 1_000_000;

interface Measurement {
  connectedSeconds: number;
  /** The total of all shard processes. */
  cpuMs: number;
  /** For each shard process. */
  rssBytes: number[];
  peakRssBytes: number[];
  /** The total, as a share of a core. */
  idleShare: number;
  loadedShare: number;
  milliseconds: number[];
  missed: number;
  serversBytes: number;
}

interface ShippedOptions {
  perSecond: number;
  maxConcurrency: number;
}

/** Measures the shipped shard processes between the embedded Discord and one worker that answers. */
export async function measureShipped(server: BenchServer, options: ShippedOptions): Promise<void> {
  const results: [Shape, Measurement][] = [];
  for (const shape of shapes) results.push([shape, await measureShape(server, shape, options)]);
  report(results, options);
}

async function measureShape(
  server: BenchServer,
  { shards, processes }: Shape,
  { perSecond, maxConcurrency }: ShippedOptions,
): Promise<Measurement> {
  const guilds = shards * GUILDS_PER_SHARD;
  const harness = await ClusterHarness.create(server, { guilds, shards, maxConcurrency, isIdentifyLimited: true });
  try {
    const worker = harness.start('worker');
    await worker.ready;
    await worker.waitUntil(() => worker.ownedSince.size === PARTITIONS);
    const startedAt = performance.now();
    const shardProcesses = Array.from({ length: processes }, () => harness.start('shard'));
    await harness.waitForSessions(shards);
    const connectedSeconds = (performance.now() - startedAt) / 1_000;
    await Promise.all(shardProcesses.map(({ ready }) => ready));
    const cpuMs = await cpuOf(shardProcesses);
    const cpuShareDuring = async (ms: number, work: () => Promise<unknown>): Promise<number> => {
      const cpuBefore = await cpuOf(shardProcesses);
      await work();
      return ((await cpuOf(shardProcesses)) - cpuBefore) / ms;
    };
    const idleShare = await cpuShareDuring(IDLE_MS, () => sleep(IDLE_MS));
    let figures = { milliseconds: [] as number[], missed: 0 };
    const loadedShare = await cpuShareDuring(1_000 * LOAD_SECONDS, async () => {
      figures = await harness.request('load', { perSecond, seconds: LOAD_SECONDS });
    });
    return {
      connectedSeconds,
      cpuMs,
      idleShare,
      loadedShare,
      ...figures,
      rssBytes: await Promise.all(shardProcesses.map(({ pid }) => residentBytes(pid))),
      peakRssBytes: await Promise.all(shardProcesses.map(({ pid }) => peakResidentBytes(pid))),
      serversBytes: await residentBytes(harness.embeddedServersPid),
    };
  } finally {
    await harness.close();
  }
}

const cpuOf = async (shardProcesses: readonly Bot[]): Promise<number> =>
  cpuTime((await Promise.all(shardProcesses.map(({ pid }) => processesOf(pid)))).flat());

function report(results: readonly [Shape, Measurement][], { perSecond, maxConcurrency }: ShippedOptions): void {
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const rows = results.map(([shape, one]) => [
    nameOf(shape),
    one.connectedSeconds.toFixed(1),
    (one.cpuMs / 1_000).toFixed(1),
    (sum(one.rssBytes) / MB).toFixed(0),
    (sum(one.rssBytes) / MB / shape.shards).toFixed(1),
    (sum(one.peakRssBytes) / MB).toFixed(0),
    `${(100 * one.idleShare).toFixed(1)}%`,
    `${(100 * one.loadedShare).toFixed(1)}%`,
    percentile(one.milliseconds, 0.5).toFixed(1),
    percentile(one.milliseconds, 0.99).toFixed(1),
    String(one.missed),
    (one.serversBytes / MB).toFixed(0),
  ]);
  console.log(`
Shard processes as shipped (intents 0: Discord lists each server's id in READY, and sends no GUILD_CREATE), max_concurrency ${maxConcurrency}; one worker answers
${perSecond} \`/models\` a second, spread over all servers. Memory is RSS, MB of 1,000,000 bytes: of all shard processes after ${LOAD_SECONDS} s of this, per shard, and the peak; CPU until
connected in seconds, then as a share of one core, of all shard processes. The last column is the embedded Discord, in a separate process.
`);
  console.log(
    table(
      [
        '',
        'connected s',
        'CPU s',
        'MB',
        'MB/shard',
        'peak MB',
        'idle',
        'loaded',
        'p50 ms',
        'p99 ms',
        'missed',
        'Discord MB',
      ],
      rows,
    ),
  );
  extrapolate(results);
}

/** Fits a line through the results for the smallest and the largest number of shards in one process. */
function extrapolate(results: readonly [Shape, Measurement][]): void {
  const singleProcessResults = results.filter(([{ processes }]) => processes === 1);
  const [smallest, largest] = [singleProcessResults[0], singleProcessResults.at(-1)];
  if (!smallest || !largest || smallest === largest) return;
  const bytes = ([, { rssBytes }]: [Shape, Measurement]): number => rssBytes[0] ?? 0;
  // The memory of one shard can be less than the variation between two processes, which could make this negative.
  const byShard = Math.max(0, (bytes(largest) - bytes(smallest)) / (largest[0].shards - smallest[0].shards));
  const byProcess = bytes(smallest) - byShard * smallest[0].shards;
  const shards = 100;
  console.log(`
Extrapolated from ${smallest[0].shards} and ${largest[0].shards} shards in one process, not measured: ${(byProcess / MB).toFixed(0)} MB per process and ${(byShard / MB).toFixed(2)} MB per shard; ${shards} shards with ${(shards * GUILDS_PER_SHARD).toLocaleString('en')}
servers in 4 processes would take ${((4 * byProcess + shards * byShard) / MB).toFixed(0)} MB.`);
}
