import { customIds } from '../../discord/custom-ids.ts';
import type { HandlerContext } from '../../discord/handlers.ts';
import { escapeText, inlineCode, messageLink } from '../../discord/markdown.ts';
import type { ButtonPlan, MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { costOfTask } from '../../messages/money.ts';
import { turnLines } from '../../messages/talk-message.ts';
import { buttonPlan } from '../../messages/task-buttons.ts';
import { talkTurns } from '../../services/talks/session.ts';
import { hasEnded, isClosed, type Task } from '../../services/tasks/task.ts';
import { hasOwnPrompt, typedPrompt } from '../../services/tasks/task-facts.ts';
import type { TaskFilter } from '../../services/tasks/task-summary.ts';
import { maySeeCost, remainingForOwner } from '../account-access.ts';
import type { Services } from '../services.ts';
import { canShowResult, mayDeleteMessage, visibleTask } from './access.ts';
import { stateEmoji } from './list.ts';

export async function loadTaskPage(
  id: string,
  list: TaskFilter,
  context: HandlerContext<Services>,
): Promise<MessagePlan> {
  const task = await visibleTask(id, context);
  const parent = task.parentId === undefined ? undefined : await context.services.tasks.book.get(task.parentId);
  const links = { message: messageLink(task), parent: parent && messageLink(parent) };
  const cost = (await maySeeCost(task, context)) ? await costLine(task, context) : undefined;
  const turns = await talkTurns(task, context.services.tasks.book);
  const left = cost === undefined ? undefined : remainingForOwner(task, context);
  return taskPage({ task, links, cost, left, buttons: buttonsOf(task, list, context), turns }, context.say);
}

function buttonsOf(task: Task, list: TaskFilter, context: HandlerContext<Services>): ButtonPlan[] {
  const button = (name: ButtonName, id: string): ButtonPlan[] => [buttonPlan(context.say(`tasks.buttons.${name}`), id)];
  const isOwn = task.requesterId === context.place.userId;
  return [
    ...button('back', customIds.tasks.id(list)),
    ...(canShowResult(task)
      ? [...button('showMe', customIds.showMe.id(task.id)), ...button('show', showButtonId(task))]
      : []),
    ...(isOwn ? decisionButtons(task, button) : []),
    ...(mayDeleteMessage(task, context) ? button('delete', customIds.deletePost.id(task.id)) : []),
  ];
}

type ButtonName = 'back' | 'end' | 'show' | 'showMe' | 'retry' | 'edit' | 'cancel' | 'tryAgain' | 'dismiss' | 'delete';

/** A private result is shown to others only after a confirmation. */
const showButtonId = (task: Task): string => (isClosed(task) ? customIds.showAsk : customIds.show).id(task.id);

/** This page is always private, so the buttons of a public task use custom ids that reply publicly. */
function decisionButtons(task: Task, button: (name: ButtonName, id: string) => ButtonPlan[]): ButtonPlan[] {
  const { id, state, route, failure } = task;
  if (state === 'unconfirmed') {
    const tryAgain = route.isPrivate ? customIds.tryAgainInNewMessage : customIds.tryAgainPublicly;
    return [...button('tryAgain', tryAgain.id(id)), ...button('dismiss', customIds.dismiss.id(id))];
  }
  if (task.traits.isListedByParent) return [];
  if (task.traits.isTalk) return hasEnded(task) ? [] : button('end', customIds.endTalk.id(id));
  if (!hasEnded(task)) return button('cancel', customIds.cancel.id(id));
  if (!['failed', 'expired', 'cancelled'].includes(state) || failure?.cause === 'dismissed') return [];
  // The new task is as public as this one.
  const retry = route.isPrivate ? customIds.retry : customIds.retryPublicly;
  const edit = route.isPrivate ? customIds.edit : customIds.editPublicly;
  return [...button('retry', retry.id(id)), ...(hasOwnPrompt(task) ? button('edit', edit.id(id)) : [])];
}

interface TaskPage {
  task: Task;
  /** The task's message and its parent's, if known. */
  links: { message?: string | undefined; parent?: string | undefined };
  /** Undefined if the task costs nothing, or the reader is not allowed to see the cost. */
  cost: string | undefined;
  /** What remains of the reader's limits, if the task is their own. */
  left: string | undefined;
  buttons: readonly ButtonPlan[];
  turns: readonly Task[];
}

const MAX_PROMPT_LENGTH = 6_000;
const MAX_REASON_LENGTH = 500;

function taskPage({ task, links, cost, left, buttons, turns }: TaskPage, say: Say): MessagePlan {
  const promptText = typedPrompt(task);
  const lines = [
    `${stateEmoji[task.state]} **${say(`tasks.kinds.${task.kind}`)}** · ${say(`tasks.states.${task.state}`)}`,
    ...factLines(task, { ...links, cost, left }, say),
    ...resultLines(task, say),
    // The whole prompt, because content that is too long for a message becomes a file.
    ...(promptText === '' ? [] : ['', escapeText(promptText, MAX_PROMPT_LENGTH)]),
    ...(turns.length === 0 ? [] : ['', ...turnLines(turns, say)]),
  ];
  return { content: lines.join('\n'), overflow: 'file', controls: buttons };
}

function factLines(task: Task, { message, parent, cost, left }: KnownFacts, say: Say): string[] {
  const { times, polls, remoteId, model, seed, failure, delivery } = task;
  const timestamp = (time: number | undefined): string | undefined =>
    time === undefined ? undefined : `<t:${Math.floor(time / 1000)}:f>`;
  const facts = {
    model: model === undefined ? undefined : inlineCode(model),
    requested: timestamp(times.created),
    accepted: timestamp(times.accepted),
    ended: timestamp(times.ended),
    delivered: delivery.undeliverable === undefined ? timestamp(times.settled) : undefined,
    polls: String(polls),
    reference: inlineCode(task.id),
    remoteId: remoteId === undefined ? undefined : inlineCode(remoteId),
    seed: seed === undefined ? undefined : inlineCode(seed),
    options: optionsText(task),
    cost,
    left,
    reason: failure?.reason === undefined ? undefined : escapeText(failure.reason, MAX_REASON_LENGTH),
    message,
    parent,
    visibility: isClosed(task) ? say('tasks.visibility.private') : undefined,
    notDelivered:
      delivery.undeliverable === undefined ? undefined : say(`tasks.undeliverable.${delivery.undeliverable}`),
  };
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${say(`tasks.facts.${name as keyof typeof facts}`)}: ${value}`],
  );
}

type KnownFacts = TaskPage['links'] & Pick<TaskPage, 'cost' | 'left'>;

async function costLine(task: Task, { services, say }: HandlerContext<Services>): Promise<string | undefined> {
  if (!task.traits.isPaid) return undefined;
  const knownCost = await services.tasks.ledger?.costOf(task);
  const cost = costOfTask(task, knownCost, say);
  if (!knownCost) return cost;
  const { estimate } = task;
  const sourceText = knownCost.isEstimate && estimate ? ` (${say(`tasks.priceFrom.${estimate.source}`)})` : '';
  const standing = task.releasedAt === undefined ? knownCost.standing : 'released';
  return say(`tasks.cost.${standing}`, { cost: cost + sourceText });
}

/** Properties of a request that have lines of their own, or that only refer to files and other tasks. */
const OMITTED_OPTIONS = new Set([
  ...['prompt', 'typed', 'model', 'of', 'label', 'customId', 'pictures', 'references', 'region'],
  ...['ids', 'parts', 'isLyrics', 'talk', 'sound', 'isClosed'],
]);

function optionsText({ request }: Task): string | undefined {
  const shownOptions = Object.entries(request).flatMap(([name, value]) =>
    OMITTED_OPTIONS.has(name) || value === undefined
      ? []
      : [inlineCode(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)],
  );
  return shownOptions.length === 0 ? undefined : shownOptions.join(' ');
}

/** The gateway's own URLs of the results, and when they expire. */
function resultLines({ media }: Task, say: Say): string[] {
  return media.flatMap(({ address, expiresAt }) => {
    if (address === undefined) return [];
    if (expiresAt === undefined) return [say('tasks.original', { address })];
    return [say('tasks.originalUntil', { address, until: String(Math.floor(expiresAt / 1000)) })];
  });
}
