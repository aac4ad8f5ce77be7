import type { AppContext } from '../../../lib/app-context.ts';
import { reconcileEntry, taskEntryKey } from '../../money/entry.ts';
import type { KindSpecs } from '../../tasks/kind-spec.ts';
import { markRestored } from '../../tasks/transitions.ts';
import { type StoreAddress, unsupportedError } from '../backend.ts';
import { examineWholeStore } from '../examination/examination.ts';
import { type Namespaces, openNamespaces } from '../namespaces.ts';
import type { OpenedBackend } from '../remote/open-remote.ts';
import { MOVE_KEY, markSchema, moveMark } from '../rows/marks.ts';
import { expiryOf, isEmpty } from '../rows/raw-rows.ts';
import { openWhole } from '../rows/whole-store.ts';
import { isRunAt } from '../runs.ts';
import { openStoredTasks } from '../stored-tasks.ts';
import type { Backup } from './backup-file.ts';
import { fillStore, isUnused, type OnProgress, type PartitionRow } from './copier.ts';

interface RestoreParts extends AppContext {
  specs: KindSpecs;
  botVersion: string;
  leaseMs?: number | undefined;
  onProgress?: OnProgress | undefined;
}

/** Proposals are not restored: a member may have confirmed one since, and would order twice by pressing the button again. */
const SKIPPED_NAMESPACE = 'proposals';

/**
 * Fills an empty store from a backup. Until the end the store is marked as unfinished: no bot starts on it, and another restore starts over.
 * Tasks in progress become unconfirmed, so that nothing is sent again without its member's decision.
 */
export async function restoreStore(backup: Backup, address: StoreAddress, parts: RestoreParts) {
  const store = await openWhole(address, { ...parts, create: true, count: backup.facts.partitions });
  if (!store) throw new Error('The store was not created.');
  try {
    const [first] = store.partitions;
    const { meta } = openNamespaces(first.backend);
    const mark = await moveMark(meta).read();
    const isUnfinishedRestore = mark?.by === 'restore' && !mark.isWhole;
    if (!isUnfinishedRestore && !(await isUnused(store)))
      throw unsupportedError(
        `Nothing was restored to the store ${store.name} because it is not empty. Set STORE_URL to a new store, or move this one away first.`,
      );
    // Rows that had expired or are never restored.
    let leftOut = 0;
    const now = parts.clock.now();
    async function* rowsToRestore(): AsyncGenerator<PartitionRow> {
      for await (const row of backup.rows()) {
        const isOver = (expiryOf(row.text) ?? Number.POSITIVE_INFINITY) <= now;
        if (isOver || row.namespace === SKIPPED_NAMESPACE) leftOut += 1;
        else yield row;
      }
    }
    const written = await fillStore(store, { from: backup.digest, by: 'restore' }, rowsToRestore(), parts.onProgress);
    // Live tasks, and those of them whose outcome is unknown.
    let [live, unconfirmed] = [0, 0];
    for (const partition of store.partitions) {
      if (partition !== first && (await isEmpty(partition.backend))) continue;
      const namespaces = openNamespaces(partition.backend);
      const marked = await markAsRestored(partition, namespaces, backup.facts.at, parts);
      live += marked.live;
      unconfirmed += marked.unconfirmed;
      // Rows of the live tasks are in this version now.
      await markSchema(namespaces.meta, parts.botVersion);
    }
    const examination = await examineWholeStore(store, { ...parts, repair: true });
    await meta.delete(MOVE_KEY);
    return { name: store.name, written, leftOut, live, unconfirmed, examination };
  } finally {
    await store.close();
  }
}

/** Marks the live tasks as restored, with their ledger entries, and the run that was in progress when the backup was made. */
async function markAsRestored(
  { ownership, close }: OpenedBackend,
  namespaces: Namespaces,
  backedUpAt: number,
  { specs, log, clock }: RestoreParts,
): Promise<{ live: number; unconfirmed: number }> {
  const store = openStoredTasks({ namespaces, ownership, close, specs, log, clock });
  const liveTasks = await store.live();
  let unconfirmed = 0;
  for (const original of liveTasks) {
    const task = markRestored(original, clock.now());
    await store.put(task);
    if (task.state === 'unconfirmed') unconfirmed += 1;
    if (task.state === original.state) continue;
    await store.entries.change(taskEntryKey(task), (known) => reconcileEntry(known, task));
  }
  const [latestRun] = (await store.runs.all()).sort((a, b) => b.at - a.at);
  if (latestRun && isRunAt(latestRun, backedUpAt))
    await store.runs.put({ ...latestRun, seenAt: backedUpAt, isRestored: true });
  return { live: liveTasks.length, unconfirmed };
}
