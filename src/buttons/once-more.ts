import type { Services } from '../commands/services.ts';
import { mayPostFiles } from '../discord/guards.ts';
import type { Ask } from '../discord/handlers.ts';
import type { Task } from '../services/tasks/task.ts';

/** Orders what a task ordered, as whoever pressed: a new task beside, of the same origin, and with what should differ. */
export async function orderOnceMore(
  { kind, request, parentId }: Task,
  { services, origin, place }: Pick<Ask<Services>, 'services' | 'origin' | 'place'>,
  changes: Task['request'] = {},
): Promise<void> {
  // What was allowed when it was ordered first may not be any more, or not where it was brought.
  const objection = mayPostFiles(place, { private: origin.route.isPrivate });
  if (objection) throw objection;
  const parent = parentId === undefined ? undefined : await services.tasks.get(parentId);
  await services.tasks.submit({ ...origin, kind, request: { ...request, ...changes }, parent });
}
