import type { Ask } from '../../discord/handlers.ts';
import { mayManageMessages, mayManageServer } from '../../discord/place.ts';
import { Refusal } from '../../lib/refusal.ts';
import { isClosed, isLive, type Task } from '../../services/tasks/task.ts';
import { maySeeAccount } from '../audience.ts';
import type { Services } from '../services.ts';

/** Where the work of a whole server may be seen: there, by those who manage it, and by whoever runs the bot. */
export async function maySeeServer({ place, services }: Ask<Services>): Promise<boolean> {
  return place.guildId !== undefined && (mayManageServer(place) || (await services.isOperator(place.userId)));
}

/** Everything about a task is for its owner; and unless it is private, for those who may see its server's. */
async function maySeeAll(task: Task, ask: Ask<Services>): Promise<boolean> {
  const { requesterId, guildId } = task;
  if (requesterId === ask.place.userId) return true;
  return !isClosed(task) && guildId !== undefined && guildId === ask.place.guildId && (await maySeeServer(ask));
}

/** While the end is still on its way to its own message, it is not brought to another. */
export const isShowable = (task: Task): boolean =>
  !isLive(task) && (task.state === 'ready' || task.state === 'delivered');

export async function seenTask(id: string, ask: Ask<Services>): Promise<Task> {
  const task = await ask.services.tasks.book.get(id);
  // Whether there is such a task is nobody else's business either.
  if (!task || !(await maySeeAll(task, ask))) throw new Refusal('refusals.unknownTask');
  return task;
}

/** What others used is for those who may see the account. */
export async function maySeeCost({ requesterId }: Task, ask: Ask<Services>): Promise<boolean> {
  return requesterId === ask.place.userId || maySeeAccount(ask);
}

/** Permissions hold for the channel they are told of. An order that was made once more shows the newer one in the same message. */
export function mayDeleteMessage(
  { message, requesterId, successorId, ...task }: Task,
  { place }: Ask<Services>,
): boolean {
  if (!message || task.times.settled === undefined || successorId !== undefined) return false;
  return requesterId === place.userId || (message.channelId === place.channelId && mayManageMessages(place));
}
