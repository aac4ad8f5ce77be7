import type { InteractionFacts } from '../../discord/place.ts';
import type { TargetMessage } from '../../discord/target-message.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasEnded, isClosed, type Task } from '../../services/tasks/task.ts';
import { earliestTaskId } from '../../services/tasks/task-id.ts';
import type { Context } from '../services.ts';

/** The buttons of a message belong to one task, or to an album and its songs. */
const MAX_NAMED_TASKS = 25;
/** The further messages of an answer have no buttons that name its task, so the answers posted shortly before are searched. */
const MAX_ANSWERS = 25;
const SKEW_MS = 60_000;

/** Finds the task whose result a message shows. */
export async function findReportedTask(target: TargetMessage, context: Context): Promise<Task> {
  const { route } = context.origin;
  const isOurs = target.posters.some(
    (id) => id === route.applicationId || id === context.services.clients.client.user?.id,
  );
  if (!isOurs) throw new Refusal('refusals.reports.noResult');
  const namedTasks = await tasksOf(target.taskIds.slice(0, MAX_NAMED_TASKS), context);
  const exactMatch = namedTasks.find((task) => isShownIn(task, target.id));
  // A private copy of a result is visible to its reader only, so it is not stored with the task.
  const onlyTask = namedTasks.length === 1 ? namedTasks[0] : undefined;
  const task =
    exactMatch ?? onlyTask ?? (namedTasks.length === 0 ? await findReportedAnswer(target, context) : undefined);
  if (!task) throw new Refusal('refusals.reports.noResult');
  return task;
}

async function findReportedAnswer(
  { id, isPrivate, createdAt }: TargetMessage,
  context: Context,
): Promise<Task | undefined> {
  const { place, services } = context;
  const listOwner = isPrivate || place.guildId === undefined ? { memberId: place.userId } : { guildId: place.guildId };
  const beforeId = earliestTaskId(createdAt + SKEW_MS);
  const { summaries } = await services.tasks.ownLists.page({
    of: listOwner,
    kinds: ['ask'],
    before: beforeId,
    max: MAX_ANSWERS,
  });
  const answers = await tasksOf(
    summaries.map((summary) => summary.id),
    context,
  );
  return answers.find((task) => isShownIn(task, id));
}

async function tasksOf(ids: readonly string[], { services }: Context): Promise<Task[]> {
  const tasks = await Promise.all(ids.map((id) => services.tasks.book.get(id)));
  return tasks.filter((task) => task !== undefined);
}

const isShownIn = ({ message, answer, beside }: Task, messageId: string): boolean =>
  [message, ...(answer?.parts ?? []), ...(beside ?? [])].some((one) => one?.id === messageId);

/** Ids can be forged: members cannot report what they cannot have seen, and a task that is still running can be cancelled instead. */
export function assertReportable(task: Task, messageId: string, { userId }: Pick<InteractionFacts, 'userId'>): void {
  const isShownToOthers = task.route.isPrivate
    ? task.beside?.some(({ id }) => id === messageId) === true
    : !isClosed(task) || isShownIn(task, messageId);
  if (task.requesterId !== userId && !isShownToOthers) throw new Refusal('refusals.reports.noResult');
  if (task.review?.outcome === 'deleted') throw new Refusal('refusals.reports.noResult');
  if (!hasEnded(task)) throw new Refusal('refusals.reports.running');
}
