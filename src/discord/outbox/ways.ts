import type { StoredPart } from '../../services/tasks/answer.ts';
import type { MessagePlace, Task } from '../../services/tasks/task.ts';

/** A request that outlives its token is refused, so the last minute of a token is not used. */
export const TOKEN_MARGIN_MS = 60_000;

export type TokenRoute = { by: 'token'; applicationId: string; token: string; followUpId?: string | undefined };
export type EditRoute = { by: 'edit'; message: MessagePlace };
export type MessageRoute =
  | TokenRoute
  | EditRoute
  | { by: 'channel'; channelId: string }
  | { by: 'direct'; memberId: string };

export type ClosedRoutes = ReadonlySet<MessageRoute['by']>;

/** The routes in the order in which they are tried. A private message never takes a route that others can read. */
export function endRoutes(task: Task, closedRoutes: ClosedRoutes, now: number): MessageRoute[] {
  // The end of a conversation is shown only in its thread.
  const { isTalk } = task.traits;
  if (task.isShownByParent || (isTalk && !task.message)) return [];
  const direct: MessageRoute | undefined = isTalk ? undefined : { by: 'direct', memberId: task.requesterId };
  const routes = [tokenRoute(task, now), editRoute(task), channelRoute(task), direct];
  return routes.filter((route) => route !== undefined).filter(({ by }) => !closedRoutes.has(by));
}

/** Progress is worth an edit, never a new message. */
export function progressRoute(task: Task, closedRoutes: ClosedRoutes, now: number): TokenRoute | EditRoute | undefined {
  const routes = [tokenRoute(task, now), task.route.mayPost ? editRoute(task) : undefined];
  return routes.find((route) => route !== undefined && !closedRoutes.has(route.by));
}

/** Whether only the owner can see the message, and not even the bot. (A direct message is in a channel that the bot can read.) */
export function isVisibleToOwnerOnly(task: Task, message: MessagePlace): boolean {
  return task.route.isPrivate && !isInDirectMessage(task) && message.channelId === task.channelId;
}

const isInDirectMessage = ({ guildId, route }: Task): boolean => guildId === undefined && route.mayPost;

/** Whether the bot can also read and edit its message with its own token. */
export function isReachedWithoutToken(task: Task): boolean {
  return task.route.mayPost && editRoute(task) !== undefined;
}

/** Whether the bot can search the channel for its reply. */
export const isInReadableChannel = ({ route, channelId, guildId }: Task): boolean =>
  !route.isPrivate &&
  channelId !== undefined &&
  (route.install === 'guild' || (guildId === undefined && route.mayPost));

/** Undefined if the token has expired or is about to expire. */
export function tokenRoute({ route }: Task, now: number): TokenRoute | undefined {
  const { applicationId, token, tokenExpiresAt, followUpId } = route;
  if (token === undefined || now >= tokenExpiresAt - TOKEN_MARGIN_MS) return undefined;
  return { by: 'token', applicationId, token, ...(followUpId !== undefined && { followUpId }) };
}

/** The route that outlives the interaction's token. */
export function editRoute(task: Task): EditRoute | undefined {
  const { route, message } = task;
  if (!message || route.isPrivate || (route.install !== 'guild' && !isInDirectMessage(task))) return undefined;
  return { by: 'edit', message };
}

/** An interaction's token reaches only those further messages that were posted with it. */
export function partRoutes(task: Task, { by, ...place }: StoredPart, now: number): (TokenRoute | EditRoute)[] {
  const token = by === 'bot' ? undefined : tokenRoute(task, now);
  return [token && { ...token, followUpId: place.id }, editRoute({ ...task, message: place })].filter(
    (route) => route !== undefined,
  );
}

function channelRoute({ route, channelId }: Task): MessageRoute | undefined {
  if (channelId === undefined || route.isPrivate || !route.mayPost) return undefined;
  return { by: 'channel', channelId };
}
