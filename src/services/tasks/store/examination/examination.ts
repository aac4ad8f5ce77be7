import { existsSync } from 'node:fs';
import type { Clock } from '../../../../lib/clock.ts';
import { KeyedLock } from '../../../../lib/keyed-lock.ts';
import type { Log } from '../../../../lib/log.ts';
import type { Prices } from '../../../ledger/prices.ts';
import { Connection } from '../connection.ts';
import { durationsSchema } from '../duration-book.ts';
import { lockStore } from '../file-lock.ts';
import { forgettingSchema } from '../forgetting-rows.ts';
import { taskMigrations } from '../migrations.ts';
import { isPrivate, makePrivate, truePath } from '../private-file.ts';
import { Quarantine } from '../quarantine.ts';
import { isMarked, markSchema, refuseOthers } from '../schema-version.ts';
import { type Shelf, TABLE } from '../shelf.ts';
import { type Shelves, shelvesOn } from '../shelves.ts';
import { fileOf, type StoreAddress } from '../store-address.ts';
import { storeFailure } from '../store-error.ts';
import { TaskRows } from '../task-rows.ts';
import { counted, type Finding, type Look } from './finding.ts';
import { lookAtLedger } from './ledger.ts';
import { lookAtLines } from './lines.ts';
import { sorted } from './rows.ts';
import { lookAtTasks } from './tasks.ts';

export interface Examination {
  file: string;
  /** How many tasks it holds, and how many rows were set aside so far; undefined where there is no store to look at. */
  holds: { tasks: number; setAside: number } | undefined;
  findings: Finding[];
}

interface ExaminationParts {
  log: Log;
  clock: Clock;
  /** Without it nothing of the store is changed. */
  repair: boolean;
  /** For entries of the ledger that have to be made anew. */
  prices?: Prices | undefined;
}

/** Looks at everything in a store that nobody uses, and sets right what it can. Throws a `StoreError` where it cannot even look. */
export async function examine(address: StoreAddress, parts: ExaminationParts): Promise<Examination> {
  const asked = fileOf(address);
  if (!existsSync(asked)) return { file: asked, holds: undefined, findings: [] };
  const file = truePath(asked);
  const unlock = lockStore(file);
  try {
    const isDamaged = looksDamaged(file);
    if (isDamaged === undefined) return { file, holds: undefined, findings: [] };
    if (isDamaged) return { file, holds: undefined, findings: [{ kind: 'damaged', count: 1 }] };
    return await examineRows(file, parts);
  } catch (error) {
    throw storeFailure(error, file);
  } finally {
    unlock();
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

async function examineRows(file: string, { repair, log, clock, prices = {} }: ExaminationParts): Promise<Examination> {
  const connection = new Connection(file, { readOnly: !repair });
  try {
    const shelves = shelvesOn(connection);
    const quarantine = new Quarantine(shelves.quarantine, { log, clock });
    const rows = new TaskRows({ ...shelves, quarantine, locks: new KeyedLock(), clock, migrations: taskMigrations });
    const tasks = await lookAtTasks(shelves, { rows, quarantine, clock });
    const looks = [
      lookAtFile(file),
      await lookAtMark(shelves.meta),
      tasks,
      await lookAtDurations(shelves.durations, quarantine),
      await lookAtWishes(shelves.forgetting, quarantine),
      await lookAtLines(shelves.index, quarantine, tasks.tasks),
      await lookAtLedger(shelves, quarantine, { tasks: tasks.tasks, clock, prices }),
      lookAtExpired(connection, shelves, clock),
    ];
    if (repair) for (const look of looks) await look.repair();
    const setAside = await sorted(shelves.quarantine, quarantine, () => ({}));
    return {
      file,
      holds: { tasks: tasks.tasks.size, setAside: setAside.good.size },
      findings: added(looks.flatMap(({ findings }) => findings)),
    };
  } finally {
    connection.close();
  }
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
function lookAtExpired(connection: Connection, { finished }: Shelves, clock: Clock): Look {
  const [row] = connection.rows(`SELECT count(*) AS count FROM "${TABLE}" WHERE expires <= ?`, clock.now());
  return { findings: counted({ past: Number(row?.count) }), repair: () => finished.clearExpired() };
}

/** One line a kind, whichever look it comes from. */
function added(findings: readonly Finding[]): Finding[] {
  const sums = new Map<Finding['kind'], number>();
  for (const { kind, count } of findings) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return [...sums].map(([kind, count]) => ({ kind, count }));
}
