import type { TaskStore } from '../tasks/task-store.ts';

/** Older results are used as reference images by the file on their message. */
const MAX_TASKS = 50;

/** Whether the address is that of a result of one of the member's newest tasks. */
export async function isOwnResult(
  store: Pick<TaskStore, 'page' | 'get'>,
  address: string,
  memberId: string,
): Promise<boolean> {
  const { summaries } = await store.page({ of: { memberId }, max: MAX_TASKS });
  for (const { id } of summaries)
    if ((await store.get(id))?.media.some((result) => result.address === address)) return true;
  return false;
}
