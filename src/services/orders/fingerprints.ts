import { expecting } from '../../lib/expecting.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Fingerprint, MAX_DIFFERENT_BITS, unknownFingerprints } from '../media/fingerprint.ts';
import { addFingerprints } from '../tasks/delivery-state.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskBook } from './book.ts';
import { FingerprintIndex } from './fingerprint-index.ts';

/** The fingerprints of settled tasks, stored separately because reading all tasks to find one would take too long. */
export interface FingerprintStore {
  all(): AsyncIterable<{ taskId: string; files: readonly Fingerprint[] }>;
}

export interface Recognition {
  how: 'same' | 'alike';
  /** Tasks that delivered the file, the newest or most similar first. */
  tasks: readonly Task[];
}

/** Enough to find a task that the member who asked is allowed to see. */
const MAX_TASKS = 20;

export type Fingerprints = ReturnType<typeof createFingerprints>;

/**
 * Finds the task that delivered a file. The fingerprints are stored with the task, so they do not outlive it. `maxFiles`: the most files held in
 * memory.
 */
export function createFingerprints(book: TaskBook, store: FingerprintStore, maxFiles?: number) {
  /** Read from the store when the index is first needed. */
  let reading: Promise<FingerprintIndex> | undefined;
  book.onRemove(({ id }) => void reading?.then((index) => index.remove(id), ignore));

  async function read(): Promise<FingerprintIndex> {
    const index = new FingerprintIndex(maxFiles);
    // The live tasks are read first, because a task that settles in the meantime may be missing from the rows.
    const live = book.live(({ fingerprints }) => fingerprints !== undefined);
    for await (const { taskId, files } of store.all()) index.add(taskId, files);
    for (const { id, fingerprints = [] } of live) index.add(id, fingerprints);
    return index;
  }

  async function matchingTasks(ids: readonly string[], matches: (file: Fingerprint) => boolean): Promise<Task[]> {
    const tasks: Task[] = [];
    for (const id of ids) {
      const task = await book.get(id);
      if (task && !task.unwanted && task.fingerprints?.some(matches)) tasks.push(task);
    }
    return tasks;
  }

  return {
    /** Called before the files are delivered, so no delivered file is unknown. Does not throw if the store is unreachable or the task was erased. */
    async record(taskId: string, files: readonly Fingerprint[]): Promise<void> {
      if (files.length === 0) return;
      let added: readonly Fingerprint[] = [];
      const add = (task: Task): Task => {
        added = unknownFingerprints(task.fingerprints ?? [], files);
        return addFingerprints(task, files);
      };
      // Until its delivery is confirmed in the store, it is repeated after a power cut, and adds them again.
      const options = { mustHold: true, isRepeatable: ({ state }: Task) => state === 'ready' };
      await book.change(taskId, add, options).catch(expecting(Refusal, () => undefined));
      void reading?.then((index) => index.add(taskId, added), ignore);
    },

    /** Undefined if none of the tasks that are still stored has delivered the file. */
    async recognise({ hash, likeness }: Fingerprint): Promise<Recognition | undefined> {
      reading ??= read();
      const index = await reading.catch((error: unknown) => {
        reading = undefined;
        throw error;
      });
      const same = await matchingTasks(index.findByHash(hash, MAX_TASKS), (file) => file.hash === hash);
      if (same.length > 0) return { how: 'same', tasks: same };
      if (likeness === undefined) return undefined;
      const similar = index.findSimilar(likeness, MAX_TASKS);
      const alike = await matchingTasks(similar, (file) => isAlike(file.likeness, likeness));
      return alike.length > 0 ? { how: 'alike', tasks: alike } : undefined;
    },
  };
}

/** Ignores a failure, because the next search reports it. */
const ignore = (): void => undefined;

function isAlike(known: string | undefined, other: string): boolean {
  if (known === undefined) return false;
  const different = (BigInt(`0x${known}`) ^ BigInt(`0x${other}`)).toString(2);
  return different.replaceAll('0', '').length <= MAX_DIFFERENT_BITS;
}
