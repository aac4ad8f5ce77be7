import type { Ask } from '../../discord/handlers.ts';
import { mayManageServer, type Place } from '../../discord/place.ts';
import { Refusal } from '../../lib/refusal.ts';
import { isLive, type Task } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';

/** Everything about a task is for its owner, and for those who manage its server unless it is private. */
function maySeeAll({ requesterId, guildId, route }: Task, place: Place): boolean {
  if (requesterId === place.userId) return true;
  return guildId !== undefined && guildId === place.guildId && !route.isPrivate && mayManageServer(place);
}

/** While the end is still on its way to its own message, it is not brought to another. */
export const isShowable = (task: Task): boolean =>
  !isLive(task) && (task.state === 'ready' || task.state === 'delivered');

export async function seenTask(id: string, { services, place }: Ask<Services>): Promise<Task> {
  const task = await services.tasks.get(id);
  // Whether there is such a task is nobody else's business either.
  if (!task || !maySeeAll(task, place)) throw new Refusal('refusals.unknownTask');
  return task;
}
