import type { TargetMessage } from '../discord/target-message.ts';
import type { Task } from '../services/tasks/task.ts';
import { earliestTaskId } from '../services/tasks/task-id.ts';
import type { Context } from './feature.ts';

/** The buttons of a message belong to one task, or to an album and its songs. */
const MAX_NAMED_TASKS = 25;
/** The further messages of an answer have no buttons that name its task, so the answers posted shortly before are searched. */
const MAX_ANSWERS = 25;
const SKEW_MS = 60_000;

/** Finds the task whose result a message of the bot shows. Anyone can forge a task's id in a message, so what may be done with the task is still to be checked. */
export async function findShownTask(target: TargetMessage, context: Context): Promise<Task | undefined> {
  const { route } = context.origin;
  const ownIds = [route.applicationId, context.services.discord.clients.identity.userId];
  if (!target.posters.some((id) => ownIds.includes(id))) return undefined;
  const namedTasks = await tasksOf(target.taskIds.slice(0, MAX_NAMED_TASKS), context);
  const exactMatch = namedTasks.find((task) => isShownIn(task, target.id));
  // A private copy of a result is visible to its reader only, so it is not stored with the task.
  const onlyTask = namedTasks.length === 1 ? namedTasks[0] : undefined;
  return exactMatch ?? onlyTask ?? (namedTasks.length === 0 ? await findAnswer(target, context) : undefined);
}

async function findAnswer(target: TargetMessage, context: Context): Promise<Task | undefined> {
  const { facts, services } = context;
  const { userId: memberId, guildId } = facts;
  const { summaries } = await services.tasks.ownLists.page({
    of: target.isPrivate || guildId === undefined ? { memberId } : { guildId },
    kinds: ['ask'],
    before: earliestTaskId(target.createdAt + SKEW_MS),
    max: MAX_ANSWERS,
  });
  const ids = summaries.map(({ id }) => id);
  return (await tasksOf(ids, context)).find((task) => isShownIn(task, target.id));
}

async function tasksOf(ids: readonly string[], { services }: Context): Promise<Task[]> {
  const tasks = await Promise.all(ids.map((id) => services.tasks.book.get(id)));
  return tasks.filter((task) => task !== undefined);
}

export const isShownIn = ({ message, answer, beside }: Task, messageId: string): boolean =>
  [message, ...(answer?.parts ?? []), ...(beside ?? [])].some((one) => one?.id === messageId);
