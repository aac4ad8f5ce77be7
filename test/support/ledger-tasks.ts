import { type EntryStore, reconcileEntry, taskEntryKey } from '../../src/services/money/entry.ts';
import type { StoredTasks } from '../../src/services/store/stored-tasks.ts';
import type { Task } from '../../src/services/tasks/task.ts';

/** The stored tasks that have an entry in the ledger, oldest first. */
export async function ledgerTasks(entries: Pick<EntryStore, 'readRange' | 'task'>): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const { id } of entries.readRange('', '9999-12-31')) {
    const task = await entries.task(id);
    if (task) tasks.push(task);
  }
  return tasks;
}

/** Stores a task with its entry in the ledger. */
export async function putWithEntry(store: StoredTasks, task: Task): Promise<void> {
  await store.put(task);
  await store.entries.change(taskEntryKey(task), (known) => reconcileEntry(known, task));
}
