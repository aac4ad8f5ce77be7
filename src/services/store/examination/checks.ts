import type { Clock } from '../../../lib/clock.ts';
import { keysOf } from '../../../lib/entries.ts';
import { closeOrphan, type Entry, reconcileEntry, taskEntryKey, withAmountsOf } from '../../ledger/entry.ts';
import { dropExpiredToken } from '../../tasks/delivery-state.ts';
import type { KindSpecs } from '../../tasks/kind-spec.ts';
import { isLive, mayBeSentAgain, type Task } from '../../tasks/task.ts';
import { sentOrder } from '../../tasks/task-store.ts';
import { summaryOf, type TaskSummary } from '../../tasks/task-summary.ts';
import type { Backend } from '../backend.ts';
import { fingerprintRow, fingerprintRows } from '../fingerprint-rows.ts';
import { ledgerRows } from '../ledger-rows.ts';
import { hasSchemaMark, ledgerMark, markSchema } from '../marks.ts';
import type { Namespace, Namespaces } from '../namespaces.ts';
import { type Quarantine, Rows, UNREADABLE } from '../rows.ts';
import { isPrivate, makePrivate } from '../sqlite.ts';
import {
  chunkKey,
  chunkSchema,
  chunkStart,
  headSchema,
  isSameSummary,
  listOwners,
  SummaryIndex,
  summariesInRange,
} from '../summary-index.ts';
import { isExpired, type ReadingContext, rowsOfTasks, type TaskRows } from '../task-rows.ts';

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
  | 'orphaned-row'
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
export const unrepairable: ReadonlySet<FindingKind> = new Set(['damaged', 'secret-in-use', 'partition-unknown']);

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
  {
    rows,
    quarantine,
    clock,
    reading,
  }: { rows: TaskRows; quarantine: Quarantine; clock: Clock; reading: ReadingContext },
): Promise<Check & { tasks: ReadonlyMap<string, Task> }> {
  const now = clock.now();
  const readAllOf = (namespace: Namespace) => rowsOfTasks(namespace, quarantine, reading).readAll();
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
      for (const task of tasksToRepair) await rows.putInPlace(task);
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
      for (const task of tasksWithoutFingerprints) await rows.putFinished(task);
    },
  };
}

/** Compares the ledger with the tasks. Entries of erased tasks stay as they are, because nothing is left to derive them from. */
export async function checkLedger(
  { ledger, meta }: Namespaces,
  quarantine: Quarantine,
  { tasks, clock }: { tasks: ReadonlyMap<string, Task>; clock: Clock },
): Promise<Check> {
  const { good, bad, setAside } = await ledgerRows(ledger, quarantine).readAll();
  const expectedEntries = new Map<string, Entry>();
  // Without the mark, no bot has started on the store.
  const hasLedger = (await ledgerMark(meta).read()) !== undefined;
  for (const task of hasLedger ? [...tasks.values()].filter(({ traits }) => traits.isPaid) : []) {
    const key = taskEntryKey(task);
    expectedEntries.set(key, withAmountsOf(reconcileEntry(good.get(key), task), task));
  }
  for (const [key, entry] of good)
    if (!expectedEntries.has(key)) expectedEntries.set(key, closeOrphan(entry, clock.now()));
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

export async function checkRows(rows: Pick<Rows<object>, 'readAll'>): Promise<Check> {
  const { bad, setAside } = await rows.readAll();
  return { findings: findingsOf({ unreadable: bad }), repair: setAside };
}

/** Removes rows past their retention period. Every store has some, so they are no finding; the adapter treats them as gone. */
export const checkExpired = (backend: Backend): Check => ({ findings: [], repair: () => backend.clearExpired() });

type Row = { starts: string[] } | { lines: TaskSummary[] };

/** Compares every list with the tasks, and rewrites those that differ. */
export async function checkLists(
  namespace: Namespace,
  quarantine: Quarantine,
  { tasks, specs, clock }: { tasks: ReadonlyMap<string, Task>; specs: KindSpecs; clock: Clock },
): Promise<Check> {
  const index = new SummaryIndex(namespace, quarantine, specs);
  const chunkRowSchema = chunkSchema(specs);
  const readRow = (_key: string, value: unknown): Row | string =>
    headSchema.safeParse(value).data ?? chunkRowSchema.safeParse(value).data ?? UNREADABLE;
  const { good: rows, bad, setAside } = await new Rows(namespace, quarantine, readRow).readAll();
  const expected = expectedLists(tasks);
  const listHeads = [...rows].filter(([, row]) => 'starts' in row).map(([key]) => key);
  const referencedKeys = new Set<string>();
  const wrongOwners: string[] = [];
  const count = { missing: 0, dangling: 0, outdated: 0 };
  for (const owner of new Set([...listHeads, ...expected.keys()])) {
    const summaries = listedSummaries(owner, rows, referencedKeys);
    const difference = compareList(summaries, expected.get(owner) ?? new Map(), clock.now());
    count.missing += difference.missing;
    count.dangling += difference.dangling;
    count.outdated += difference.outdated;
    if (Object.values(difference).some((number) => number > 0)) wrongOwners.push(owner);
  }
  const orphaned = [...rows.keys()].filter((key) => !referencedKeys.has(key));
  return {
    findings: findingsOf({
      unreadable: bad,
      'summary-missing': count.missing,
      'summary-dangling': count.dangling,
      'summary-outdated': count.outdated,
      'orphaned-row': orphaned.length,
    }),
    repair: async () => {
      await setAside();
      await namespace.delete(...orphaned);
      for (const owner of wrongOwners) await index.rewrite(owner, [...(expected.get(owner)?.values() ?? [])]);
    },
  };
}

function expectedLists(tasks: ReadonlyMap<string, Task>): Map<string, Map<string, TaskSummary>> {
  const lists = new Map<string, Map<string, TaskSummary>>();
  for (const task of tasks.values()) {
    for (const owner of listOwners(task)) {
      const list = lists.get(owner) ?? new Map<string, TaskSummary>();
      lists.set(owner, list.set(task.id, summaryOf(task)));
    }
  }
  return lists;
}

/** The summaries as a page would show them; adds the keys of the rows that contain them to `referencedKeys`. */
function listedSummaries(owner: string, rows: ReadonlyMap<string, Row>, referencedKeys: Set<string>): TaskSummary[] {
  const head = rows.get(owner);
  if (!head || !('starts' in head)) return [];
  referencedKeys.add(owner);
  return head.starts.flatMap((_, index) => {
    const position = { starts: head.starts, index };
    const key = chunkKey(owner, chunkStart(position));
    const chunk = rows.get(key);
    referencedKeys.add(key);
    return chunk && 'lines' in chunk ? summariesInRange(chunk.lines, position) : [];
  });
}

/** Summaries of tasks past their retention period are removed too, but are no finding. */
function compareList(listed: readonly TaskSummary[], expected: ReadonlyMap<string, TaskSummary>, now: number) {
  const dangling = listed.filter(({ id }) => !expected.has(id));
  const expired = dangling.filter(({ settledAt }) => isExpired(settledAt, now)).length;
  const ids = new Set(listed.map(({ id }) => id));
  const isOutdated = (summary: TaskSummary): boolean => {
    const expectedSummary = expected.get(summary.id);
    // An unsettled summary only points at its task, so it may be older.
    const mayDiffer = summary.settledAt === undefined && expectedSummary?.settledAt === undefined;
    return expectedSummary !== undefined && !mayDiffer && !isSameSummary(summary, expectedSummary);
  };
  return {
    missing: [...expected.keys()].filter((id) => !ids.has(id)).length,
    dangling: dangling.length - expired + (listed.length - ids.size),
    outdated: listed.filter(isOutdated).length,
    expired,
  };
}
