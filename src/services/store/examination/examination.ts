import { existsSync } from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Prices } from '../../ledger/entry.ts';
import type { KindSpecs } from '../../tasks/task.ts';
import { type Backend, fileOf, isLocal, publicName, type StoreAddress } from '../backend.ts';
import { refuseOthers } from '../marks.ts';
import { openRemote } from '../remote/open-remote.ts';
import { Quarantine } from '../rows.ts';
import { shelvesOn } from '../shelf.ts';
import { durationRows, forgettingRows } from '../side-rows.ts';
import { Connection, lockStore, storeFailure, truePath } from '../sqlite.ts';
import { TaskRows, taskMigrations } from '../task-rows.ts';
import {
  type Finding,
  type Look,
  lookAtExpired,
  lookAtFile,
  lookAtLedger,
  lookAtLines,
  lookAtMark,
  lookAtRows,
  lookAtSent,
  lookAtTasks,
} from './looks.ts';

export interface Examination {
  /** A path, or an address without its password. */
  file: string;
  /** undefined where there is no store. */
  holds: { tasks: number; setAside: number } | undefined;
  findings: Finding[];
}

interface ExaminationParts {
  log: Log;
  clock: Clock;
  specs: KindSpecs;
  leaseMs?: number | undefined;
  /** Without it nothing in the store is changed. */
  repair: boolean;
  prices?: Prices | undefined;
}

/** Checks everything in a store that is not in use, and repairs what it can. Throws a `StoreError` where it cannot read it. */
export const examine = (address: StoreAddress, parts: ExaminationParts): Promise<Examination> =>
  isLocal(address) ? examineFile(fileOf(address), parts) : examineRemote(address, parts);

async function examineFile(asked: string, parts: ExaminationParts): Promise<Examination> {
  if (!existsSync(asked)) return { file: asked, holds: undefined, findings: [] };
  const file = truePath(asked);
  const unlock = lockStore(file);
  try {
    const isDamaged = checkDamage(file);
    if (isDamaged === undefined) return { file, holds: undefined, findings: [] };
    if (isDamaged) return { file, holds: undefined, findings: [{ kind: 'damaged', count: 1 }] };
    const connection = new Connection(file, { readOnly: !parts.repair });
    try {
      return await examineRows(connection, parts, lookAtFile(file));
    } finally {
      connection.close();
    }
  } catch (error) {
    throw storeFailure(error, file);
  } finally {
    unlock();
  }
}

async function examineRemote(address: StoreAddress, parts: ExaminationParts): Promise<Examination> {
  const opened = await openRemote(address, parts, { makes: false });
  if (!opened) return { file: publicName(address), holds: undefined, findings: [] };
  try {
    return await examineRows(opened.backend, parts);
  } finally {
    await opened.close();
  }
}

/** undefined where the file is still empty. */
function checkDamage(file: string): boolean | undefined {
  const connection = new Connection(file, { readOnly: true });
  try {
    if (connection.rows('SELECT name FROM sqlite_master').length === 0) return undefined;
    refuseOthers(connection);
    const [answer] = connection.rows('PRAGMA integrity_check(1)');
    return answer?.integrity_check !== 'ok';
  } finally {
    connection.close();
  }
}

async function examineRows(
  backend: Backend,
  { repair, log, clock, specs, prices = {} }: ExaminationParts,
  ...before: Look[]
): Promise<Examination> {
  const shelves = shelvesOn(backend);
  const quarantine = new Quarantine(shelves.quarantine, { log, clock });
  const reading = { migrations: taskMigrations, specs };
  const rows = new TaskRows({ ...shelves, quarantine, locks: new KeyedLock(), clock, reading });
  const tasks = await lookAtTasks(shelves, { rows, quarantine, clock, reading });
  const looks = [
    ...before,
    await lookAtMark(shelves.meta),
    tasks,
    await lookAtRows(durationRows(shelves.durations, quarantine)),
    // An erasure with nothing left to do is fine: the next start removes it.
    await lookAtRows(forgettingRows(shelves.forgetting, quarantine)),
    await lookAtSent(shelves.sent, tasks.tasks),
    await lookAtLines(shelves.index, quarantine, { tasks: tasks.tasks, specs }),
    await lookAtLedger(shelves, quarantine, { tasks: tasks.tasks, clock, prices }),
    await lookAtExpired(backend, clock),
  ];
  if (repair) for (const look of looks) await look.repair();
  let setAside = 0;
  for await (const _ of shelves.quarantine.entries()) setAside += 1;
  return {
    file: backend.name,
    holds: { tasks: tasks.tasks.size, setAside },
    findings: sumByKind(looks.flatMap(({ findings }) => findings)),
  };
}

/** One line per kind, whichever check it comes from. */
function sumByKind(findings: readonly Finding[]): Finding[] {
  const sums = new Map<Finding['kind'], number>();
  for (const { kind, count } of findings) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return [...sums].map(([kind, count]) => ({ kind, count }));
}
