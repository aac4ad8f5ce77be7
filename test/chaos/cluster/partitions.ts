import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { examineRows } from '../../../src/services/store/examination/examination.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import { openPartitions } from '../../../src/services/store/partitions.ts';
import { openWhole } from '../../../src/services/store/rows/whole-store.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { ledgerTasks } from '../../support/ledger-tasks.ts';
import type { PartitionBooks } from './books.ts';

export interface PartitionState {
  partition: number;
  tasks: number;
  /** Tasks with something left to do. */
  live: readonly string[];
  /** The doctor's findings. */
  findings: readonly string[];
  books: PartitionBooks;
}

/** A kill may leave these behind, because the rows of a list are written before their task. */
const ALLOWED_AFTER_KILL: ReadonlySet<string> = new Set(['summary-dangling']);

/** Examines every partition. No process may own any of them at that time. */
export async function readPartitions(url: string, count: number, leaseMs: number): Promise<PartitionState[]> {
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const parts = { log, clock: systemClock, specs: kindSpecs };
  const address = { url, scheme: url.split(':')[0] ?? '' };
  const whole = await openWhole(address, { ...parts, leaseMs, create: false, count });
  const examinations = [];
  for (const { backend } of whole?.partitions ?? [])
    examinations.push(await examineRows(backend, { ...parts, repair: false }));
  await whole?.close();
  const partitions = await openPartitions(address, {
    ...parts,
    leaseMs,
    partitions: count,
    holder: nameHolder(),
    botVersion: '0.0.0',
  });
  const states: PartitionState[] = [];
  try {
    for (const [partition, { contents, findings }] of examinations.entries()) {
      const store = await partitions.open(partition);
      const { live, books } = await readBooks(store).finally(() => store.close());
      states.push({
        partition,
        books,
        tasks: contents?.tasks ?? 0,
        live: live.map(({ id, state }) => `${id} ${state}`),
        findings: findings
          .filter(({ kind }) => !ALLOWED_AFTER_KILL.has(kind))
          .map(({ kind, count: number }) => `${kind} ${number}`),
      });
    }
    return states;
  } finally {
    await partitions.close();
  }
}

async function readBooks(store: StoredTasks): Promise<{ live: Task[]; books: PartitionBooks }> {
  const entries = await Array.fromAsync(store.entries.readRange('', '9999'));
  const tasks = await ledgerTasks(store.entries);
  return { live: await store.live(), books: { entries, tasks } };
}
