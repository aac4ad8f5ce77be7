import type { OtherPartitions } from './other-partitions.ts';
import type { TaskPage, TaskStore } from './task-store.ts';
import type { TaskSummary } from './task-summary.ts';

/** The source of the lists of tasks. */
export type TaskLists = Pick<TaskStore, 'page'>;

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
