import type { Task } from '../tasks/task.ts';
import type { Tasks } from '../tasks/tasks.ts';

/** What was said in a conversation, in its order; what is gone is left out. */
export async function turnsOf({ talk }: Task, tasks: Pick<Tasks, 'get'>): Promise<Task[]> {
  const turns: Task[] = [];
  for (const id of talk?.turns ?? []) {
    const turn = await tasks.get(id);
    if (turn) turns.push(turn);
  }
  return turns;
}
