import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openLog } from '../../../src/lib/log.ts';
import { nameHolder, openPartitions, openStore, StoreError } from '../../../src/services/store/index.ts';
import { leaseClock } from '../../../src/services/store/lease.ts';
import type { Task } from '../../../src/services/tasks/task.ts';

// A process that owns a store, or a partition of one, and suspends itself between the check of its lease and its write.

const [url = '', lease = '', partition = '', text = ''] = process.argv.slice(2);
const address = { url, scheme: url.split(':')[0] ?? '' };
const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
const task = JSON.parse(text) as Task;
let isArmed = false;

/** The check has read the time before the process is suspended, and therefore passes when it resumes. */
const suspending = {
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

const parts = { specs: kindSpecs, log, clock: systemClock, leaseMs: Number(lease), leaseClock: suspending };
const whole = async () => openStore(address, parts);
const part = async () =>
  (await openPartitions(address, { ...parts, partitions: 4, holder: nameHolder() })).open(Number(partition));
const store = await (partition === '' ? whole() : part());
await store.put(task);
process.stdout.write('ready\n');
isArmed = true;
try {
  await store.put({ ...task, remoteId: 'late' });
  process.exit(1);
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
}
await store.ownership.lost;
process.exit(75);
