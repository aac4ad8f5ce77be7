import { setImmediate } from 'node:timers/promises';
import type { TaskLine } from '../task-line.ts';
import type { TaskStore } from '../task-store.ts';

const PAGE = 100;

/** All tasks of a member, newest first; they may go while they are gone through. */
export async function* tasksOf(memberId: string, store: Pick<TaskStore, 'page'>): AsyncGenerator<TaskLine> {
  for (let before: string | undefined; ; ) {
    const { lines, next } = await store.page({ of: { memberId }, most: PAGE, before });
    yield* lines;
    if (next === undefined) return;
    before = next;
    // SQLite answers at once, so a long row of pages would keep everything else in the process waiting.
    await setImmediate();
  }
}
