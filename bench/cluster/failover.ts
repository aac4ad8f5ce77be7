import { setTimeout as sleep } from 'node:timers/promises';
import { range } from '../compare.ts';
import type { Bot } from '../harness/bot.ts';
import { table } from '../table.ts';
import type { LoadFigures } from './orders.ts';
import { type ClusterHarness, PARTITIONS } from './stage.ts';

/** The bot's default. */
const LEASE_SECONDS = 10;
/** A suspended process is resumed after this time, which is longer than its lease. */
const SUSPENSION_MS = 20_000;
const LOAD = { perSecond: 10, seconds: 20 };
/** Members are active for this long before the event. */
const WARM_UP_MS = 2_000;

const events = {
  kill: 'killed, on the same machine',
  suspend: `suspended, lease of ${LEASE_SECONDS} s`,
  stop: 'stopped with SIGTERM',
  join: 'another worker joins',
} as const;
type Event = keyof typeof events;

interface Observation {
  /**
   * The time until the first, and the last, partition of the lost worker has another owner; for a worker that joins, the time from its start until it has its
   * share.
   */
  firstSeconds: number;
  lastSeconds: number;
  load: LoadFigures;
  exitCode: number | null | undefined;
}

/** Measures how long partitions are without an owner, and what their members see in the meantime. */
export async function measureFailover(harness: ClusterHarness, rounds: number): Promise<void> {
  const results: Record<Event, Observation[]> = { kill: [], suspend: [], stop: [], join: [] };
  for (let round = 0; round < rounds; round++)
    for (const event of Object.keys(events) as Event[]) {
      results[event].push(await observe(harness, event));
      await harness.clear();
    }
  report(results, rounds);
}

async function observe(harness: ClusterHarness, event: Event): Promise<Observation> {
  const { workers } = await harness.startCluster(event === 'join' ? 1 : 2);
  await harness.waitForSessions(1);
  const [remainingWorker, lostWorker] = workers;
  if (!remainingWorker) throw new Error('There is no worker.');
  const ownedBefore = new Set(remainingWorker.ownedSince.keys());
  const partitions = lostWorker ? [...lostWorker.ownedSince.keys()] : undefined;
  const loadPromise = harness.request('load', { ...LOAD, ...(partitions && { partitions }) });
  await sleep(WARM_UP_MS);
  const eventAt = Date.now();
  if (!lostWorker) {
    const newWorker = harness.start('worker');
    await newWorker.waitUntil(() => newWorker.ownedSince.size === PARTITIONS / 2);
    return { ...secondsSince(eventAt, newWorker, new Set()), load: await loadPromise, exitCode: undefined };
  }
  if (event === 'kill') lostWorker.signal('SIGKILL');
  else if (event === 'suspend') lostWorker.signal('SIGSTOP');
  else process.kill(lostWorker.pid, 'SIGTERM');
  await remainingWorker.waitUntil(() => remainingWorker.ownedSince.size === PARTITIONS);
  const load = await loadPromise;
  if (event === 'suspend') {
    await sleep(Math.max(0, eventAt + SUSPENSION_MS - Date.now()));
    lostWorker.signal('SIGCONT');
  }
  return { ...secondsSince(eventAt, remainingWorker, ownedBefore), load, exitCode: await lostWorker.ended };
}

function secondsSince(eventAt: number, { ownedSince }: Bot, ownedBefore: ReadonlySet<number>) {
  const takeoverSeconds = [...ownedSince]
    .filter(([partition]) => !ownedBefore.has(partition))
    .map(([, time]) => (time - eventAt) / 1_000);
  return { firstSeconds: Math.min(...takeoverSeconds), lastSeconds: Math.max(...takeoverSeconds) };
}

function report(results: Record<Event, Observation[]>, rounds: number): void {
  const rows = (Object.keys(events) as Event[]).map((event) => {
    const valuesOf = (pick: (one: Observation) => number): number[] => results[event].map(pick);
    return [
      events[event],
      range(
        valuesOf(({ firstSeconds }) => firstSeconds),
        1,
      ),
      range(
        valuesOf(({ lastSeconds }) => lastSeconds),
        1,
      ),
      range(
        valuesOf(({ load }) => Math.max(...load.milliseconds) / 1_000),
        1,
      ),
      range(
        valuesOf(({ load }) => load.missed),
        0,
      ),
      [...new Set(results[event].map(({ exitCode }) => exitCodeText(exitCode)))].join(', '),
    ];
  });
  console.log(`
Two workers with half of ${PARTITIONS} partitions each, one of which is lost; or one with all partitions, and another one that joins, timed from the start of its process. In the meantime, members
use \`/models\` ${LOAD.perSecond} times a second for ${LOAD.seconds} s in the servers of the lost worker, or in all. An interaction that waits for one and a half seconds is acknowledged by the shard
process, and its response follows. Median (minimum to maximum) of ${rounds} rounds; seconds.
`);
  console.log(
    table(['', 'first partition', 'last partition', 'slowest response', 'without a response', 'exit code'], rows),
  );
}

function exitCodeText(exitCode: number | null | undefined): string {
  if (exitCode === undefined) return '-';
  return exitCode === null ? 'killed' : String(exitCode);
}
