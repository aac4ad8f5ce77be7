import { reasonText, refusalMessage } from '../discord/funnel.ts';
import { escapeText, subjectLink } from '../discord/markdown.ts';
import type { FilePlan, MessagePlan } from '../discord/plan.ts';
import { percentText, sentencesText } from '../lib/formats.ts';
import { asSentence } from '../lib/text.ts';
import type { Say } from '../locales/index.ts';
import { slowSeconds } from '../services/orders/outlook.ts';
import { hasEnded, isHeld, type Task } from '../services/tasks/task.ts';
import { isSendingWords, titleOf } from '../services/tasks/task-facts.ts';
import type { KindView, MessageContext, MessageSettings } from './kind-view.ts';
import { taskButtons } from './task-buttons.ts';
import { actionNameOf } from './task-name.ts';

export interface ShownResult {
  files: readonly FilePlan[];
  /** A link to the message of the result that this one was made from. */
  parentLink?: string | undefined;
  /** Whether a model suggested the task in the answer at `parentLink`. */
  isSuggestion?: boolean | undefined;
  /** The URLs of results that could not be attached. */
  links: readonly { address: string; expiresAt?: number | undefined }[];
  /** The URLs of results of which only a smaller copy could be attached. */
  originals: readonly string[];
  failedDownloads: number;
  /** The number of results that neither Discord nor the gateway still has. */
  lostCount: number;
  /** The number of results that do not have the expected type. */
  invalidCount: number;
  /** Further sentences about the result or the failure. */
  notes: readonly string[];
}

export const NOTHING_SHOWN: ShownResult = {
  files: [],
  links: [],
  originals: [],
  failedDownloads: 0,
  lostCount: 0,
  invalidCount: 0,
  notes: [],
};

export function taskMessage(
  task: Task,
  context: MessageContext,
  say: Say,
  shown: ShownResult = NOTHING_SHOWN,
): MessagePlan {
  const view = context.views[task.kind];
  const facts = view?.facts?.(task, say) ?? [];
  const lines = [
    ...lineageLines(task, shown, say),
    ...facts,
    ...stateLines(task, view, { shown, context }, say),
    ...shown.notes,
  ];
  // The state matters most, so the prompt gets the space that is left.
  const maxPromptLength = Math.max(
    MIN_PROMPT_LENGTH,
    Math.min(MAX_PROMPT_LENGTH, MAX_CONTENT_LENGTH - lines.join('\n').length - OWNER_LENGTH),
  );
  const name = isPromptWithheld(task) ? '' : nameOf(task, context, say);
  const content = [headline(task, name, maxPromptLength, say), ...lines].join('\n');
  const files = [...shown.files, ...(task.text === undefined ? [] : (view?.files?.(task) ?? []))];
  return { content, overflow: 'file', files, controls: taskButtons(task, context, say) };
}

/** The action that made the task, with a link to its source if that message is still known. */
function lineageLines(task: Task, { parentLink, isSuggestion }: ShownResult, say: Say): string[] {
  const what = actionNameOf(task, say);
  if (what === undefined) {
    const link = task.parentId === undefined ? subjectLink(task) : parentLink;
    if (link === undefined) return [];
    const made = task.parentId === undefined ? 'madeFromMessage' : isSuggestion ? 'suggestedIn' : 'madeFrom';
    return [`-# ${say(`task.${made}`, { link })}`];
  }
  return [`-# ${parentLink === undefined ? what : say('task.lineage', { what, link: parentLink })}`];
}

/** How much of a prompt a message shows at most; the task's page has the whole prompt. */
const MAX_PROMPT_LENGTH = 150;
const MAX_REASON_LENGTH = 1_000;
const MIN_PROMPT_LENGTH = 20;
/** Discord's limit for the text of a message, and the part of it that is reserved for the owner's mention and the Markdown around the prompt. */
const MAX_CONTENT_LENGTH = 2_000;
const OWNER_LENGTH = 40;

/** The name of a task, in its message and in the descriptions of its files. */
export const nameOf = (task: Task, { views }: Pick<MessageSettings, 'views'>, say: Say): string =>
  views[task.kind]?.title?.(task, say) ?? titleOf(task);

/** A flagged request is shown to others only once a moderator has published its result. */
export const isPromptWithheld = ({ holdFor, review, route }: Task): boolean =>
  holdFor !== undefined && !route.isPrivate && review?.outcome !== 'shown';

function headline(task: Task, name: string, maxPromptLength: number, say: Say): string {
  const title = escapeText(name, maxPromptLength);
  const owner = `<@${task.requesterId}>`;
  return title === '' ? owner : say('task.headline', { prompt: title, owner });
}

function stateLines(
  task: Task,
  view: KindView | undefined,
  { shown, context }: { shown: ShownResult; context: MessageContext },
  say: Say,
): string[] {
  if (!hasEnded(task)) return progressLines(task, context, say);
  if (isHeld(task)) return [say(task.route.isPrivate ? 'task.heldPrivate' : 'task.held')];
  const reason = reasonSentence(task.failure?.reason, say);
  switch (task.state) {
    case 'ready':
    case 'delivered':
      return resultLines(task, view, shown, say);
    case 'unconfirmed':
      return unconfirmedLines(task, say);
    case 'cancelled':
      if (task.failure?.cause === 'withdrawn') return [say('task.withdrawn')];
      return [task.failure?.cause === 'dismissed' ? say('task.dismissed') : say('task.cancelled')];
    case 'expired':
      return [say(task.failure?.cause === 'unconfirmed' ? 'task.neverEnded' : 'task.expired')];
    default:
      if (task.failure?.refusal) {
        // A refusal can tell that its member is blocked, or their limits.
        if (!task.review && !task.route.isPrivate) return [say('task.refusedInPublic')];
        const what = say(task.review ? 'task.withheld' : 'task.refused');
        return [what, refusalMessage(task.failure.refusal, say)];
      }
      if (task.failure?.cause === 'forgotten') return [say('task.unknownToGateway')];
      return [reason === '' ? say('task.failed') : say('task.failedWith', { reason })];
  }
}

const reasonSentence = (reason: Task['wordsRefused'], say: Say): string =>
  asSentence(escapeText(reasonText(reason, say), MAX_REASON_LENGTH));

export function unconfirmedLines(task: Task, say: Say): string[] {
  const reason = reasonSentence(task.failure?.reason, say);
  return [say('task.unconfirmed'), ...(reason === '' ? [] : [say('task.reason', { reason })])];
}

function progressLines(task: Task, context: MessageContext, say: Say): string[] {
  const { state, progress, queuedBehind, times } = task;
  const since = (ms: number): string => String(Math.floor(ms / 1000));
  if (times.overdue !== undefined)
    return [progressBar(say, progress), say('task.overdue', { since: since(times.created) })];
  if (state === 'waiting') return queueLines(task, context, say);
  if (state === 'submitting') return [say('task.submitting')];
  if (state === 'needs-input') return needsInputLines(task, say);
  if (state === 'running') return [progressBar(say, progress), runningLine(task, say)];
  const duration = slowSeconds(context.outlook.typicalMs(task));
  const sentences = [
    say('task.waiting', { since: since(times.accepted ?? times.created) }),
    ...(queuedBehind ? [say('task.ahead', { count: queuedBehind })] : []),
    ...(duration === undefined ? [] : [say('outlook.slow', { duration })]),
  ];
  return [progressBar(say, progress), sentencesText(sentences, say)];
}

function queueLines(task: Task, { outlook }: MessageContext, say: Say): string[] {
  const { place, returns = 0, route } = task;
  const turnAt = outlook.turnAt(task);
  // A relative time stays right without further edits.
  const start = turnAt === undefined ? [] : [say('task.queue.start', { at: Math.round(turnAt / 1000) })];
  return [
    say(returns > 0 ? 'task.queue.gatewayBusy' : 'task.queue.waiting'),
    ...(place === undefined
      ? []
      : [sentencesText([say('task.queue.place', { place }), ...start, say('task.queue.cancel')], say)]),
    ...(route.isPrivate ? [`-# ${say('task.queue.private')}`] : []),
  ];
}

/** The gateway does not always report when the run started. */
function runningLine({ times: { created, started } }: Task, say: Say): string {
  const since = String(Math.floor((started ?? created) / 1000));
  return say(started === undefined ? 'task.running' : 'task.runningSince', { since });
}

function needsInputLines(task: Task, say: Say): string[] {
  const { wordsRefused, times } = task;
  if (isSendingWords(task)) return [say('task.submitting')];
  const refused =
    wordsRefused === undefined ? [] : [say('task.promptRefused', { reason: reasonSentence(wordsRefused, say) })];
  const lost = times.wordsLost === undefined ? [] : [say('task.promptLost')];
  return [...refused, ...lost, say('task.needsInput')];
}

const BAR_LENGTH = 12;

function progressBar(say: Say, progress = 0): string {
  const filledLength = Math.round((Math.min(100, Math.max(0, progress)) / 100) * BAR_LENGTH);
  return `${'▰'.repeat(filledLength)}${'▱'.repeat(BAR_LENGTH - filledLength)} ${percentText(Math.floor(progress), say)}`;
}

function resultLines(task: Task, view: KindView | undefined, shown: ShownResult, say: Say): string[] {
  const { links, originals, failedDownloads, lostCount, invalidCount } = shown;
  const { times, media, seed } = task;
  const viewLines = task.text === undefined && task.tracks === undefined ? undefined : view?.result?.(task, say);
  const duration = Math.max(1, Math.round(((times.ended ?? times.created) - times.created) / 1000));
  return [
    media.length === 0 && viewLines === undefined ? say('task.empty') : say('task.done', { duration }),
    ...(viewLines ?? []),
    ...(seed === undefined ? [] : [`-# ${say('task.seed', { seed: escapeText(seed, 20) })}`]),
    ...linkLines(links, say),
    ...originals.map((address) => say('task.original', { address })),
    ...(failedDownloads > 0 ? [say('task.gone', { count: failedDownloads })] : []),
    ...(lostCount > 0 ? [say('task.notAvailable', { count: lostCount })] : []),
    ...(invalidCount > 0 ? [say('task.invalid', { count: invalidCount })] : []),
  ];
}

/** Several long URLs share one sentence. */
function linkLines(links: ShownResult['links'], say: Say): string[] {
  const addresses = links.map(({ address, expiresAt }) =>
    expiresAt === undefined ? address : say('task.until', { address, until: String(Math.floor(expiresAt / 1000)) }),
  );
  const [single] = addresses;
  if (single === undefined) return [];
  return addresses.length === 1 ? [say('task.link', { address: single })] : [say('task.links'), ...addresses];
}
