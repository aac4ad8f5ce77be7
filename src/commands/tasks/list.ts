import { customIds } from '../../discord/custom-ids.ts';
import { escapeText } from '../../discord/markdown.ts';
import { type ButtonPlan, buttonPlan, type Control, type MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasVisibleText } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { stateEmoji, typeName } from '../../messages/task-name.ts';
import { statesByFilter, type TaskFilter, type TaskSummary } from '../../services/tasks/task-summary.ts';
import type { Context } from '../feature.ts';
import { maySeeServerTasks } from './access.ts';

/** The number of tasks per page: as many as can be read at a glance on a phone. */
const PAGE_SIZE = 10;
/** Results that could not be delivered are counted up to this number. */
const MAX_UNDELIVERED = 25;

/** Loads a page of tasks. Permissions are checked each time, from the interaction. */
export async function loadTaskList(filter: TaskFilter, context: Context): Promise<MessagePlan> {
  const { services, say } = context;
  const { kind, status, words, before } = filter;
  const page = await services.tasks.lists.page({
    ...(await queryScope(filter, context)),
    // Hundreds of followed songs would hide everything else.
    max: PAGE_SIZE,
    kinds: kindsOf(kind),
    words,
    before,
    withoutParts: kind === undefined && words === undefined,
    ...(status && { states: statesByFilter[status] }),
  });
  const summaries = status === 'waiting' ? page.summaries.filter(isSettled) : page.summaries;
  const undelivered =
    filter.whose === 'mine' && status !== 'waiting' ? await countUndelivered(context) : { count: 0, hasMore: false };
  return taskListPlan({ filter, summaries, undelivered, next: page.next }, say);
}

/** Members know both kinds of actions by the same names. */
function kindsOf(kind: string | undefined): string[] | undefined {
  if (kind === undefined) return undefined;
  return kind === 'action' ? ['action', 'change'] : [kind];
}

async function queryScope({ whose }: TaskFilter, context: Context) {
  const { userId, guildId } = context.facts;
  if (whose === 'mine') return { of: { memberId: userId } };
  if (guildId === undefined) throw new Refusal('refusals.tasksNoServer');
  if (!(await maySeeServerTasks(context))) throw new Refusal('refusals.tasksNotYours');
  return { of: { guildId }, withoutPrivate: true };
}

async function countUndelivered({ services, facts }: Context) {
  const filter = { of: { memberId: facts.userId }, max: MAX_UNDELIVERED, states: statesByFilter.waiting };
  const { summaries, next } = await services.tasks.lists.page(filter);
  return { count: summaries.filter(isSettled).length, hasMore: next !== undefined };
}

const isSettled = ({ settledAt }: TaskSummary): boolean => settledAt !== undefined;

interface TasksList {
  filter: TaskFilter;
  summaries: readonly TaskSummary[];
  /** The number of results that could not be delivered. */
  undelivered: { count: number; hasMore: boolean };
  /** The id of the task before which the next page begins; undefined on the last page. */
  next: string | undefined;
}

/** Long enough for a member to recognise the prompt. */
const MAX_SUMMARY_LENGTH = 60;

export function taskListPlan({ filter, summaries, undelivered, next }: TasksList, say: Say): MessagePlan {
  const title = say(`tasks.title.${filter.whose}`);
  const { count: undeliveredCount, hasMore } = undelivered;
  const undeliveredNote = hasMore
    ? say('tasks.undeliveredAtLeast', { count: undeliveredCount })
    : say('tasks.undelivered', { count: undeliveredCount });
  const notes = undeliveredCount === 0 ? [] : [undeliveredNote];
  const rows = summaries.map((taskSummary) => rowOf(taskSummary, filter.whose, say));
  const { whose, ...filters } = filter;
  const isUnfiltered = whose === 'mine' && Object.values(filters).every((value) => value === undefined);
  const none = say(isUnfiltered ? 'tasks.noneYet' : 'tasks.none');
  const content = [`**${title}**`, ...notes, ...(rows.length === 0 ? [none] : rows)].join('\n');
  const button = (name: 'older' | 'newest' | 'showUndelivered', target: TaskFilter): ButtonPlan =>
    buttonPlan(say(`tasks.buttons.${name}`), customIds.tasks.id(target));
  const isFirst = filter.before === undefined;
  const options = summaries.map((taskSummary) => taskOption(taskSummary, say));
  const select: Control = { type: 'select', id: customIds.task.id(filter), placeholder: say('tasks.choose'), options };
  const ownData = [
    buttonPlan(say('ownData.buttons.export'), customIds.exportData.id(), { startsRow: true }),
    buttonPlan(say('ownData.buttons.delete'), customIds.eraseData.id()),
  ];
  return {
    content,
    // The page of a task has an image.
    files: [],
    controls: [
      ...(isFirst ? [] : [button('newest', { ...filter, before: undefined })]),
      ...(next === undefined ? [] : [button('older', { ...filter, before: next })]),
      ...(undeliveredCount === 0 ? [] : [button('showUndelivered', { whose: 'mine', status: 'waiting' })]),
      ...(isFirst && filter.whose === 'mine' ? ownData : []),
      ...(options.length === 0 ? [] : [select]),
    ],
  };
}

function rowOf(taskSummary: TaskSummary, whose: TaskFilter['whose'], say: Say): string {
  const { state, summary, createdAt, requesterId, isPrivate } = taskSummary;
  const summaryText = summary === '' ? '' : ` · ${escapeText(summary, MAX_SUMMARY_LENGTH)}`;
  const who = whose === 'server' ? ` · <@${requesterId}>` : '';
  const lock = isPrivate ? ' 🔒' : '';
  return `${stateEmoji[state]} ${typeName(taskSummary, say)}${summaryText}${who}${lock} · <t:${Math.floor(createdAt / 1000)}:R>`;
}

export function stateText({ state, review, isTriedAgain, isDismissed, isStopped }: TaskSummary, say: Say): string {
  if (isTriedAgain) return say('tasks.triedAgain');
  if (isDismissed) return say('tasks.dismissed');
  if (isStopped) return say('tasks.stopped');
  return review === undefined ? say(`tasks.states.${state}`) : say(`tasks.reviews.${review}`);
}

export function taskOption(taskSummary: TaskSummary, say: Say) {
  const { id, summary } = taskSummary;
  const name = typeName(taskSummary, say);
  return {
    value: id,
    label: hasVisibleText(summary) ? summary : name,
    description: `${name} · ${stateText(taskSummary, say)}`,
  };
}
