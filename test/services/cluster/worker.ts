import { randomUUID } from 'node:crypto';
import { pause, systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { Membership } from '../../../src/services/cluster/membership.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import { openPartitions, openSharedFacts } from '../../../src/services/store/partitions.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { KindSpecs } from '../../../src/services/tasks/kind-spec.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import type { WorkerEvent } from './events.ts';

// A cluster worker that only writes to its partitions, and reports each event as a line on standard output.

const [url = '', lease = '', count = '', machine = ''] = process.argv.slice(2);
const WRITE_EVERY_MS = 50;
const leaseMs = Number(lease);
const address = { url, scheme: url.split(':')[0] ?? '' };
const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const clock = systemClock;
/** A random name simulates a process on another machine, which other workers cannot check for. */
const holder = machine === 'elsewhere' ? randomUUID() : nameHolder();

const report = (event: Omit<WorkerEvent, 'at'>): void => {
  process.stdout.write(`${JSON.stringify({ at: Date.now(), ...event })}\n`);
};

/** Starts writing to a partition, and returns the function that stops it. */
function startWriting(store: StoredTasks): () => Promise<void> {
  const controller = new AbortController();
  const write = async (): Promise<void> => {
    while (!controller.signal.aborted) {
      try {
        const at = Date.now();
        await store.addDuration('written', { atLeastMs: process.pid, atMostMs: process.pid, at });
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
      await pause(clock, WRITE_EVERY_MS, controller.signal);
    }
  };
  const writing = write();
  return async () => {
    controller.abort();
    await writing;
  };
}

// It keeps no tasks, and to load all commands for their kinds takes half of a start.
const specs = {} as KindSpecs;
const parts = { specs, log, clock, leaseMs, partitions: Number(count), holder };
const partitions = await openPartitions(address, parts);
const readOwners = partitions.owners.bind(partitions);
partitions.owners = async () => {
  const owners = await readOwners();
  report({ event: 'checked', free: partitions.count - owners.size });
  return owners;
};
const facts = await openSharedFacts(address, { log, clock, limitMs: leaseMs / 5 });
const stopByPartition = new Map<number, () => Promise<void>>();
report({ event: 'joins', holder });
const membership = await Membership.join(
  { facts, partitions, holder, leaseMs, clock, log },
  {
    async take(partition, store) {
      report({ event: 'taken', partition });
      stopByPartition.set(partition, startWriting(store));
      return true;
    },
    async release(partition) {
      await stopByPartition.get(partition)?.();
      report({ event: 'gave', partition });
    },
  },
);
process.once('SIGTERM', async () => {
  await membership.stop();
  report({ event: 'stopped' });
  await Promise.all([facts.close(), partitions.close()]);
  process.exit(0);
});
const error = await membership.lost;
report({ event: 'lost', why: error instanceof StoreError ? error.kind : error.message });
process.exit(75);
