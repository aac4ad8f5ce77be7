import { randomUUID } from 'node:crypto';
import { kindSpecs } from '../../../src/commands/index.ts';
import { pause, systemClock } from '../../../src/lib/clock.ts';
import { openLog } from '../../../src/lib/log.ts';
import { Membership } from '../../../src/services/cluster/membership.ts';
import { nameHolder, openPartitions, openSharedFacts, StoreError } from '../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { WorkerEvent } from './events.ts';

// A worker of a cluster that only writes to its partitions, and reports each event as a line on its standard output.

const [url = '', lease = '', count = '', place = ''] = process.argv.slice(2);
const WRITE_EVERY_MS = 50;
const leaseMs = Number(lease);
const address = { url, scheme: url.split(':')[0] ?? '' };
const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
const clock = systemClock;
/** For a process on another machine it cannot be determined whether it has ended. */
const holder = place === 'elsewhere' ? randomUUID() : nameHolder();

const report = (event: Omit<WorkerEvent, 'at'>): void => {
  process.stdout.write(`${JSON.stringify({ at: Date.now(), ...event })}\n`);
};

/** Writes as long as this worker owns the partition. */
function work(store: StoredTasks): () => Promise<void> {
  const end = new AbortController();
  const write = async (): Promise<void> => {
    while (!end.signal.aborted) {
      try {
        const at = Date.now();
        await store.addDuration('written', { atLeastMs: process.pid, atMostMs: process.pid, at });
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
      await pause(clock, WRITE_EVERY_MS, end.signal);
    }
  };
  const written = write();
  return async () => {
    end.abort();
    await written;
  };
}

const parts = { specs: kindSpecs, log, clock, leaseMs, partitions: Number(count), holder };
const partitions = await openPartitions(address, parts);
const facts = await openSharedFacts(address, { log, clock, limitMs: leaseMs / 5 });
const works = new Map<number, () => Promise<void>>();
report({ event: 'joins', holder });
const membership = await Membership.join({
  ...{ facts, partitions, holder, leaseMs, clock, log },
  async onTaken(partition, store) {
    report({ event: 'taken', partition });
    works.set(partition, work(store));
    return true;
  },
  async onGiveBack(partition) {
    await works.get(partition)?.();
    report({ event: 'gave', partition });
  },
});
process.once('SIGTERM', async () => {
  await membership.stop();
  report({ event: 'stopped' });
  await Promise.all([facts.close(), partitions.close()]);
  process.exit(0);
});
const error = await membership.lost;
report({ event: 'lost', why: error instanceof StoreError ? error.kind : error.message });
process.exit(75);
