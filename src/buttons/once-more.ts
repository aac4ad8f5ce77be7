import type { Services } from '../commands/services.ts';
import type { Ask } from '../discord/handlers.ts';
import type { Task } from '../services/tasks/task.ts';

/** Orders what a task ordered, as whoever pressed: a new task beside, of the same origin, and with what should differ. */
export async function orderOnceMore(
  { kind, request, parentId }: Task,
  { services, origin }: Pick<Ask<Services>, 'services' | 'origin'>,
  changes: Task['request'] = {},
): Promise<void> {
  const parent = parentId === undefined ? undefined : await services.tasks.get(parentId);
  await services.tasks.submit({ ...origin, kind, request: { ...request, ...changes }, parent });
}
