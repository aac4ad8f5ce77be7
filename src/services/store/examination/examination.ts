import { existsSync } from 'node:fs';
import type { Clock } from '../../../lib/clock.ts';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Prices } from '../../ledger/prices.ts';
import type { Backend } from '../backend.ts';
import { Connection } from '../connection.ts';
import { durationsSchema } from '../duration-book.ts';
import { lockStore } from '../file-lock.ts';
import { forgettingSchema } from '../forgetting-rows.ts';
import { taskMigrations } from '../migrations.ts';
import { isPrivate, makePrivate, truePath } from '../private-file.ts';
import { Quarantine } from '../quarantine.ts';
import { openRemote } from '../remote/open-remote.ts';
import { isMarked, markSchema, refuseOthers } from '../schema-version.ts';
import type { Shelf } from '../shelf.ts';
import { shelvesOn } from '../shelves.ts';
import { fileOf, isLocal, publicName, type StoreAddress } from '../store-address.ts';
import { storeFailure } from '../store-error.ts';
import { TaskRows } from '../task-rows.ts';
import { counted, type Finding, type Look } from './finding.ts';
import { lookAtLedger } from './ledger.ts';
import { lookAtLines } from './lines.ts';
import { sorted } from './rows.ts';
import { lookAtSent } from './sent.ts';
import { lookAtTasks } from './tasks.ts';

export interface Examination {
  /** Where it lies: a path, or an address without its password. */
  file: string;
  /** How many tasks it holds, and how many rows were set aside so far; undefined where there is no store to look at. */
  holds: { tasks: number; setAside: number } | undefined;
  findings: Finding[];
}

interface ExaminationParts {
  log: Log;
  clock: Clock;
  leaseMs?: number | undefined;
  /** Without it nothing of the store is changed. */
  repair: boolean;
  /** For entries of the ledger that have to be made anew. */
  prices?: Prices | undefined;
}

/** Looks at everything in a store that nobody uses, and sets right what it can. Throws a `StoreError` where it cannot even look. */
export function examine(address: StoreAddress, parts: ExaminationParts): Promise<Examination> {
  return isLocal(address) ? examineFile(fileOf(address), parts) : examineRemote(address, parts);
}

async function examineFile(asked: string, parts: ExaminationParts): Promise<Examination> {
  if (!existsSync(asked)) return { file: asked, holds: undefined, findings: [] };
  const file = truePath(asked);
  const unlock = lockStore(file);
  try {
    const isDamaged = looksDamaged(file);
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

/** Undefined where the file is still empty. */
function looksDamaged(file: string): boolean | undefined {
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
  { repair, log, clock, prices = {} }: ExaminationParts,
  ...before: Look[]
): Promise<Examination> {
  const shelves = shelvesOn(backend);
  const quarantine = new Quarantine(shelves.quarantine, { log, clock });
  const rows = new TaskRows({ ...shelves, quarantine, locks: new KeyedLock(), clock, migrations: taskMigrations });
  const tasks = await lookAtTasks(shelves, { rows, quarantine, clock });
  const looks = [
    ...before,
    await lookAtMark(shelves.meta),
    tasks,
    await lookAtDurations(shelves.durations, quarantine),
    await lookAtWishes(shelves.forgetting, quarantine),
    await lookAtSent(shelves.sent, tasks.tasks),
    await lookAtLines(shelves.index, quarantine, tasks.tasks),
    await lookAtLedger(shelves, quarantine, { tasks: tasks.tasks, clock, prices }),
    await lookAtExpired(backend, clock),
  ];
  if (repair) for (const look of looks) await look.repair();
  const setAside = await sorted(shelves.quarantine, quarantine, () => ({}));
  return {
    file: backend.name,
    holds: { tasks: tasks.tasks.size, setAside: setAside.good.size },
    findings: added(looks.flatMap(({ findings }) => findings)),
  };
}

function lookAtFile(file: string): Look {
  return {
    findings: counted({ 'readable-by-others': Number(!isPrivate(file)) }),
    repair: async () => makePrivate(file),
  };
}

async function lookAtMark(meta: Shelf): Promise<Look> {
  return {
    findings: counted({ unmarked: Number(!(await isMarked(meta))) }),
    repair: () => markSchema(meta, undefined),
  };
}

async function lookAtDurations(shelf: Shelf, quarantine: Quarantine): Promise<Look> {
  const { bad, setAside } = await sorted(shelf, quarantine, (_key, value) => {
    return durationsSchema.safeParse(value).data ?? 'cannot be read';
  });
  return { findings: counted({ unreadable: bad }), repair: setAside };
}

/** A wish to be forgotten of which nothing is left to do is fine: the next start sees to it. */
async function lookAtWishes(shelf: Shelf, quarantine: Quarantine): Promise<Look> {
  const { bad, setAside } = await sorted(shelf, quarantine, (_key, value) => {
    return forgettingSchema.safeParse(value).data ?? 'cannot be read';
  });
  return { findings: counted({ unreadable: bad }), repair: setAside };
}

/** Rows that the adapter takes for gone already, so that nothing else meets them. */
async function lookAtExpired(backend: Backend, clock: Clock): Promise<Look> {
  const past = await backend.countExpired(clock.now());
  return { findings: counted({ past }), repair: () => backend.clearExpired() };
}

/** One line a kind, whichever look it comes from. */
function added(findings: readonly Finding[]): Finding[] {
  const sums = new Map<Finding['kind'], number>();
  for (const { kind, count } of findings) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return [...sums].map(([kind, count]) => ({ kind, count }));
}
