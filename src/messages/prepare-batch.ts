import { customIds } from '../discord/custom-ids.ts';
import { reasonText, refusalMessage } from '../discord/funnel.ts';
import { escapeText, messageLink } from '../discord/markdown.ts';
import { buttonPlan, type Control, type FilePlan, type MessagePlan, type PreparedMessage } from '../discord/plan.ts';
import { sentencesText } from '../lib/formats.ts';
import { asSentence } from '../lib/text.ts';
import { type Say, sayIn } from '../locales/index.ts';
import { awaitsSubmit, type BatchEntry, mayBeRetried } from '../services/orders/batches.ts';
import { hasEnded, isHeld, isLive, isOfKind, type Task, withRequest } from '../services/tasks/task.ts';
import { isSpoiler, titleOf } from '../services/tasks/task-facts.ts';
import { fileNamePrefix } from './file-names.ts';
import { fetchImage, type Preview, resultPreviewOf } from './previews.ts';
import { type MessageSources, recordFiles } from './results.ts';
import { isPromptWithheld } from './task-message.ts';
import { stateEmoji } from './task-name.ts';

const MAX_TITLE_LENGTH = 150;
const MAX_PROMPT_LENGTH = 60;
const MAX_REASON_LENGTH = 80;

/**
 * Prepares the message of a batch: the state of each of its tasks, and small images of what is done. `place`: where it is shown. The images are not judged
 * again for another place, and in another server only words are shown that are not blocked there.
 */
export async function prepareBatch(
  ownBatch: Task,
  place: Pick<Task, 'guildId' | 'channelId'>,
  sources: MessageSources,
  signal?: AbortSignal,
): Promise<PreparedMessage> {
  const isElsewhere = place.guildId !== ownBatch.guildId;
  const hasImages = place.channelId === ownBatch.channelId;
  const batch = isElsewhere ? withRequest(ownBatch, { typed: '' }) : ownBatch;
  const ownEntries = await sources.tasks.batches.entriesOf(batch);
  const entries = ownEntries.map(({ task, ...entry }) => ({
    ...entry,
    task: task && sources.safety.rules.maskTask(task, place.guildId),
  }));
  const images: Preview[] = [];
  const release = (): void => {
    for (const { fitted } of images) fitted.release();
  };
  try {
    for (const [index, { task }] of hasImages ? entries.entries() : []) {
      const image = task && isDone(task) ? await imageOf(task, index + 1, sources, signal) : undefined;
      if (image) images.push(image);
    }
  } catch (error) {
    release();
    throw error;
  }
  const files = images.map(({ file }) => file);
  const say = sayIn(batch.language);
  return {
    plan: batchMessage(batch, entries, files, say),
    fallback: batchMessage(batch, entries, [], say),
    release,
  };
}

const isDone = (task: Task): boolean => !isLive(task) && (task.state === 'delivered' || task.state === 'ready');

/** The size limits for fetching and for sending. Up to ten of them share a message. */
const IMAGE_LIMITS = { max: 20_000_000, fit: 2 ** 18, timeoutMs: 15_000 };

async function imageOf(task: Task, number: number, sources: MessageSources, signal: AbortSignal | undefined) {
  const [medium] = task.media;
  if (!medium || medium.kind === 'audio') return undefined;
  const address = medium.kind === 'image' ? medium.address : medium.thumbnail;
  const prompt = titleOf(task);
  const file = {
    name: `${fileNamePrefix(task, prompt)}preview-${number}`,
    alt: sayIn(task.language)('task.alt', { prompt }),
    spoiler: isSpoiler(task),
  };
  const image =
    address === undefined
      ? await resultPreviewOf(task, sources)
      : await fetchImage({ address, ...IMAGE_LIMITS, file }, task, sources, signal);
  if (image) await recordFiles(task.id, [image.fitted], sources);
  return image;
}

function batchMessage(batch: Task, entries: readonly BatchEntry[], files: readonly FilePlan[], say: Say): MessagePlan {
  const lines = entries.map((entry, index) => entryLine(batch, entry, index + 1, say));
  const content = [
    headline(batch, entries, say),
    progressLine(batch, entries, say),
    ...lines,
    ...(batch.route.isPrivate ? refusalLines(entries, say) : hiddenRefusals(entries, say)),
  ];
  return { content: content.join('\n'), files, controls: controlsOf(batch, entries, say) };
}

/** Refusals that say nothing against the words of an order. */
const LIMITS = /^refusals\.(?:overBudget|concurrent|waiting|noneAtOnce|noneWaiting)\b/;

/** What the rules refused, or a moderator has to decide about, is not shown to others. */
function isNameHidden({ route }: Task, { failure, task }: BatchEntry): boolean {
  if (route.isPrivate) return false;
  if (task) return isPromptWithheld(task) || task.review?.outcome === 'deleted';
  return failure !== undefined && !LIMITS.test(failure.refusal?.key ?? '');
}

function headline(batch: Task, entries: readonly BatchEntry[], say: Say): string {
  const owner = `<@${batch.requesterId}>`;
  const title = titleOf(batch);
  if (title === '' || entries.some((entry) => isNameHidden(batch, entry))) return owner;
  return say('task.headline', { prompt: escapeText(title, MAX_TITLE_LENGTH), owner });
}

function progressLine(batch: Task, entries: readonly BatchEntry[], say: Say): string {
  const count = entries.length;
  const done = entries.filter(({ task }) => task && isFinished(task)).length;
  const ends = entries.map((entry) => endWithoutResult(batch, entry));
  const { threadId } = isOfKind('batch', batch) ? batch.request : {};
  const sentences = [
    say('batch.done', { done, count }),
    ...ENDS_WITHOUT_RESULT.flatMap((end) => {
      const ended = ends.filter((one) => one === end).length;
      return ended === 0 ? [] : [say(`batch.ends.${end}`, { count: ended })];
    }),
    ...(threadId === undefined || done === 0 ? [] : [say('batch.thread', { count: done, thread: `<#${threadId}>` })]),
  ];
  return sentencesText(sentences, say);
}

const ENDS_WITHOUT_RESULT = ['failed', 'unconfirmed', 'canceled'] as const;

function endWithoutResult(batch: Task, entry: BatchEntry): (typeof ENDS_WITHOUT_RESULT)[number] | undefined {
  const { failure, isSubmitted, task } = entry;
  if (failure) return 'failed';
  if (!task) return isSubmitted || awaitsSubmit(batch, entry) ? undefined : 'canceled';
  if (!task.failure) return undefined;
  if (task.state === 'unconfirmed') return 'unconfirmed';
  return task.state === 'cancelled' ? 'canceled' : 'failed';
}

const isFinished = (task: Task): boolean => !isHeld(task) && (task.state === 'ready' || task.state === 'delivered');

/** Orders without a task are named only where the batch is, because their words may be blocked or flagged. */
function nameOf(batch: Task, entry: BatchEntry, number: number, say: Say): string {
  const { typed = '', prompt = '' } = entry.order.request;
  const untested = titleOf(batch) === '' ? '' : typed || prompt;
  const name = isNameHidden(batch, entry) ? '' : entry.task ? titleOf(entry.task) : untested;
  return name === '' ? say('batch.numbered', { number }) : name;
}

function entryLine(batch: Task, entry: BatchEntry, number: number, say: Say): string {
  const { failure, task } = entry;
  const name = escapeText(nameOf(batch, entry, number, say), MAX_PROMPT_LENGTH);
  const state = escapeText(stateOf(batch, entry, say), MAX_REASON_LENGTH);
  const emoji = failure
    ? stateEmoji.failed
    : stateEmoji[task ? shownState(task) : awaitsSubmit(batch, entry) ? 'waiting' : 'cancelled'];
  const link = task?.message && messageLink(task);
  return `${number}. ${emoji} **${name}** · ${link === undefined ? state : `[${state}](${link})`}`;
}

/** The owner sees a finished result here, so it is not said that it was not shown yet. */
const shownState = (task: Task): Task['state'] => (isFinished(task) ? 'delivered' : task.state);

function stateOf(batch: Task, entry: BatchEntry, say: Say): string {
  const { failure, isSubmitted, task } = entry;
  if (failure) return say('batch.refused');
  if (!task && isSubmitted) return say('music.state.noLongerStored');
  if (!task) return say(`tasks.states.${awaitsSubmit(batch, entry) ? 'waiting' : 'cancelled'}`);
  if (isHeld(task)) return say('tasks.reviews.held');
  const { reason } = task.failure ?? {};
  if (task.state === 'failed' && reason) return say('music.state.failedWith', { reason: reasonText(reason, say) });
  const isTriedAgain = task.state === 'unconfirmed' && task.successorId !== undefined;
  return isTriedAgain ? say('tasks.triedAgain') : say(`tasks.states.${shownState(task)}`);
}

const refusedOrder = ({ failure, task }: BatchEntry) => failure ?? (task?.failure?.refusal ? task.failure : undefined);

/** Refusals are private: they can tell a member's limits. */
function hiddenRefusals(entries: readonly BatchEntry[], say: Say): string[] {
  const count = entries.filter((entry) => refusedOrder(entry) && mayBeRetried(entry)).length;
  return count === 0 ? [] : [`-# ${say('batch.reasonsHidden', { count })}`];
}

/** Why orders were refused; the same reason for several orders is said once. */
export function refusalLines(entries: readonly BatchEntry[], say: Say): string[] {
  const reasons = entries.flatMap((entry) => {
    const { refusal, reason } = refusedOrder(entry) ?? {};
    if (refusal) return [refusalMessage(refusal, say)];
    return entry.failure
      ? [asSentence(escapeText(reasonText(reason, say) || say('task.failed'), MAX_TITLE_LENGTH))]
      : [];
  });
  return [...Map.groupBy(reasons, (one) => one)].map(
    ([refusal, { length }]) => `-# ${say('proposal.refused', { count: length, refusal })}`,
  );
}

function controlsOf(batch: Task, entries: readonly BatchEntry[], say: Say): Control[] {
  const { id } = batch;
  const mayCancel = entries.some((entry) => awaitsSubmit(batch, entry) || entry.task?.state === 'waiting');
  const options = entries.flatMap((entry, index) =>
    entry.task
      ? [{ value: entry.id, label: nameOf(batch, entry, index + 1, say), description: stateOf(batch, entry, say) }]
      : [],
  );
  return [
    ...(mayCancel ? [buttonPlan(say('batch.buttons.cancelRest'), customIds.cancelRest.id(id))] : []),
    ...(entries.some(mayBeRetried)
      ? [buttonPlan(say('batch.buttons.retryFailed'), customIds.retryFailed.id(id), { emoji: '🔁' })]
      : []),
    ...(hasEnded(batch) ? [buttonPlan(say('task.buttons.delete'), customIds.delete.id(id), { emoji: '🗑️' })] : []),
    ...(options.length === 0
      ? []
      : [{ type: 'select', id: customIds.batchTask.id(id), placeholder: say('batch.choose'), options } as const]),
  ];
}
