import { customIds } from '../discord/custom-ids.ts';
import type { Origin } from '../discord/interaction-facts.ts';
import { escapeText, linkToMessage } from '../discord/markdown.ts';
import { buttonPlan, type FilePlan, type MessagePlan, type PreparedMessage } from '../discord/plan.ts';
import { type Say, sayIn } from '../locales/index.ts';
import { talkTurns } from '../services/conversations/talk-session.ts';
import { largerSizes } from '../services/gateway/model-ids.ts';
import { memoryContent } from '../services/media/content.ts';
import { mediaTypes } from '../services/media/media-types.ts';
import { tightestAllowance } from '../services/money/allowance.ts';
import { messageAddress } from '../services/orders/member-erasure.ts';
import { hasEnded, isClosed, isHeld, isLive, type Task } from '../services/tasks/task.ts';
import { isSpoiler } from '../services/tasks/task-facts.ts';
import { prepareAlbum, songAttachments, titleOfTrack, withFinishedTracks } from './album/presenter.ts';
import { type AnswerExtras, answerMessages } from './answer/message.ts';
import { askStyle } from './answer/style.ts';
import { fileNamePrefix } from './file-names.ts';
import type { MessageContext } from './kind-view.ts';
import { remainingText, roundedDollars } from './money.ts';
import { noteFinder } from './notes.ts';
import { prepareBatch } from './prepare-batch.ts';
import { previewOf, resultPreviewOf, sourcePreviewsOf, thumbnailsOf } from './previews.ts';
import {
  contentOf,
  copiesOf,
  fetchedFiles,
  type MessageSources,
  type Result,
  recordFiles,
  releaseFiles,
  resultsOf,
} from './results.ts';
import { talkNotice, talkStyle, transcript, voiceMessage } from './talk-message.ts';
import { NOTHING_SHOWN, nameOf, type ShownResult, taskMessage } from './task-message.ts';
import { actionNameOf } from './task-name.ts';

function resultFiles(task: Task, results: readonly Result[], prompt: string, say: Say): FilePlan[] {
  return results.flatMap((result, index): FilePlan[] => {
    if (result.outcome !== 'file') return [];
    const title = titleOfTrack(task, index);
    const prefix = fileNamePrefix(task, title ?? prompt) || `${result.type.kind}-`;
    const name = `${prefix}${index + 1}.${result.type.extension}`;
    const alt = title === undefined ? say('task.alt', { prompt }) : say('music.alt', { title });
    return [{ name, ...contentOf(result), alt, spoiler: isSpoiler(task) }];
  });
}

/** What the message says of results that it does not have as files. */
function otherResults(results: readonly Result[], areGone: boolean) {
  const goneResults = results.filter((one) => one.outcome === 'gone');
  const lostCount = areGone ? goneResults.filter(({ isCertain }) => isCertain).length : 0;
  return {
    links: results.filter((result) => result.outcome === 'link'),
    originals: results.flatMap((result) =>
      result.outcome === 'file' && result.isReduced ? (result.original.address ?? []) : [],
    ),
    failedDownloads: goneResults.length - lostCount,
    lostCount,
    invalidCount: results.filter(({ outcome }) => outcome === 'invalid').length,
  };
}

/** Prepares the messages of tasks that are ready. `areGone`: Discord has no copy of results that the gateway no longer has. `guildId`: where they are shown. */
function resultPresenter(sources: MessageSources, context: MessageContext, noteSource: ReturnType<typeof noteFinder>) {
  const { models } = sources;
  return async (
    task: Task,
    results: readonly Result[],
    base: ShownResult,
    { areGone, guildId, signal }: { areGone?: boolean; guildId: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<PreparedMessage> => {
    // The buttons for larger variants depend on the list of models.
    if (context.views[task.kind]?.needsModelList) await models.listQuickly();
    const say = sayIn(task.language);
    const prompt = nameOf(task, context, say);
    const frames = await thumbnailsOf(task, (index) => results[index]?.outcome === 'link', sources, signal);
    const posted = [...fetchedFiles(results), ...frames.map(({ fitted }) => fitted)];
    await recordFiles(task.id, posted, sources);
    const previews = [...(await sourcePreviewsOf(task, sources, signal)), ...frames];
    const files = resultFiles(task, results, prompt, say);
    const extras = await songAttachments(task, { fileCount: files.length, guildId }, sources);
    const shownResult = {
      ...base,
      files: [...previews.map(({ file }) => file), ...files, ...extras.files],
      notes: [
        ...base.notes,
        ...(results.some((result) => result.outcome === 'file' && result.lostManifest)
          ? [say('task.lostManifest')]
          : []),
        ...noteSource.resultNotes(task, results),
        ...extras.notes(),
        ...(await costLines(task, guildId, sources)),
      ],
      ...otherResults(results, areGone === true),
    };
    return {
      plan: taskMessage(task, context, say, shownResult),
      // Rarely needed, so it is only made then.
      get fallback() {
        const notes = [say('task.filesRefused'), ...shownResult.notes];
        const links = results.flatMap(linkOf);
        const shownWithoutFiles = { ...shownResult, files: [], notes, links, originals: [] };
        return { ...taskMessage(task, context, say, shownWithoutFiles), files: [] };
      },
      release: () => {
        extras.release();
        for (const { fitted } of previews) fitted.release();
        releaseFiles(results);
      },
    };
  };
}

/** Prepares the messages of answers and of utterances in talks. */
function answerPresenter(sources: MessageSources) {
  const { tasks } = sources;
  // A later utterance interrupts an answer, and is answered instead.
  const isInterrupted = ({ id, parentId }: Task): boolean =>
    tasks.book
      .live(({ traits }) => traits.isUtterance === true)
      .some((other) => other.parentId === parentId && other.id > id);
  const isTalkOver = ({ parentId }: Task): boolean =>
    tasks.book.live((task) => task.id === parentId && !hasEnded(task)).length === 0;
  const utteranceStyle = talkStyle(isInterrupted, isTalkOver);
  const answers = (task: Task, extras?: AnswerExtras) =>
    answerMessages(task, task.traits.isUtterance ? utteranceStyle : askStyle, sayIn(task.language), extras);
  const singleAnswerMessage = async (task: Task, parentLink: string | undefined, guildId: string | undefined) => {
    const notes = hasEnded(task) ? await costLines(task, guildId, sources) : [];
    return answers(task, { parentLink, notes }).first;
  };
  return { answers, singleAnswerMessage };
}

const contextOf = ({ views, isRemix, readsMessages, models, tasks }: MessageSources): MessageContext => ({
  views,
  isRemix,
  readsMessages,
  isOffered: (customId) => tasks.offers.isOffered(customId),
  outlook: tasks.outlook,
  largerVariants: (model) => largerSizes(model, models.lastListed),
});

const showsOthers = ({ traits }: Task): boolean => traits.isAlbum === true || traits.isBatch === true;

/** Prepares the messages of tasks that show other tasks. `place`: where it is shown. */
const groupPresenter =
  (sources: MessageSources) => (task: Task, place: Pick<Task, 'guildId' | 'channelId'>, signal?: AbortSignal) =>
    task.traits.isAlbum ? prepareAlbum(task, place.guildId, sources) : prepareBatch(task, place, sources, signal);

/** Builds the messages of tasks from the task, the files of its results, and the view of its kind. */
export function presenter(sources: MessageSources) {
  const { tasks, safety } = sources;
  const context = contextOf(sources);
  const noteSource = noteFinder(sources, tasks.book);
  const prepareGroup = groupPresenter(sources);
  const prepareResults = resultPresenter(sources, context, noteSource);
  const { answers, singleAnswerMessage } = answerPresenter(sources);
  const ownMessage = (task: Task): MessagePlan | undefined =>
    context.views[task.kind]?.message?.(task, context, sayIn(task.language));
  return {
    messageOf(task: Task): MessagePlan {
      if (task.traits.isText) return answers(task).first;
      return ownMessage(task) ?? taskMessage(task, context, sayIn(task.language));
    },

    /** All messages of an answer. The first one appears unfinished until the others have been posted. */
    answerOf: (task: Task) => ({ ...answers(task), first: answers({ ...task, state: 'running' }).first }),

    async prepareMessage(task: Task, signal?: AbortSignal): Promise<PreparedMessage> {
      if (task.delivery.call) return recordedPing(task, sources);
      const say = sayIn(task.language);
      if (showsOthers(task)) return prepareGroup(task, task, signal);
      const customMessage = ownMessage(task);
      if (customMessage) return withFallback(customMessage, say);
      const base = { ...NOTHING_SHOWN, ...(await lineageOf(task, task, sources)) };
      if (task.traits.isText) return withFallback(await singleAnswerMessage(task, base.parentLink, task.guildId), say);
      if (!hasEnded(task)) {
        // A result that will be moderated is not shown while it is being generated.
        const preview = safety.rules.judgesResults(task) ? undefined : await previewOf(task, sources, signal);
        const files = preview ? [preview.file] : [];
        return toPrepared(taskMessage(task, context, say, { ...base, files }), preview?.fitted.release);
      }
      if (task.state === 'ready' && !isHeld(task))
        return prepareResults(task, await resultsOf(task, sources), base, { guildId: task.guildId, signal });
      return toPrepared(taskMessage(task, context, say, { ...base, notes: await noteSource.failureNotes(task) }));
    },

    hintFor: (task: Task) => hintFor(task, context, sayIn(task.language)),

    previewOfResult: (task: Task) => resultPreviewOf(task, sources),

    /** Prepares an earlier result again, from Discord's copy or else from the gateway. Another message than its own is in the language of its readers. */
    async prepareAgain(unmasked: Task, origin: Origin): Promise<PreparedMessage> {
      const { guildId, route, message } = origin;
      const isOwnMessage = message !== undefined && message.id === unmasked.message?.id;
      const say = sayIn(isOwnMessage ? unmasked.language : origin.language);
      const task = { ...safety.rules.maskTask(unmasked, guildId), language: say.language };
      if (isWithheld(task, sources)) return toPrepared(taskMessage({ ...task, media: [] }, context, say));
      const shownTask = withFinishedTracks({ ...task, route: { ...task.route, uploadLimit: route.uploadLimit } });
      if (showsOthers(task)) return prepareGroup(shownTask, origin);
      if (task.traits.isTalk) return withFallback(transcript(task, await talkTurns(task, tasks.book), say), say);
      const base = { ...NOTHING_SHOWN, ...(await lineageOf(task, origin, sources)) };
      if (task.traits.isText) {
        // The whole answer is attached as a file, because its further messages are not shown again.
        const shown = task.answer ? { ...task, answer: { ...task.answer, areShown: false } } : task;
        return withFallback(await singleAnswerMessage(shown, base.parentLink, guildId), say);
      }
      const storedFiles = await sources.storedFiles(task);
      const results = await resultsOf(shownTask, sources, copiesOf(storedFiles ?? new Map()));
      return prepareResults(shownTask, results, base, { areGone: storedFiles !== undefined, guildId });
    },
  };
}

const MAX_NAME_LENGTH = 500;

function hintFor(task: Task, context: MessageContext, say: Say): MessagePlan {
  const name = escapeText(nameOf(task, context, say), MAX_NAME_LENGTH);
  const what = actionNameOf(task, say);
  const content = what === undefined ? say('task.mayBeShown', { name }) : say('task.actionMayBeShown', { name, what });
  const label = say('task.buttons.showHere');
  // In a direct message, only the task's owner can press the button.
  return { content, controls: task.state === 'ready' ? [buttonPlan(label, customIds.showAll.id(task.id))] : [] };
}

/** Whether the results of a task are waiting for a moderator or for the moderation service. */
const isWithheld = (task: Task, { safety: { rules } }: MessageSources): boolean =>
  isHeld(task) || (task.state === 'ready' && isLive(task) && !task.review && rules.judgesResults(task));

/** The cost of a task and what is left to its owner, if their server shows that to everyone. Other servers (`guildId`) do not show it. */
async function costLines(
  task: Task,
  guildId: string | undefined,
  { tasks, money: { budgets, spending } }: MessageSources,
): Promise<string[]> {
  if (guildId === undefined || guildId !== task.guildId) return [];
  if (!task.traits.isPaid || !budgets.get(guildId).showsCost) return [];
  const say = sayIn(task.language);
  const taskCost = await tasks.ledger?.costOf(task);
  // The amount is rounded here; the task's page shows every digit.
  const amount = taskCost && roundedDollars(taskCost.amount, say);
  const cost =
    amount === undefined ? say('cost.unknown') : taskCost?.isEstimate ? say('cost.about', { amount }) : amount;
  const allowance = tightestAllowance(spending.remainingFor(task));
  return [
    `-# ${allowance ? say('task.costAndLeft', { cost, left: remainingText(allowance, say) }) : say('task.cost', { cost })}`,
  ];
}

const toPrepared = (plan: MessagePlan, release = (): void => undefined): PreparedMessage => ({ plan, release });

/** The fallback says that the files are missing. */
function withFallback(plan: MessagePlan, say: Say): PreparedMessage {
  const { files: _, overflow: __, ...rest } = plan;
  const fallback = { ...rest, content: `${say('task.filesRefused')}\n${plan.content ?? ''}` };
  return { ...toPrepared(plan), fallback };
}

function linkOf(result: Result): ShownResult['links'] {
  if (result.outcome === 'link') return [result];
  const { address, expiresAt } = result.outcome === 'file' ? result.original : {};
  return address === undefined ? [] : [{ address, expiresAt }];
}

/** `origin`: where the message is shown. */
async function lineageOf(task: Task, origin: Origin, { tasks }: MessageSources) {
  const parent = task.parentId === undefined ? undefined : await tasks.book.get(task.parentId);
  // A song is not made from its album, an utterance from its talk or a result from its batch, so these get no link.
  if (!parent || task.traits.isListedByParent || parent.traits.isBatch) return {};
  return { parentLink: sourceLink(parent, origin), isSuggestion: parent.traits.isText };
}

/** A link to a message with the source that all who read it here can open: its own, or a copy that was shown here. */
function sourceLink(parent: Task, { guildId, channelId, route }: Origin): string | undefined {
  const own = messageAddress(parent);
  const isInReach = guildId === undefined || own?.guildId === guildId;
  const isReadable =
    (!parent.route.isPrivate || route.isPrivate) && isInReach && (!isClosed(parent) || own?.channelId === channelId);
  const source = isReadable ? own : parent.beside?.findLast((copy) => copy.channelId === channelId);
  return source && linkToMessage(source);
}

/** The bytes of a spoken reply are hashed as they are posted, so nothing is decoded. */
async function recordedPing(task: Task, sources: MessageSources): Promise<PreparedMessage> {
  const ping = pingFor(task, sayIn(task.language));
  const voices = (ping.plan.files ?? []).flatMap(({ bytes }) => (bytes ? memoryContent(bytes) : []));
  const files = voices.map((voice) => ({ ...voice, type: mediaTypes.ogg }));
  await recordFiles(task.id, files, sources);
  return ping;
}

function pingFor(task: Task, say: Say): PreparedMessage {
  if (task.traits.isTalk) return toPrepared(talkNotice(task, say));
  if (task.traits.isUtterance) {
    const fileMessage = voiceMessage(task, say, { asFile: true });
    return task.route.maySpeak === false
      ? toPrepared(fileMessage)
      : { ...toPrepared(voiceMessage(task, say)), fallback: fileMessage };
  }
  // The ping contains the outcome, but nothing from the request.
  const { state, failure, requesterId } = task;
  const isUnknown = state === 'unconfirmed' || failure?.cause === 'forgotten';
  const outcome = isUnknown ? 'unknown' : failure ? 'failed' : 'done';
  return toPrepared({
    content: say(`task.ownerPing.${outcome}`, { owner: `<@${requesterId}>` }),
    notifies: [requesterId],
  });
}
