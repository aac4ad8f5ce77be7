import { RESTJSONErrorCodes as Code, DiscordAPIError } from 'discord.js';
import type { AnswerWay, Way } from './ways.ts';

/** What a failed request means for the message that was on its way. */
export type Trouble =
  /** Nothing is known to be wrong with it: the same again after a while. */
  | 'later'
  | 'token-over'
  /** Somebody has deleted the message. */
  | 'deleted'
  /** Not this way. */
  | 'no-access'
  /** The person takes no direct messages from the bot. */
  | 'closed'
  | 'too-large'
  /** Not a message as Discord takes it: a bug. */
  | 'malformed';

const BY_CODE: ReadonlyMap<string | number, Trouble> = new Map<number, Trouble>([
  [Code.OpeningDirectMessagesTooFast, 'later'],
  [Code.UnknownWebhook, 'token-over'],
  [Code.InvalidWebhookToken, 'token-over'],
  [Code.UnknownMessage, 'deleted'],
  [Code.CannotSendMessagesToThisUser, 'closed'],
  [Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds, 'closed'],
  [Code.RequestEntityTooLarge, 'too-large'],
  [Code.InvalidFormBodyOrContentType, 'malformed'],
  [Code.CannotSendAnEmptyMessage, 'malformed'],
]);

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
export function troubleOf(error: unknown, by: Way['by'] | AnswerWay['by']): Trouble {
  // Sockets that break, answers that do not come in time, and everything from 500 on.
  if (!(error instanceof DiscordAPIError)) return 'later';
  const { code, status } = error;
  const known = BY_CODE.get(code);
  if (known) return known;
  if (status === 413) return 'too-large';
  // Without a number of Discord's it comes from the network before it, which knows nothing of messages.
  if (typeof code !== 'number') return 'later';
  // The bot's own token being refused is nothing that another way would get around.
  if (status === 401) return by === 'token' ? 'token-over' : 'later';
  return 'no-access';
}

/**
 * What the log may know of it. Never the error itself: the library hangs the whole request onto it, its address with the token
 * in it and every byte of its files.
 */
export function factsOf(error: unknown): { code?: unknown; status?: unknown; reason: string; fields?: string[] } {
  if (!(error instanceof Error)) return { reason: String(error) };
  const { code, status } = error as { code?: unknown; status?: unknown };
  const isForm = error instanceof DiscordAPIError && 'errors' in error.rawError;
  return {
    code,
    status,
    reason: error.message.split('\n')[0] ?? '',
    ...(isForm && { fields: fieldsIn((error.rawError as { errors?: unknown }).errors) }),
  };
}

/** Discord tells of wrong fields as a tree whose leaves are lists of complaints. */
function fieldsIn(tree: unknown, path = ''): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, branch]) => {
    if (key !== '_errors') return fieldsIn(branch, path === '' ? key : `${path}.${key}`);
    const complaints: { code?: unknown }[] = Array.isArray(branch) ? branch : [];
    return complaints.map(({ code }) => `${path || 'message'}: ${String(code)}`);
  });
}
