import { customIds } from '../../discord/custom-ids.ts';
import { reasonText } from '../../discord/funnel.ts';
import { escapeText, inlineCode, linkToMessage, messageLink } from '../../discord/markdown.ts';
import {
  type ButtonPlan,
  buttonPlan,
  type Control,
  type MessagePlan,
  type PreparedMessage,
} from '../../discord/plan.ts';
import { entriesOf } from '../../lib/entries.ts';
import { isRecord } from '../../lib/exact-json.ts';
import type { Say } from '../../locales/index.ts';
import type { Strings } from '../../locales/strings.ts';
import { costOfTask } from '../../messages/money.ts';
import { sourcesText } from '../../messages/sources.ts';
import { turnLines } from '../../messages/talk-message.ts';
import { stateEmoji, taskName } from '../../messages/task-name.ts';
import { talkTurns } from '../../services/conversations/talk-session.ts';
import { leftCopyOf } from '../../services/tasks/delivery-state.ts';
import { areResultsHidden, hasEnded, isClosed, isHeld, type Task } from '../../services/tasks/task.ts';
import { hasOwnPrompt, isSpoiler, titleOf, typedPrompt } from '../../services/tasks/task-facts.ts';
import { summaryOf, type TaskFilter } from '../../services/tasks/task-summary.ts';
import { maySeeCost, remainingForOwner } from '../account-access.ts';
import type { Context } from '../feature.ts';
import { addedText } from '../options.ts';
import { canDeleteMessage, canShowResult, isResultVisible, mayDeleteMessage, visibleTask } from './access.ts';
import { stateText } from './list.ts';

/** What a task is and cost, with a small copy of its result. */
export async function loadTaskPage(
  id: string,
  list: TaskFilter,
  context: Context,
  /** What the button on this page did. */
  note?: string,
): Promise<MessagePlan | PreparedMessage> {
  const { services, say } = context;
  const task = await visibleTask(id, context);
  const cost = (await maySeeCost(task, context)) ? await costLines(task, context) : undefined;
  const turns = await talkTurns(task, services.tasks.book);
  const left = cost === undefined ? undefined : remainingForOwner(task, context);
  // The page of a task that was tried again leads to the newer one.
  const successor = task.successorId === undefined ? undefined : await services.tasks.book.get(task.successorId);
  const copy = leftCopyOf(task);
  const address = messageLink(successor ?? task) ?? (copy && linkToMessage(copy));
  const controls = pageControls(task, address, list, context);
  const lines = [
    ...(note === undefined ? [] : [note, '']),
    ...pageLines(task, say),
    ...(cost ?? []),
    ...factLines({ left }, say),
    ...(turns.length === 0 ? [] : ['', ...turnLines(turns, say)]),
  ];
  const plan: MessagePlan = { content: lines.join('\n'), overflow: 'file', files: [], controls };
  const preview = isResultVisible(task)
    ? await services.messages.previewOfResult({ ...task, language: say.language })
    : undefined;
  if (!preview) return plan;
  return { plan: { ...plan, files: [preview.file] }, fallback: plan, release: preview.fitted.release };
}

/** Everything else that is known about a task: times, ids and addresses. */
export async function loadTaskDetails(id: string, list: TaskFilter, context: Context): Promise<MessagePlan> {
  const { services, say } = context;
  const task = await visibleTask(id, context);
  const parent = task.parentId === undefined ? undefined : await services.tasks.book.get(task.parentId);
  return {
    content: [`**${taskName(task, say)}**`, ...detailLines(task, parent, say), ...cutPromptLines(task)].join('\n'),
    overflow: 'file',
    files: [],
    controls: [buttonPlan(say('tasks.buttons.back'), customIds.taskPage.id({ taskId: task.id, list }))],
  };
}

function pageControls(task: Task, address: string | undefined, list: TaskFilter, context: Context): Control[] {
  const { say, facts } = context;
  const button = (name: ButtonName, id: string): ButtonPlan[] => [buttonPlan(say(`tasks.buttons.${name}`), id)];
  // A private result is shown to others only after a confirmation.
  const showToOthers = isClosed(task) ? customIds.showAsk : customIds.show;
  const [first, ...rest] = [
    ...(canShowResult(task)
      ? [...button('showMe', customIds.showMe.id(task.id)), ...button('show', showToOthers.id(task.id))]
      : []),
    ...(task.requesterId === facts.userId ? ownerButtons(task, list, button) : []),
    ...(mayDeleteMessage(task, context) && canDeleteMessage(task)
      ? button('delete', customIds.deleteFromPage.id({ taskId: task.id, list }))
      : []),
  ];
  return [
    ...(address === undefined ? [] : [{ type: 'link' as const, address, label: say('tasks.buttons.message') }]),
    ...button('details', customIds.taskDetails.id({ taskId: task.id, list })),
    ...button('back', customIds.tasks.id(list)),
    ...(first ? [{ ...first, startsRow: true }, ...rest] : []),
  ];
}

type ButtonName = keyof Strings['tasks']['buttons'];

type MakeButton = (name: ButtonName, id: string) => ButtonPlan[];

function ownerButtons(task: Task, list: TaskFilter, button: MakeButton): ButtonPlan[] {
  if (!canShowResult(task)) return decisionButtons(task, button);
  if (!task.traits.isVisual || task.request.spoiler === 'required') return [];
  const pointer = { taskId: task.id, list };
  return isSpoiler(task)
    ? button('showOpenly', customIds.showOpenly.id(pointer))
    : button('hideResult', customIds.hideResult.id(pointer));
}

/** This page is always private, so the buttons of a public task use custom ids that reply publicly. */
function decisionButtons(task: Task, button: MakeButton): ButtonPlan[] {
  const { id, state, route, failure, successorId } = task;
  if (state === 'unconfirmed') {
    const tryAgain = route.isPrivate ? customIds.tryAgainInNewMessage : customIds.tryAgainPublicly;
    return [
      // A task can be tried again only once.
      ...(successorId === undefined ? button('tryAgain', tryAgain.id(id)) : []),
      ...button('dismiss', customIds.dismiss.id(id)),
    ];
  }
  if (task.traits.isListedByParent) return [];
  if (task.traits.isTalk) return hasEnded(task) ? [] : button('end', customIds.endTalk.id(id));
  // A job at the gateway cannot be canceled.
  if (!hasEnded(task)) return state === 'waiting' ? button('cancel', customIds.cancel.id(id)) : [];
  if (!['failed', 'expired', 'cancelled'].includes(state) || failure?.cause === 'dismissed') return [];
  // The new task is as public as this one.
  const retry = route.isPrivate ? customIds.retry : customIds.retryPublicly;
  const edit = route.isPrivate ? customIds.edit : customIds.editPublicly;
  return [...button('retry', retry.id(id)), ...(hasOwnPrompt(task) ? button('edit', edit.id(id)) : [])];
}

/** Leaves space for the rest of the page. */
const MAX_PROMPT_LENGTH = 1_000;
const MAX_WHOLE_PROMPT_LENGTH = 6_000;
const MAX_REASON_LENGTH = 500;

function pageLines(task: Task, say: Say): string[] {
  const { failure, delivery } = task;
  const taskSummary = summaryOf(task);
  const prompt = escapeText(typedPrompt(task) || titleOf(task), MAX_PROMPT_LENGTH);
  return [
    ...(prompt === '' ? [] : [`**${prompt}**`]),
    `${stateEmoji[taskSummary.state]} ${taskName(task, say)} · ${stateText(taskSummary, say)}`,
    ...factLines(
      {
        reason:
          failure?.reason === undefined ? undefined : escapeText(reasonText(failure.reason, say), MAX_REASON_LENGTH),
        visibility: isClosed(task)
          ? say(isHeld(task) ? 'tasks.visibility.held' : 'tasks.visibility.private')
          : undefined,
      },
      say,
    ),
    ...(delivery.undeliverable === undefined ? [] : [say(`tasks.notDelivered.${delivery.undeliverable}`)]),
  ];
}

/** The whole prompt, if the page shows only its start; content that is too long for a message becomes a file. */
function cutPromptLines(task: Task): string[] {
  const prompt = escapeText(typedPrompt(task), MAX_WHOLE_PROMPT_LENGTH);
  return prompt.length < MAX_PROMPT_LENGTH ? [] : ['', prompt];
}

function detailLines(task: Task, parent: Task | undefined, say: Say): string[] {
  const { id, state, times, polls, remoteId, model, seed, delivery, traits } = task;
  const code = (text: string | undefined): string | undefined => (text === undefined ? undefined : inlineCode(text));
  const timestamp = (time: number | undefined): string | undefined =>
    time === undefined ? undefined : `<t:${Math.floor(time / 1000)}:f>`;
  const facts = {
    // The gateway chooses the model of a song that names none.
    model: code(model) ?? (traits.modelKind === 'music' ? say('tasks.chosenByGateway') : undefined),
    options: optionsText(task),
    sources: sourcesText(task.request, say),
    seed: code(seed),
    requested: timestamp(times.created),
    // A batch itself is never sent to the gateway.
    accepted: traits.isBatch ? undefined : timestamp(times.accepted),
    // Whether an unconfirmed task has ended, or ever began, is unknown.
    ...(state !== 'unconfirmed' && {
      ended: timestamp(times.ended),
      delivered: delivery.undeliverable === undefined ? timestamp(times.settled) : undefined,
    }),
    polls: traits.isBatch ? undefined : String(polls),
    reference: inlineCode(id),
    remoteId: code(remoteId),
    parent: parent && messageLink(parent),
  };
  return [...factLines(facts, say), ...(areResultsHidden(task) ? [] : resultLines(task, say))];
}

const factLines = (facts: Partial<Record<FactName, string | undefined>>, say: Say): string[] =>
  entriesOf(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [say('labeled', { label: say(`tasks.facts.${name}`), value })],
  );

type FactName = keyof Strings['tasks']['facts'];

/** What a task cost, and where an estimate comes from; undefined for a task that costs nothing. */
async function costLines(task: Task, { services, say }: Context): Promise<string[] | undefined> {
  if (!task.traits.isPaid) return undefined;
  const knownCost = await services.tasks.ledger?.costOf(task);
  const cost = costOfTask(task, knownCost, say);
  if (!knownCost) return [say('tasks.costs.settled', { cost })];
  const standing = task.releasedAt === undefined ? knownCost.standing : 'released';
  const isUnknown = task.isRepeated || task.failure?.cause === 'dismissed' || task.failure?.cause === 'unconfirmed';
  const { estimate } = task;
  return [
    say(`tasks.costs.${standing === 'settled' && isUnknown ? 'assumed' : standing}`, { cost }),
    ...(knownCost.isEstimate && estimate ? [say(`tasks.estimatedFrom.${estimate.source}`)] : []),
  ];
}

/** Properties of a request that have lines of their own, or that only refer to files and other tasks. */
const OMITTED_OPTIONS = new Set([
  'pictures',
  ...'prompt typed suffix model of label customId references region ids parts children threadId'.split(' '),
  ...'retries isLyrics talk sound isClosed memberLanguage words after extend who notSent sources'.split(' '),
  ...'persona about isStopped end'.split(' '),
]);

/** Options that a command calls something else than the stored request does. */
const OPTION_NAMES: Readonly<Partial<Record<string, string>>> = {
  aspectRatio: 'size',
  resolution: 'size',
  faceCheck: 'face_check',
  negative_prompt: 'negative',
  camera_control: 'camera',
  personaName: 'persona',
};

function optionsText({ request, traits }: Task): string | undefined {
  const isOmitted = (name: string): boolean =>
    OMITTED_OPTIONS.has(name) ||
    // Only songs have a title that the member chose.
    (name === 'title' && !traits.keepsTitle) ||
    // A schema determines the format.
    (name === 'format' && request.schema !== undefined);
  const shownOptions = Object.entries(request)
    .filter(([name, value]) => !isOmitted(name) && value !== undefined)
    // Each field in it is an option of its own.
    .flatMap(([name, value]) => (name === 'metadata' && isRecord(value) ? Object.entries(value) : [[name, value]]))
    .map(([name, value]) =>
      inlineCode(`${OPTION_NAMES[name] ?? name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    );
  shownOptions.unshift(...addedText(request).map(inlineCode));
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
