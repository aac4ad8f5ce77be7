import { Refusal } from '../../lib/refusal.ts';
import { isClosed, isHeld, type Task, withRequest } from './task.ts';

export const shortFollowUps = ['U1', 'U2', 'U3', 'U4', 'R', 'V1', 'V2', 'V3', 'V4'] as const;
export type ShortFollowUp = (typeof shortFollowUps)[number];

/** A button can be forged, and an old one can belong to a task that has failed in the meantime, or is restored without its result. */
export function assertHasResult(task: Task): void {
  if (!hasResult(task)) throw new Refusal(task.restored ? 'refusals.newerThanBackup' : 'refusals.noResult');
}

export const hasResult = (task: Task): boolean =>
  (task.state === 'ready' || task.state === 'delivered') && !isHeld(task);

/** Returns the prompt that the gateway accepted, otherwise the original one. */
export function promptOf({ request, times }: Task): string {
  const words = times.wordsTaken === undefined ? undefined : request.words;
  return words ?? request.prompt ?? '';
}

export const isSpoiler = ({ request: { spoiler = false } }: Task): boolean => spoiler !== false;

/** Everything made from a spoiler is a spoiler too, for the same reason. */
export const spoilerOf = (parent: Task): Pick<Task['request'], 'spoiler'> =>
  isSpoiler(parent) ? { spoiler: parent.request.spoiler } : {};

/** The member's own text, without additions from options. A prompt that was entered for a button counts until there is a result without it. */
export function typedPrompt(task: Task): string {
  const { request, state, times, wordsRefused } = task;
  const hasFiles = state === 'ready' || state === 'delivered';
  const isPending = !hasFiles && wordsRefused === undefined && times.wordsLost === undefined;
  const isTaken = times.wordsTaken !== undefined;
  const { words, typedWords = words } = request;
  return (isPending || isTaken ? typedWords : undefined) ?? (isTaken ? undefined : request.typed) ?? promptOf(task);
}

/** The task as another member may use it: without the words that its owner's own settings added to the prompt. */
export function asSeenBy(userId: string, task: Task): Task {
  const { requesterId, request } = task;
  if (requesterId === userId || request.sources?.suffix !== 'member') return task;
  const { words, typedWords = words } = request;
  const own = { prompt: typedPrompt(task), words: typedWords };
  return withRequest(task, { ...own, typed: undefined, typedWords: undefined, suffix: undefined, sources: undefined });
}

/** The prompt for a form that changes it: with the flags that options added, but without the bot's own words and a suffix. */
export function editablePrompt(task: Task): string {
  const typed = typedPrompt(task);
  const prompt = promptOf(task);
  return task.request.suffix === undefined && prompt.startsWith(typed) ? prompt : typed;
}

/** The fields of a prompt that was entered in such a form. A suffix, which the form did not show, is added again. */
export function editedPrompt(task: Task, text: string) {
  const { suffix } = task.request;
  const prompt = suffix === undefined ? text : (task.traits.addSuffix?.(text, suffix) ?? `${text} ${suffix}`);
  return { prompt, typed: text, sources: undefined, ...suffixFields(task) };
}

/** A suffix and where it comes from, for what is made from a task. */
export const suffixFields = ({ request: { suffix, sources } }: Task) =>
  suffix === undefined ? {} : { suffix, ...(sources?.suffix && { sources: { suffix: sources.suffix } }) };

/** The same as words for an action of the task. */
export function editedWords(task: Task, text: string) {
  const { prompt: words, typed } = editedPrompt(task, text);
  return { words, ...(typed !== words && { typedWords: typed }) };
}

/** The text by which messages refer to a task. A task without a prompt has a title, and a question without words a file. */
export const titleOf = (task: Task): string =>
  task.request.title ?? (typedPrompt(task) || (questionFileNames(task)[0] ?? ''));

export function questionFileNames({ kind, request }: Task): string[] {
  const { pictures: images = [], documents = [], sound } = request;
  return kind === 'ask' ? [...images, ...(sound ? [sound] : []), ...documents].map(({ name }) => name) : [];
}

export const hasOwnPrompt = (task: Task): boolean => task.traits.hasOwnPrompt === true && typedPrompt(task) !== '';

/** Whether the gateway's question needs no answer from the member: the words were sent, or came with the order and are about to be. */
export const isSendingWords = (task: Task): boolean => task.times.wordsSent !== undefined || hasUnsentWords(task);

export const hasUnsentWords = ({ request, times, wordsRefused }: Task): boolean =>
  request.words !== undefined &&
  [wordsRefused, times.wordsSent, times.wordsTaken, times.wordsLost].every((one) => one === undefined);

export const isGrid = ({ traits, request }: Task): boolean => traits.isGrid?.(request) ?? false;

/** The group within which tasks take turns: the server, or in direct messages the owner. */
export const groupOf = ({ guildId, requesterId }: Pick<Task, 'guildId' | 'requesterId'>): string =>
  guildId ?? requesterId;

/** Whether a member may order a follow-up of a task: of a public one, everyone; of one in a private thread, those who are there; of a private one, only its owner. */
export function mayContinue(
  task: Task,
  { userId, channelId }: { userId: string; channelId?: string | undefined },
): boolean {
  if (task.requesterId === userId || !isClosed(task)) return true;
  const { isPrivate, isInPrivateThread } = task.route;
  return !isPrivate && isInPrivateThread === true && !task.request.isClosed && task.channelId === channelId;
}
