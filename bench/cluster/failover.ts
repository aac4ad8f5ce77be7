import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '../table.ts';
import type { LoadFigures } from './orders.ts';
import type { BotProcess } from './process.ts';
import { range } from './range.ts';
import { PARTITIONS, type Stage } from './stage.ts';

/** The bot's default. */
const LEASE_SECONDS = 10;
/** A suspended process is resumed after this time, which is longer than its lease. */
const SUSPENDED_MS = 20_000;
const LOAD = { perSecond: 10, seconds: 20 };
/** Members are active for this long before anything happens. */
const WARM_UP_MS = 2_000;

const events = {
  kill: 'killed, on the same machine',
  suspend: `suspended, lease of ${LEASE_SECONDS} s`,
  stop: 'stopped with SIGTERM',
  join: 'another worker joins',
} as const;
type Event = keyof typeof events;

interface Observed {
  /**
   * The time until the first, and the last, partition of the lost worker has another owner; for a worker that joins, the time from its start until it has its
   * share.
   */
  firstSeconds: number;
  lastSeconds: number;
  load: LoadFigures;
  exitCode: number | null | undefined;
}

/** How long partitions are without an owner, and what their members see in the meantime. */
export async function measureFailover(stage: Stage, rounds: number): Promise<void> {
  const results: Record<Event, Observed[]> = { kill: [], suspend: [], stop: [], join: [] };
  for (let round = 0; round < rounds; round++)
    for (const event of Object.keys(events) as Event[]) {
      results[event].push(await observed(stage, event));
      await stage.clear();
    }
  report(results, rounds);
}

async function observed(stage: Stage, event: Event): Promise<Observed> {
  const { workers } = await stage.startCluster(event === 'join' ? 1 : 2);
  await stage.connected(1);
  const [stays, leaves] = workers;
  if (!stays) throw new Error('There is no worker.');
  const before = new Set(stays.owned.keys());
  const partitions = leaves ? [...leaves.owned.keys()] : undefined;
  const loading = stage.ask('load', { ...LOAD, ...(partitions && { partitions }) });
  await sleep(WARM_UP_MS);
  const at = Date.now();
  if (!leaves) {
    const joins = stage.start('worker');
    await joins.until(() => joins.owned.size === PARTITIONS / 2);
    return { ...secondsSince(at, joins, new Set()), load: await loading, exitCode: undefined };
  }
  if (event === 'kill') leaves.signal('SIGKILL');
  else if (event === 'suspend') leaves.signal('SIGSTOP');
  else process.kill(leaves.pid, 'SIGTERM');
  await stays.until(() => stays.owned.size === PARTITIONS);
  const load = await loading;
  if (event === 'suspend') {
    await sleep(Math.max(0, at + SUSPENDED_MS - Date.now()));
    leaves.signal('SIGCONT');
  }
  return { ...secondsSince(at, stays, before), load, exitCode: await leaves.ended };
}

function secondsSince(at: number, { owned }: BotProcess, before: ReadonlySet<number>) {
  const taken = [...owned].filter(([partition]) => !before.has(partition)).map(([, time]) => (time - at) / 1_000);
  return { firstSeconds: Math.min(...taken), lastSeconds: Math.max(...taken) };
}

function report(results: Record<Event, Observed[]>, rounds: number): void {
  const rows = (Object.keys(events) as Event[]).map((event) => {
    const of = (pick: (one: Observed) => number): number[] => results[event].map(pick);
    return [
      events[event],
      range(
        of(({ firstSeconds }) => firstSeconds),
        1,
      ),
      range(
        of(({ lastSeconds }) => lastSeconds),
        1,
      ),
      range(
        of(({ load }) => Math.max(...load.milliseconds) / 1_000),
        1,
      ),
      range(
        of(({ load }) => load.missed),
        0,
      ),
      [...new Set(results[event].map(({ exitCode }) => endOf(exitCode)))].join(', '),
    ];
  });
  console.log(`
Two workers with half of ${PARTITIONS} partitions each, one of which is lost; or one with all partitions, and another one that joins, timed from the start of its process. In the meantime, members
use \`/models\` ${LOAD.perSecond} times a second for ${LOAD.seconds} s in the servers of the lost worker, or in all. An interaction that waits for two seconds is answered by the shard process, which
asks its member to try again. Median (minimum to maximum) of ${rounds} rounds; seconds.
`);
  console.log(
    table(['', 'first partition', 'last partition', 'slowest answer', 'without an answer', 'exit code'], rows),
  );
}

function endOf(exitCode: number | null | undefined): string {
  if (exitCode === undefined) return '-';
  return exitCode === null ? 'killed' : String(exitCode);
}
