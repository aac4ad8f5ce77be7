import type { Clock } from '../../../lib/clock.ts';
import { keysOf } from '../../../lib/entries.ts';
import {
  closeOrphan,
  type LedgerEntry,
  reconcileEntry,
  standingOf,
  taskEntryKey,
  withAmountsOf,
} from '../../money/entry.ts';
import { dropExpiredToken } from '../../tasks/delivery-state.ts';
import { sentOrder } from '../../tasks/kind.ts';
import type { KindSpecs } from '../../tasks/kind-spec.ts';
import { isLive, mayBeSentAgain, type Task } from '../../tasks/task.ts';
import { summaryOf, type TaskSummary } from '../../tasks/task-summary.ts';
import type { Backend } from '../backend.ts';
import type { Namespace, Namespaces } from '../namespaces.ts';
import { ledgerRows } from '../rows/ledger-rows.ts';
import { hasSchemaMark, ledgerMark, markSchema } from '../rows/marks.ts';
import { batchesOf, MAX_WRITE_BATCH } from '../rows/raw-rows.ts';
import type { Quarantine, Rows } from '../rows/rows.ts';
import { isPrivate, makePrivate } from '../rows/sqlite.ts';
import { isSameSummary, SummaryIndex, summaryKeys, summaryRows } from '../rows/summary-index.ts';
import {
  fingerprintRow,
  fingerprintRows,
  isExpired,
  type ReadingContext,
  retentionOf,
  rowsOfTasks,
  type TaskRows,
} from '../rows/task-rows.ts';

export type FindingKind =
  | 'damaged'
  | 'readable-by-others'
  | 'unmarked'
  | 'unreadable'
  | 'in-both-places'
  | 'misplaced'
  | 'summary-missing'
  | 'summary-dangling'
  | 'summary-outdated'
  | 'orphaned-order'
  | 'orphaned-fingerprint'
  | 'fingerprint-missing'
  | 'entry-missing'
  | 'entry-different'
  | 'wrong-partition'
  | 'secret-different'
  | 'secret-in-use'
  | 'partition-unknown';

/** Findings that the doctor does not repair. */
export const lasting: ReadonlySet<FindingKind> = new Set(['damaged', 'secret-in-use', 'partition-unknown']);

export interface Finding {
  kind: FindingKind;
  count: number;
  /** Undefined if the store has no partitions. */
  partition?: number | undefined;
}

/** What one check found, and how to repair it. Checking changes nothing. */
export interface Check {
  findings: Finding[];
  repair(): Promise<void>;
}

function findingsOf(counts: Partial<Record<FindingKind, number>>): Finding[] {
  const findings = keysOf(counts).map((kind) => ({ kind, count: counts[kind] ?? 0 }));
  return findings.filter(({ count }) => count > 0);
}

export async function checkTasks(
  { live, finished }: Namespaces,
  rows: TaskRows,
  context: ReadingContext,
): Promise<Check & { tasks: ReadonlyMap<string, Task> }> {
  const now = context.clock.now();
  const readAllOf = (namespace: Namespace) => rowsOfTasks(namespace, context).readAll();
  const storedRows = { live: await readAllOf(live), finished: await readAllOf(finished) };
  const tasks = new Map<string, Task>();
  const tasksToRepair: Task[] = [];
  const expiredIds: string[] = [];
  const count = { both: 0, misplaced: 0 };
  for (const [id, stored] of new Map([...storedRows.live.good, ...storedRows.finished.good])) {
    const task = dropExpiredToken(stored, now);
    const isInLive = storedRows.live.good.has(id);
    const isInFinished = storedRows.finished.good.has(id);
    if (isExpired(task.times.settled, now)) {
      expiredIds.push(id);
      continue;
    }
    const isInBoth = isInLive && isInFinished;
    const isMisplaced = !isInBoth && isLive(task) !== isInLive;
    const hasExpiredToken = task !== stored;
    count.both += Number(isInBoth);
    count.misplaced += Number(isMisplaced);
    if (isInBoth || isMisplaced || hasExpiredToken) tasksToRepair.push(task);
    tasks.set(id, task);
  }
  return {
    tasks,
    findings: findingsOf({
      unreadable: storedRows.live.bad + storedRows.finished.bad,
      'in-both-places': count.both,
      misplaced: count.misplaced,
    }),
    repair: async () => {
      await storedRows.live.setAside();
      await storedRows.finished.setAside();
      for (const task of tasksToRepair) await rows.put(task);
      await live.delete(...expiredIds);
      await finished.delete(...expiredIds);
    },
  };
}

/** Finds bodies that no order needs any more, left by a crash. They may be large, so only their keys are kept in memory. */
export async function checkSentOrders(namespace: Namespace, tasks: ReadonlyMap<string, Task>): Promise<Check> {
  const obsoleteIds: string[] = [];
  let unreadable = 0;
  for await (const [id, value] of namespace.entries()) {
    const task = tasks.get(id);
    if (!task || !mayBeSentAgain(task)) obsoleteIds.push(id);
    else if (!sentOrder.safeParse(value).success) {
      // An unreadable body is useless, and rows that are set aside are never deleted, so it is deleted instead.
      unreadable += 1;
      obsoleteIds.push(id);
    }
  }
  return {
    findings: findingsOf({ unreadable, 'orphaned-order': obsoleteIds.length - unreadable }),
    repair: () => namespace.delete(...obsoleteIds),
  };
}

/** A fingerprint must not outlive its task, and every settled task must have one. */
export async function checkFingerprints(
  namespace: Namespace,
  quarantine: Quarantine,
  { tasks, rows }: { tasks: ReadonlyMap<string, Task>; rows: TaskRows },
): Promise<Check> {
  const { good, bad, setAside } = await fingerprintRows(namespace, quarantine).readAll();
  const expectedRowOf = (task: Task | undefined) => (task && !isLive(task) ? fingerprintRow(task) : undefined);
  const isAsExpected = (task: Task | undefined, row: unknown): boolean =>
    JSON.stringify(expectedRowOf(task)) === JSON.stringify(row);
  const orphaned = [...good].flatMap(([id, row]) => (isAsExpected(tasks.get(id), row) ? [] : [id]));
  const wrongIds = new Set(orphaned);
  const tasksWithoutFingerprints = [...tasks.values()].filter(
    (task) => expectedRowOf(task) && (!good.has(task.id) || wrongIds.has(task.id)),
  );
  return {
    findings: findingsOf({
      unreadable: bad,
      'orphaned-fingerprint': orphaned.length,
      'fingerprint-missing': tasksWithoutFingerprints.filter(({ id }) => !wrongIds.has(id)).length,
    }),
    repair: async () => {
      await setAside();
      await namespace.delete(...orphaned);
      for (const task of tasksWithoutFingerprints) await rows.put(task);
    },
  };
}

/** Compares the ledger with the tasks. Entries of erased tasks stay as they are, because nothing is left to derive them from. */
export async function checkLedger(
  { ledger, meta, live }: Namespaces,
  quarantine: Quarantine,
  { tasks, clock }: { tasks: ReadonlyMap<string, Task>; clock: Clock },
): Promise<Check> {
  const { good, bad, setAside } = await ledgerRows(ledger, quarantine).readAll();
  const expectedEntries = new Map<string, LedgerEntry>();
  // Without the mark, no bot has started on the store.
  const hasLedger = (await ledgerMark(meta).read()) !== undefined;
  for (const task of hasLedger ? [...tasks.values()].filter(({ traits }) => traits.isPaid) : []) {
    const key = taskEntryKey(task);
    expectedEntries.set(key, withAmountsOf(reconcileEntry(good.get(key), task), task));
  }
  const isUnreadable = async ({ id }: LedgerEntry): Promise<boolean> =>
    !tasks.has(id) && ((await live.get(id)) !== undefined || (await quarantine.has(live, id)));
  for (const [key, entry] of good)
    if (!expectedEntries.has(key))
      expectedEntries.set(
        key,
        closeOrphan(entry, clock.now(), standingOf(entry) === 'reserved' && (await isUnreadable(entry))),
      );
  const wrongEntries = [...expectedEntries].filter(([key, entry]) => good.get(key) !== entry);
  const missingCount = wrongEntries.filter(([key]) => !good.has(key)).length;
  return {
    findings: findingsOf({
      unreadable: bad,
      'entry-missing': missingCount,
      'entry-different': wrongEntries.length - missingCount,
    }),
    repair: async () => {
      await setAside();
      await ledger.putMany(wrongEntries.map(([key, value]) => ({ key, value })));
    },
  };
}

export const checkFile = (file: string): Check => ({
  findings: findingsOf({ 'readable-by-others': Number(!isPrivate(file)) }),
  repair: async () => makePrivate(file),
});

export const checkSchemaMark = async (meta: Namespace): Promise<Check> => ({
  findings: findingsOf({ unmarked: Number(!(await hasSchemaMark(meta))) }),
  repair: async () => void (await markSchema(meta, undefined)),
});

export async function checkRows(rows: Rows<object>): Promise<Check> {
  const { bad, setAside } = await rows.readAll();
  return { findings: findingsOf({ unreadable: bad }), repair: setAside };
}

/** Removes rows past their retention period. Every store has some, so they are no finding; the adapter treats them as gone. */
export const checkExpired = (backend: Backend): Check => ({ findings: [], repair: () => backend.clearExpired() });

/** Compares the lists with the tasks. Summaries of tasks past their retention period are removed too, but are no finding. */
export async function checkLists(
  namespace: Namespace,
  quarantine: Quarantine,
  { tasks, specs, clock }: { tasks: ReadonlyMap<string, Task>; specs: KindSpecs; clock: Clock },
): Promise<Check> {
  const { good, bad, setAside } = await summaryRows(namespace, quarantine, specs).readAll();
  const listedTasks = new Map(
    [...tasks.values()].flatMap((task) => summaryKeys(task).map((key) => [key, task] as const)),
  );
  const dangling = [...good.keys()].filter((key) => !listedTasks.has(key));
  const isOutdated = (summary: TaskSummary, task: Task): boolean =>
    // An unsettled summary only points at its task, so it may be older.
    (summary.settledAt !== undefined || task.times.settled !== undefined) && !isSameSummary(summary, summaryOf(task));
  const [missing, outdated]: [Task[], Task[]] = [[], []];
  for (const [key, task] of listedTasks) {
    const summary = good.get(key);
    if (!summary) missing.push(task);
    else if (isOutdated(summary, task)) outdated.push(task);
  }
  return {
    findings: findingsOf({
      unreadable: bad,
      'summary-missing': missing.length,
      'summary-dangling': dangling.filter((key) => !isExpired(good.get(key)?.settledAt, clock.now())).length,
      'summary-outdated': outdated.length,
    }),
    repair: async () => {
      await setAside();
      for (const keys of batchesOf(dangling, MAX_WRITE_BATCH)) await namespace.delete(...keys);
      const index = new SummaryIndex(namespace, quarantine, specs);
      for (const task of [...missing, ...outdated])
        await index.put(summaryOf(task), isLive(task) ? undefined : retentionOf(task, clock.now()));
    },
  };
}
