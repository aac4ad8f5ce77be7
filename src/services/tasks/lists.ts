import type { OtherPartitions } from './other-partitions.ts';
import type { TaskPage, TaskStore } from './task-store.ts';
import type { TaskSummary } from './task-summary.ts';

/** The source of the lists of tasks. */
export type TaskLists = Pick<TaskStore, 'page'>;

/** The lists of all partitions as one. Ids sort by time, so the newest of all are among the newest of each. */
export const mergeLists = (own: TaskLists, others: OtherPartitions): TaskLists => ({
  async page(query): Promise<TaskPage> {
    const all = [own, ...(await others.all())];
    const pages = await Promise.all(all.map((lists) => lists.page(query)));
    const found = pages.flatMap(({ summaries }) => summaries).sort(newestFirst);
    const summaries = found.slice(0, query.max);
    const hasMore = found.length > query.max || pages.some(({ next }) => next !== undefined);
    return { summaries, next: hasMore ? summaries.at(-1)?.id : undefined };
  },
});

const newestFirst = (one: TaskSummary, other: TaskSummary): number => (one.id > other.id ? -1 : 1);
