import { existsSync } from 'node:fs';
import type { AppContext } from '../../../lib/app-context.ts';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import type { KindSpecs } from '../../tasks/kind-spec.ts';
import { type Backend, fileOf, isLocal, publicName, type StoreAddress } from '../backend.ts';
import { namespaceNames, openNamespaces } from '../namespaces.ts';
import { refuseBackup, refuseForeign, refuseIncomplete } from '../rows/marks.ts';
import { hasRows } from '../rows/raw-rows.ts';
import { Quarantine } from '../rows/rows.ts';
import { lockStore, resolvePath, SqliteBackend, sqliteFailure } from '../rows/sqlite.ts';
import { openTables } from '../rows/tables.ts';
import { TaskRows, taskMigrations } from '../rows/task-rows.ts';
import { openWhole, type WholeStore } from '../rows/whole-store.ts';
import {
  type Check,
  checkExpired,
  checkFile,
  checkFingerprints,
  checkLedger,
  checkLists,
  checkRows,
  checkSchemaMark,
  checkSentOrders,
  checkTasks,
  type Finding,
} from './checks.ts';
import { checkPartitionNumbers, checkRowPartitions, checkSecrets } from './partitions-check.ts';

export interface Examination {
  /** A path, or a URL without its password. */
  file: string;
  /** Undefined if there is no store. `setAside`: the namespaces and keys of rows that were set aside. */
  contents: { tasks: number; setAside: string[] } | undefined;
  findings: Finding[];
  /** Settings of the store's server that an operator should change. */
  warnings: readonly string[];
}

interface ExaminationParts extends AppContext {
  specs: KindSpecs;
  leaseMs?: number | undefined;
  /** If false, nothing in the store is changed. */
  repair: boolean;
}

/** Checks everything in a store that is not in use, and repairs what it can. Throws a `StoreError` if the store cannot be read. */
export const examine = (address: StoreAddress, parts: ExaminationParts): Promise<Examination> =>
  isLocal(address) ? examineFile(fileOf(address), parts) : examineRemote(address, parts);

async function examineFile(requestedPath: string, parts: ExaminationParts): Promise<Examination> {
  if (!existsSync(requestedPath)) return { file: requestedPath, contents: undefined, findings: [], warnings: [] };
  const file = resolvePath(requestedPath);
  refuseBackup(file);
  const unlock = lockStore(file);
  try {
    const isDamaged = checkDamage(file);
    if (isDamaged === undefined) return { file, contents: undefined, findings: [], warnings: [] };
    if (isDamaged) return { file, contents: undefined, findings: [{ kind: 'damaged', count: 1 }], warnings: [] };
    using connection = new SqliteBackend(file, { readOnly: !parts.repair });
    await refuseIncomplete(openNamespaces(connection).meta, file);
    return await examineRows(connection, parts, checkFile(file));
  } catch (error) {
    throw sqliteFailure(error, file);
  } finally {
    unlock();
  }
}

async function examineRemote(address: StoreAddress, parts: ExaminationParts): Promise<Examination> {
  const store = await openWhole(address, { ...parts, create: false });
  if (!store) return { file: publicName(address), contents: undefined, findings: [], warnings: [] };
  try {
    const [first] = store.partitions;
    if (first) await refuseIncomplete(openNamespaces(first.backend).meta, store.name);
    return await examineWholeStore(store, parts);
  } finally {
    await store.close();
  }
}

/** Examines all partitions of a store that is already reserved for this process. */
export async function examineWholeStore(
  { name, partitions, usedPartitions, warnings }: WholeStore,
  parts: ExaminationParts,
): Promise<Examination> {
  const backends = partitions.map(({ backend }) => backend);
  const [first] = backends;
  if (first && backends.length === 1) return { ...(await examineRows(first, parts)), warnings: await warnings() };
  const partitionChecks = [
    checkPartitionNumbers(await usedPartitions(), backends.length),
    await checkSecrets(backends),
    await checkRowPartitions(backends, parts),
  ];
  // These repairs run first, so that the lists are compared with the tasks that belong to the partition.
  if (parts.repair) for (const check of partitionChecks) await check.repair();
  const setAside: string[] = [];
  const contents = { tasks: 0, setAside };
  const findings: Finding[] = partitionChecks.flatMap((check) => check.findings);
  for (const [partition, backend] of backends.entries()) {
    // No worker has taken the partition yet.
    if (!(await hasRows(backend, namespaceNames))) continue;
    const examination = await examineRows(backend, parts);
    contents.tasks += examination.contents?.tasks ?? 0;
    for (const row of examination.contents?.setAside ?? []) setAside.push(row);
    findings.push(...examination.findings.map((finding) => ({ ...finding, partition })));
  }
  return { file: name, contents, findings, warnings: await warnings() };
}

/** Returns whether the file is damaged, or undefined if it is still empty. */
function checkDamage(file: string): boolean | undefined {
  using connection = new SqliteBackend(file, { readOnly: true });
  if (connection.rows('SELECT name FROM sqlite_master').length === 0) return undefined;
  refuseForeign(connection);
  const [row] = connection.rows('PRAGMA integrity_check(1)');
  return row?.integrity_check !== 'ok';
}

/** Examines the rows of a store that is already reserved for this process. */
export async function examineRows(
  backend: Backend,
  { repair, log, clock, specs }: ExaminationParts,
  ...firstChecks: Check[]
): Promise<Examination> {
  const namespaces = openNamespaces(backend);
  const quarantine = new Quarantine(namespaces.quarantine, { log, clock });
  const context = { migrations: taskMigrations, specs, quarantine, clock };
  const rows = new TaskRows(namespaces, context, new KeyedLock());
  const tasks = await checkTasks(namespaces, rows, context);
  const checks = [
    ...firstChecks,
    await checkSchemaMark(namespaces.meta),
    tasks,
    ...(await Promise.all(
      Object.values(openTables(namespaces, quarantine, specs)).map(({ rows: ofTable }) => checkRows(ofTable)),
    )),
    await checkSentOrders(namespaces.sent, tasks.tasks),
    await checkFingerprints(namespaces.fingerprints, quarantine, { tasks: tasks.tasks, rows }),
    await checkLists(namespaces.index, quarantine, { tasks: tasks.tasks, specs, clock }),
    await checkLedger(namespaces, quarantine, { tasks: tasks.tasks, clock }),
    checkExpired(backend),
  ];
  if (repair) for (const check of checks) await check.repair();
  const setAside: string[] = [];
  // The key ends with the time.
  for await (const [key] of namespaces.quarantine.entries()) setAside.push(key.replace(/:\d+$/, ''));
  return {
    file: backend.name,
    contents: { tasks: tasks.tasks.size, setAside },
    findings: sumByKind(checks.flatMap(({ findings }) => findings)),
    warnings: [],
  };
}

/** Adds up findings of the same kind, whichever check they come from. */
function sumByKind(findings: readonly Finding[]): Finding[] {
  const sums = new Map<Finding['kind'], number>();
  for (const { kind, count } of findings) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return [...sums].map(([kind, count]) => ({ kind, count }));
}
