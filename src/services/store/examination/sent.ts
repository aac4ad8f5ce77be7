import { mayBeSentAgain, type Task } from '../../tasks/task.ts';
import { sentSchema } from '../sent-rows.ts';
import type { Shelf } from '../shelf.ts';
import { counted, type Look } from './finding.ts';

/** Orders as they were sent, kept for nobody: a crash came between the end of a task and theirs. They may be large, so only their keys are held. */
export async function lookAtSent(shelf: Shelf, tasks: ReadonlyMap<string, Task>): Promise<Look> {
  const past: string[] = [];
  let unreadable = 0;
  for await (const [id, value] of shelf.entries()) {
    const task = tasks.get(id);
    if (!task || !mayBeSentAgain(task)) past.push(id);
    else if (!sentSchema.safeParse(value).success) {
      // Of no use to anybody, and nothing that is set aside is ever deleted.
      unreadable += 1;
      past.push(id);
    }
  }
  return {
    findings: counted({ unreadable, 'order-astray': past.length - unreadable }),
    repair: () => shelf.delete(...past),
  };
}
