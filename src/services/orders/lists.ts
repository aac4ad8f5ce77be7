import { setImmediate } from 'node:timers/promises';
import type { Task } from '../tasks/task.ts';
import type { TaskSummary } from '../tasks/task-summary.ts';
import type { OtherPartitions } from './other-partitions.ts';
import type { TaskLists, TaskPage, TaskReader } from './task-store.ts';

/** The lists of all partitions as one. Ids sort by time, so the newest of all are among the newest of each. */
export const mergeLists = (ownLists: TaskLists, otherPartitions: OtherPartitions): TaskLists => ({
  async page(query): Promise<TaskPage> {
    const allLists = [ownLists, ...(await otherPartitions.all())];
    const pages = await Promise.all(allLists.map((lists) => lists.page(query)));
    const mergedSummaries = pages.flatMap(({ summaries }) => summaries).sort(newestFirst);
    const summaries = mergedSummaries.slice(0, query.max);
    const hasMore = mergedSummaries.length > query.max || pages.some(({ next }) => next !== undefined);
    return { summaries, next: hasMore ? summaries.at(-1)?.id : undefined };
  },
});

const newestFirst = (one: TaskSummary, other: TaskSummary): number => (one.id > other.id ? -1 : 1);

const PAGE_SIZE = 100;

/** Yields the summaries of all tasks of a member, newest first. Tasks may be removed in the meantime. */
export async function* tasksOf(memberId: string, lists: TaskLists): AsyncGenerator<TaskSummary> {
  for (let beforeId: string | undefined; ; ) {
    const { summaries, next } = await lists.page({ of: { memberId }, max: PAGE_SIZE, before: beforeId });
    yield* summaries;
    if (next === undefined) return;
    beforeId = next;
    // SQLite responds synchronously, so a long run of pages would block the process.
    await setImmediate();
  }
}

export async function* fullTasksOf(memberId: string, lists: TaskReader): AsyncGenerator<Task> {
  for await (const { id } of tasksOf(memberId, lists)) {
    const task = await lists.get(id);
    if (task) yield task;
  }
}

/** Older results are used as reference images by the file on their message. */
const MAX_OWN_RESULTS = 50;

export async function isOwnResult(store: TaskReader, address: string, memberId: string): Promise<boolean> {
  const { summaries } = await store.page({ of: { memberId }, max: MAX_OWN_RESULTS });
  for (const { id } of summaries)
    if ((await store.get(id))?.media.some((result) => result.address === address)) return true;
  return false;
}
