import { RESTJSONErrorCodes as Code, DiscordAPIError } from 'discord.js';
import { nameIn, reasonOf, refusedFields } from '../../lib/loggable.ts';
import { neverConnected } from '../../lib/never-connected.ts';
import type { MessagePlan } from '../plan.ts';
import type { Way } from './ways.ts';

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
export function troubleOf(error: unknown, by: Way['by'] | 'answer'): Trouble {
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

const TOO_LATE: ReadonlySet<string | number> = new Set([
  Code.UnknownInteraction,
  Code.InteractionHasAlreadyBeenAcknowledged,
  Code.InvalidWebhookToken,
  Code.UnknownWebhook,
]);

/** Discord has given up on the interaction, or somebody has answered it: nothing more can be said, so nothing is tried. */
export function isTooLate(error: unknown): boolean {
  return error instanceof DiscordAPIError && TOO_LATE.has(error.code);
}

export function hasCode(error: unknown, code: Code): boolean {
  return error instanceof DiscordAPIError && error.code === code;
}

/** Discord cannot have received it. */
export const isUnsent = (error: unknown): boolean =>
  neverConnected(error) || (error instanceof Error && isUnsent(error.cause));

/** Nothing is known to be wrong with what was sent: the line to Discord broke, or Discord is in trouble. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof DiscordAPIError) || error.status >= 500;
}

/** What the log may know of it: names and numbers, for the words of a refusal may quote what was sent. */
export function factsOf(error: unknown): { code?: unknown; status?: unknown; reason: string; fields?: string[] } {
  if (!(error instanceof Error)) return { reason: reasonOf(error) };
  const told = 'code' in error ? error.code : undefined;
  const status = 'status' in error ? error.status : undefined;
  const code = typeof told === 'number' ? told : nameIn(told);
  if (!(error instanceof DiscordAPIError)) return { code, status, reason: reasonOf(error) };
  const { rawError } = error;
  return {
    code,
    status,
    // Discord's own words for each of its codes, as the library lists them.
    reason: Code[Number(code)] ?? reasonOf(error),
    ...('errors' in rawError && { fields: refusedFields(rawError.errors) }),
  };
}

/** How much of a plan is sent: all of it, all but its files, or its words alone. */
export type Load = 'whole' | 'without-files' | 'words';

/** What is left to try the same way; undefined where something else is wrong, or the least was refused. */
export function lighterThan(load: Load, trouble: Trouble): Load | undefined {
  if (load === 'words' || (trouble !== 'too-large' && trouble !== 'malformed')) return undefined;
  return trouble === 'too-large' && load === 'whole' ? 'without-files' : 'words';
}

export function loaded(plan: MessagePlan, load: Load): MessagePlan {
  if (load === 'whole') return plan;
  if (load === 'words') return { content: plan.content ?? plan.page?.title ?? '…' };
  // What would overflow into a file is cut.
  const { files: _files, overflow: _overflow, ...rest } = plan;
  return rest;
}
