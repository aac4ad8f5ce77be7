import { DiscordAPIError } from '@discordjs/rest';
import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import type { PlainLog } from '../../lib/log.ts';
import { reasonOf, refusedFields, safeName } from '../../lib/loggable.ts';
import { hasNeverConnected } from '../../lib/never-connected.ts';
import { bodyOf } from '../message-body.ts';
import type { MessagePlan, PreparedMessage } from '../plan.ts';
import type { MessageRoute } from './ways.ts';

/** What a failed request means for its message. */
export type FailureKind =
  /** Nothing is known to be wrong with the request: retry later. */
  | 'later'
  | 'token-over'
  | 'deleted'
  | 'no-access'
  /** The member does not accept direct messages from the bot. */
  | 'closed'
  | 'too-large'
  /** Discord rejects the message as malformed, which is a bug. */
  | 'malformed';

const FAILURE_BY_CODE: ReadonlyMap<string | number, FailureKind> = new Map<number, FailureKind>([
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
export function failureKindOf(error: unknown, by: MessageRoute['by'] | 'reply'): FailureKind {
  // Broken connections, timeouts, and every status of 500 or above.
  if (!(error instanceof DiscordAPIError)) return 'later';
  const { code, status } = error;
  const knownKind = FAILURE_BY_CODE.get(code);
  if (knownKind) return knownKind;
  if (status === 413) return 'too-large';
  // A response without one of Discord's numeric codes comes from a proxy in front of Discord.
  if (typeof code !== 'number') return 'later';
  // Another route would not help if Discord rejects the bot's own token.
  if (status === 401) return by === 'token' ? 'token-over' : 'later';
  return 'no-access';
}

export const hasCode = (error: unknown, ...codes: (string | number)[]): boolean =>
  error instanceof DiscordAPIError && codes.includes(error.code);

/** For `catch`: the value if Discord responds with one of these codes. Any other error is thrown again. */
export const onCode =
  <T>(value: T, ...codes: (string | number)[]) =>
  (error: unknown): T => {
    if (hasCode(error, ...codes)) return value;
    throw error;
  };

/** A response without one of Discord's numeric codes comes from a proxy in front of Discord. */
export const isRefusal = (error: unknown): error is DiscordAPIError =>
  error instanceof DiscordAPIError && typeof error.code === 'number' && error.status < 500;

/** The interaction has expired or has already been answered, so nothing more can be sent. */
export function isTooLate(error: unknown): boolean {
  const { UnknownInteraction, InteractionHasAlreadyBeenAcknowledged, InvalidWebhookToken, UnknownWebhook } = Code;
  return hasCode(error, UnknownInteraction, InteractionHasAlreadyBeenAcknowledged, InvalidWebhookToken, UnknownWebhook);
}

export const isUnsent = (error: unknown): boolean =>
  hasNeverConnected(error) || (error instanceof Error && isUnsent(error.cause));

/** The connection broke, or Discord has an outage. */
export const isTransient = (error: unknown): boolean => !(error instanceof DiscordAPIError) || error.status >= 500;

/** Names and numbers only, because the message of such an error may quote the request. */
export function errorFacts(error: unknown): { code?: unknown; status?: unknown; reason: string; fields?: string[] } {
  if (!(error instanceof Error)) return { reason: reasonOf(error) };
  const rawCode = 'code' in error ? error.code : undefined;
  const status = 'status' in error ? error.status : undefined;
  const code = typeof rawCode === 'number' ? rawCode : safeName(rawCode);
  if (!(error instanceof DiscordAPIError)) return { code, status, reason: reasonOf(error) };
  const { rawError } = error;
  return {
    code,
    status,
    // The description of Discord's code, as the library lists it.
    reason: Code[Number(code)] ?? reasonOf(error),
    ...('errors' in rawError && { fields: refusedFields(rawError.errors) }),
  };
}

/** The result of work that may fail; undefined after a failure, which is logged. */
export async function tryAndLog<T>(
  log: PlainLog,
  failure: string,
  facts: object,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    log.info({ ...facts, ...errorFacts(error) }, failure);
    return undefined;
  }
}

/** How much of a plan is sent: all of it, everything except its files, or only its text. */
export type PlanPortion = 'whole' | 'without-files' | 'words';

/** How much of the plan to send in the next attempt; undefined if the error has another cause, or if the minimum was refused. */
export function smallerPortion(portion: PlanPortion, failure: FailureKind): PlanPortion | undefined {
  if (portion === 'words' || (failure !== 'too-large' && failure !== 'malformed')) return undefined;
  return failure === 'too-large' && portion === 'whole' ? 'without-files' : 'words';
}

export function portionOf(prepared: PreparedMessage, portion: PlanPortion): MessagePlan {
  const { plan } = prepared;
  if (portion === 'whole') return plan;
  // Content that would overflow into a file is cut.
  const { files: _files, overflow: _overflow, ...rest } = plan;
  // The fallback says that files are missing, which is only true if there were any.
  const planWithoutFiles = (bodyOf(plan).files.length > 0 && prepared.fallback) || rest;
  if (portion === 'words') return { content: planWithoutFiles.content ?? planWithoutFiles.page?.title ?? '…' };
  return planWithoutFiles;
}
