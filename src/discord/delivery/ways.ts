import type { AnswerPart } from '../../services/tasks/answer.ts';
import { type Call, isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';

/** An upload takes its time, and a token that ends meanwhile is a refused request more: its last minute is not begun. */
const TOKEN_MARGIN_MS = 60_000;

export type TokenWay = { by: 'token'; applicationId: string; token: string; followUpId?: string | undefined };
export type EditWay = { by: 'edit'; message: MessagePlace };
/** A message of the bot's own, as an answer to the one that shows the end. */
export type AnswerWay = { by: 'answer'; message: MessagePlace };
export type Way = TokenWay | EditWay | { by: 'channel'; channelId: string } | { by: 'direct'; memberId: string };

/** Ways that have turned out to be closed. */
export type Shut = ReadonlySet<Way['by']>;

/** By the clock and by what is known, in the order in which they are tried. Nothing private takes one that others can read. */
export function waysToEnd(task: Task, shut: Shut, now: number): Way[] {
  // A conversation is over where it took place, and without a place nobody has to be told.
  const { isConversation } = task.traits;
  if (isConversation && !task.message) return [];
  const ways = [tokenWay(task, now), editWay(task), channelWay(task), isConversation ? undefined : directWay(task)];
  return ways.filter((way) => way !== undefined).filter(({ by }) => !shut.has(by));
}

/** What only passes by is worth an edit, never a message of its own. */
export function wayToProgress(task: Task, shut: Shut, now: number): TokenWay | EditWay | undefined {
  const ways = [tokenWay(task, now), task.route.mayPost ? editWay(task) : undefined];
  return ways.find((way) => way !== undefined && !shut.has(way.by));
}

/** To the place where the end is shown; nobody is called to what is private, or to what was taken away. */
export function wayToCall(task: Task, shut: Shut, now: number): AnswerWay | TokenWay | undefined {
  const { route, message } = task;
  if (!message || route.isPrivate || (task.traits.isSpoken && !hasToSpeak(task))) return undefined;
  if (route.mayPost) return { by: 'answer', message };
  return shut.has('token') ? undefined : tokenWay(task, now);
}

/** undefined: it is over, or too near to its end. */
export function tokenWay({ route }: Task, now: number): TokenWay | undefined {
  const { applicationId, token, tokenExpiresAt, followUpId } = route;
  if (token === undefined || now >= tokenExpiresAt - TOKEN_MARGIN_MS) return undefined;
  return { by: 'token', applicationId, token, ...(followUpId !== undefined && { followUpId }) };
}

function editWay({ route, message, guildId }: Task): EditWay | undefined {
  const isInDirectMessage = guildId === undefined && route.mayPost;
  if (!message || route.isPrivate || (route.install !== 'guild' && !isInDirectMessage)) return undefined;
  return { by: 'edit', message };
}

/** To a further message of an answer: an interaction's token reaches those alone that it has posted. */
export function waysToPart(task: Task, { by, ...place }: AnswerPart, now: number): (TokenWay | EditWay)[] {
  const token = by === 'bot' ? undefined : tokenWay(task, now);
  return [token && { ...token, followUpId: place.id }, editWay({ ...task, message: place })].filter(
    (way) => way !== undefined,
  );
}

function channelWay({ route, channelId }: Task): Way | undefined {
  if (channelId === undefined || route.isPrivate || !route.mayPost) return undefined;
  return { by: 'channel', channelId };
}

function directWay({ requesterId }: Task): Way {
  return { by: 'direct', memberId: requesterId };
}

/** Whoever has waited longer has turned to something else, and Discord tells nobody of an edit. */
const LONG_MS = 60_000;
/** Later its member has come back to it by themselves, or has long let it rest. */
const NEWS_FOR_MS = 15 * 60_000;
/** Discord knows a nonce again for "a few minutes" only, and the library's own tries reach some minutes beyond the last of ours. */
const TRIED_FOR_MS = 2 * 60_000;

/** It has a sound that is not to be heard anywhere yet. */
const hasToSpeak = ({ answer }: Task): boolean => answer?.voice?.sound !== undefined;

/** A fresh direct message calls by itself; an edit does not, not even there. */
export function isWorthACall(task: Task, by: Way['by']): boolean {
  const { traits, talk, request, route, times, successorId } = task;
  // Whose member has already ordered again knows how it ended.
  if (!isLive(task) || route.isPrivate || by === 'direct' || successorId !== undefined) return false;
  if (traits.isSpoken) return hasToSpeak(task);
  // Whoever has ended a conversation knows, others in it do not, and a fresh message tells by itself.
  if (traits.isConversation)
    return by === 'edit' && (talk?.end !== 'ended' || traits.isForEveryone?.(request) === true);
  // Whoever has stopped it knows.
  if (task.failure?.cause === 'stopped') return false;
  return (times.ended ?? times.created) - times.created > LONG_MS;
}

/** A call that may have gone out goes again only where its nonce makes it the same. Better none than two. */
export function mayStillCall(
  task: Task,
  { shownAt, goingAt }: Call,
  { by }: AnswerWay | TokenWay,
  now: number,
): boolean {
  // A sound is no news but a result, and comes however late.
  if (goingAt === undefined) return hasToSpeak(task) || now - shownAt < NEWS_FOR_MS;
  return by === 'answer' && now - goingAt < TRIED_FOR_MS;
}

/** Not the one of the task's own message. A nonce has 25 letters at most, and a task's id has 17. */
export const nonceOfCall = ({ id }: Task): string => `${id}-call`;
