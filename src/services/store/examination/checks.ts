import type { Clock } from '../../../lib/clock.ts';
import { keysOf } from '../../../lib/entries.ts';
import {
  closeOrphan,
  type Entry,
  reconcileEntry,
  standingOf,
  taskEntryKey,
  withAmountsOf,
} from '../../ledger/entry.ts';
import { dropExpiredToken } from '../../tasks/delivery-state.ts';
import { isLive, type KindSpecs, mayBeSentAgain, type Task } from '../../tasks/task.ts';
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
  | 'expired-token'
  | 'past'
  | 'line-missing'
  | 'line-dangling'
  | 'line-outdated'
  | 'row-astray'
  | 'order-astray'
  | 'fingerprint-astray'
  | 'fingerprint-missing'
  | 'entry-missing'
  | 'entry-different'
  | 'wrong-partition'
  | 'secret-different'
  | 'secret-in-use'
  | 'partition-unknown';

/** What the doctor does not repair. */
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
  {
    rows,
    quarantine,
    clock,
    reading,
  }: { rows: TaskRows; quarantine: Quarantine; clock: Clock; reading: ReadingContext },
): Promise<Check & { tasks: ReadonlyMap<string, Task> }> {
  const now = clock.now();
  const sorted = (namespace: Namespace) => rowsOfTasks(namespace, quarantine, reading).readAll();
  const places = { live: await sorted(live), finished: await sorted(finished) };
  const tasks = new Map<string, Task>();
  const wrong: Task[] = [];
  const past: string[] = [];
  const count = { both: 0, misplaced: 0, token: 0 };
  for (const [id, stored] of new Map([...places.live.good, ...places.finished.good])) {
    const task = dropExpiredToken(stored, now);
    const isInLive = places.live.good.has(id);
    const isInFinished = places.finished.good.has(id);
    if (isExpired(task.times.settled, now)) {
      past.push(id);
      continue;
    }
    const isInBoth = isInLive && isInFinished;
    const isMisplaced = !isInBoth && isLive(task) !== isInLive;
    const hadToken = task !== stored;
    count.both += Number(isInBoth);
    count.misplaced += Number(isMisplaced);
    count.token += Number(hadToken);
    if (isInBoth || isMisplaced || hadToken) wrong.push(task);
    tasks.set(id, task);
  }
  return {
    tasks,
    findings: findingsOf({
      unreadable: places.live.bad + places.finished.bad,
      'in-both-places': count.both,
      misplaced: count.misplaced,
      'expired-token': count.token,
      past: past.length,
    }),
    repair: async () => {
      await places.live.setAside();
      await places.finished.setAside();
      for (const task of wrong) await rows.putInPlace(task);
      await live.delete(...past);
      await finished.delete(...past);
    },
  };
}

/** Bodies that no order needs any more, left by a crash. They may be large, so only their keys are held. */
export async function checkSentOrders(namespace: Namespace, tasks: ReadonlyMap<string, Task>): Promise<Check> {
  const past: string[] = [];
  let unreadable = 0;
  for await (const [id, value] of namespace.entries()) {
    const task = tasks.get(id);
    if (!task || !mayBeSentAgain(task)) past.push(id);
    else if (!sentOrder.safeParse(value).success) {
      // It is useless, and rows that are set aside are never deleted, so this one is deleted instead.
      unreadable += 1;
      past.push(id);
    }
  }
  return {
    findings: findingsOf({ unreadable, 'order-astray': past.length - unreadable }),
    repair: () => namespace.delete(...past),
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
  const astray = [...good].flatMap(([id, row]) => (isAsExpected(tasks.get(id), row) ? [] : [id]));
  const wrong = new Set(astray);
  const missing = [...tasks.values()].filter(
    (task) => expectedRowOf(task) && (!good.has(task.id) || wrong.has(task.id)),
  );
  return {
    findings: findingsOf({
      unreadable: bad,
      'fingerprint-astray': astray.length,
      'fingerprint-missing': missing.filter(({ id }) => !wrong.has(id)).length,
    }),
    repair: async () => {
      await setAside();
      await namespace.delete(...astray);
      for (const task of missing) await rows.putFinished(task);
    },
  };
}

/** Compares the ledger with the tasks. Entries of erased tasks stay as they are: nothing is left to make them from. */
export async function checkLedger(
  { ledger, meta }: Namespaces,
  quarantine: Quarantine,
  { tasks, clock }: { tasks: ReadonlyMap<string, Task>; clock: Clock },
): Promise<Check> {
  const { good, bad, setAside } = await ledgerRows(ledger, quarantine).readAll();
  const expected = new Map<string, Entry>();
  const isKept = (await ledgerMark(meta).read()) !== undefined;
  // A store without a ledger gets one at the next start.
  for (const task of isKept ? [...tasks.values()].filter(({ traits }) => traits.isPaid) : []) {
    const key = taskEntryKey(task);
    const known = good.get(key);
    // Older versions left dismissed orders unconfirmed; both are counted the same way.
    const isOlder = known && task.failure?.cause === 'dismissed' && standingOf(known) === 'unconfirmed';
    expected.set(key, withAmountsOf(isOlder ? known : reconcileEntry(known, task), task));
  }
  for (const [key, entry] of good) if (!expected.has(key)) expected.set(key, closeOrphan(entry, clock.now()));
  const wrong = [...expected].filter(([key, entry]) => good.get(key) !== entry);
  const missing = wrong.filter(([key]) => !good.has(key)).length;
  return {
    findings: findingsOf({ unreadable: bad, 'entry-missing': missing, 'entry-different': wrong.length - missing }),
    repair: async () => {
      await setAside();
      await ledger.putMany(wrong.map(([key, value]) => ({ key, value })));
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

export async function checkRows<T extends object>(rows: Rows<T>): Promise<Check> {
  const { bad, setAside } = await rows.readAll();
  return { findings: findingsOf({ unreadable: bad }), repair: setAside };
}

/** Rows that the adapter treats as gone, so that no other check sees them. */
export async function checkExpired(backend: Backend, clock: Clock): Promise<Check> {
  const past = await backend.countExpired(clock.now());
  return { findings: findingsOf({ past }), repair: () => backend.clearExpired() };
}

type Row = { starts: string[] } | { lines: TaskSummary[] };

/** Compares every list with the tasks, and rewrites those that differ. */
export async function checkLists(
  namespace: Namespace,
  quarantine: Quarantine,
  { tasks, specs }: { tasks: ReadonlyMap<string, Task>; specs: KindSpecs },
): Promise<Check> {
  const index = new SummaryIndex(namespace, quarantine, specs);
  const lines = chunkSchema(specs);
  const readRow = (_key: string, value: unknown): Row | string =>
    headSchema.safeParse(value).data ?? lines.safeParse(value).data ?? UNREADABLE;
  const { good: rows, bad, setAside } = await new Rows(namespace, quarantine, readRow).readAll();
  const expected = expectedLists(tasks);
  const heads = [...rows].filter(([, row]) => 'starts' in row).map(([key]) => key);
  const named = new Set<string>();
  const wrong: string[] = [];
  const count = { missing: 0, dangling: 0, outdated: 0 };
  for (const owner of new Set([...heads, ...expected.keys()])) {
    const listed = listedSummaries(owner, rows, named);
    const difference = compareList(listed, expected.get(owner) ?? new Map());
    count.missing += difference.missing;
    count.dangling += difference.dangling;
    count.outdated += difference.outdated;
    if (difference.missing + difference.dangling + difference.outdated > 0) wrong.push(owner);
  }
  const astray = [...rows.keys()].filter((key) => !named.has(key));
  return {
    findings: findingsOf({
      unreadable: bad,
      'line-missing': count.missing,
      'line-dangling': count.dangling,
      'line-outdated': count.outdated,
      'row-astray': astray.length,
    }),
    repair: async () => {
      await setAside();
      await namespace.delete(...astray);
      for (const owner of wrong) await index.rewrite(owner, [...(expected.get(owner)?.values() ?? [])]);
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

/** The summaries as a page would show them; adds the keys of the rows that hold them to `named`. */
function listedSummaries(owner: string, rows: ReadonlyMap<string, Row>, named: Set<string>): TaskSummary[] {
  const head = rows.get(owner);
  if (!head || !('starts' in head)) return [];
  named.add(owner);
  return head.starts.flatMap((_, at) => {
    const place = { starts: head.starts, at };
    const key = chunkKey(owner, chunkStart(place));
    const chunk = rows.get(key);
    named.add(key);
    return chunk && 'lines' in chunk ? summariesInRange(chunk.lines, place) : [];
  });
}

function compareList(listed: readonly TaskSummary[], expected: ReadonlyMap<string, TaskSummary>) {
  const ids = new Set(listed.map(({ id }) => id));
  const isOutdated = (line: TaskSummary): boolean => {
    const expectedLine = expected.get(line.id);
    // An unsettled summary only points at its task, so it may be older.
    const mayDiffer = line.settledAt === undefined && expectedLine?.settledAt === undefined;
    return expectedLine !== undefined && !mayDiffer && !isSameSummary(line, expectedLine);
  };
  return {
    missing: [...expected.keys()].filter((id) => !ids.has(id)).length,
    dangling: listed.filter(({ id }) => !expected.has(id)).length + (listed.length - ids.size),
    outdated: listed.filter(isOutdated).length,
  };
}
