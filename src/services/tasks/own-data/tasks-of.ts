import { setImmediate } from 'node:timers/promises';
import type { Task } from '../task.ts';
import type { TaskStore } from '../task-store.ts';
import type { TaskSummary } from '../task-summary.ts';

const PAGE_SIZE = 100;

/** Yields the summaries of all tasks of a member, newest first. Tasks may be removed in the meantime. */
export async function* tasksOf(memberId: string, store: Pick<TaskStore, 'page'>): AsyncGenerator<TaskSummary> {
  for (let beforeId: string | undefined; ; ) {
    const { summaries, next } = await store.page({ of: { memberId }, max: PAGE_SIZE, before: beforeId });
    yield* summaries;
    if (next === undefined) return;
    beforeId = next;
    // SQLite responds synchronously, so a long run of pages would block the process.
    await setImmediate();
  }
}

/** Yields the same tasks with everything that is stored about them. */
export async function* fullTasksOf(
  memberId: string,
  { page, get }: { page: TaskStore['page']; get(id: string): Promise<Task | undefined> },
): AsyncGenerator<Task> {
  for await (const { id } of tasksOf(memberId, { page })) {
    const task = await get(id);
    if (task) yield task;
  }
}
