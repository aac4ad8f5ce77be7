import type { AnswerPart } from '../../services/tasks/answer.ts';
import type { MessagePlace, Task } from '../../services/tasks/task.ts';

/** A request that outlives its token is refused, so the last minute of a token is not used. */
export const TOKEN_MARGIN_MS = 60_000;

export type TokenWay = { by: 'token'; applicationId: string; token: string; followUpId?: string | undefined };
export type EditWay = { by: 'edit'; message: MessagePlace };
export type Way = TokenWay | EditWay | { by: 'channel'; channelId: string } | { by: 'direct'; memberId: string };

export type ClosedWays = ReadonlySet<Way['by']>;

/** The routes in the order in which they are tried. A private message never takes a route that others can read. */
export function waysToEnd(task: Task, closedWays: ClosedWays, now: number): Way[] {
  // The end of a conversation is shown only in its thread.
  const { isTalk } = task.traits;
  if (isTalk && !task.message) return [];
  const direct: Way | undefined = isTalk ? undefined : { by: 'direct', memberId: task.requesterId };
  const ways = [tokenWay(task, now), editWay(task), channelWay(task), direct];
  return ways.filter((way) => way !== undefined).filter(({ by }) => !closedWays.has(by));
}

/** Progress is worth an edit, never a new message. */
export function wayToProgress(task: Task, closedWays: ClosedWays, now: number): TokenWay | EditWay | undefined {
  const ways = [tokenWay(task, now), task.route.mayPost ? editWay(task) : undefined];
  return ways.find((way) => way !== undefined && !closedWays.has(way.by));
}

/** Only the member can read it; not even the bot can. A direct message is in a separate channel. */
export function isVisibleToOwnerOnly({ route, guildId, channelId }: Task, message: MessagePlace): boolean {
  return route.isPrivate && guildId !== undefined && message.channelId === channelId;
}

/** Whether the bot can also read and edit its message with its own token. */
export function isReachedWithoutToken(task: Task): boolean {
  return task.route.mayPost && editWay(task) !== undefined;
}

/** Whether the bot can search the channel for its reply. */
export const isInReadableChannel = ({ route, channelId, guildId }: Task): boolean =>
  !route.isPrivate &&
  channelId !== undefined &&
  (route.install === 'guild' || (guildId === undefined && route.mayPost));

/** Undefined if it has expired or is about to expire. */
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

/** Of the follow-up messages, an interaction's token only reaches those that were posted with it. */
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
