import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import { leaseClock } from '../../../src/services/store/lease.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { openPartitions } from '../../../src/services/store/partitions.ts';
import { StoreError } from '../../../src/services/tasks/store-error.ts';
import type { Task } from '../../../src/services/tasks/task.ts';

// A process that owns a store, or a partition of one, and suspends itself between the check of its lease and its write.

const [url = '', lease = '', partition = '', taskJson = ''] = process.argv.slice(2);
const address = { url, scheme: url.split(':')[0] ?? '' };
const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
const task = JSON.parse(taskJson) as Task;
let isArmed = false;

/** The check reads the time before the process is suspended, so it passes when the process resumes. */
const suspendingClock = {
  after: leaseClock.after,
  now(): readonly number[] {
    const now = leaseClock.now();
    if (isArmed) {
      isArmed = false;
      process.kill(process.pid, 'SIGSTOP');
    }
    return now;
  },
};

const parts = { specs: kindSpecs, log, clock: systemClock, leaseMs: Number(lease), leaseClock: suspendingClock };
const openWhole = async () => openStore(address, parts);
const openPartition = async () =>
  (await openPartitions(address, { ...parts, partitions: 4, holder: nameHolder() })).open(Number(partition));
const store = await (partition === '' ? openWhole() : openPartition());
await store.put(task);
isArmed = true;
try {
  await store.put({ ...task, remoteId: 'late' });
  process.exit(1);
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
}
await store.ownership.lost;
process.exit(75);
