import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import { neverConnected } from '../lib/never-connected.ts';

const TOO_LATE: ReadonlySet<string | number> = new Set([
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  RESTJSONErrorCodes.InvalidWebhookToken,
  RESTJSONErrorCodes.UnknownWebhook,
]);

/** Discord has given up on the interaction, or somebody has answered it: nothing more can be said, so nothing is tried. */
export function isTooLate(error: unknown): boolean {
  return error instanceof DiscordAPIError && TOO_LATE.has(error.code);
}

/** The message is not there any more. */
export const isGone = (error: unknown): boolean =>
  error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage;

/** Another answer has come first: another process's, or an earlier try of our own that was heard although its answer was lost. */
export function isAnsweredAlready(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged;
}

/** Discord cannot have received it. */
export const isUnsent = (error: unknown): boolean =>
  neverConnected(error) || (error instanceof Error && isUnsent(error.cause));

/** Nothing is known to be wrong with what was sent: the line to Discord broke, or Discord is in trouble. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof DiscordAPIError) || error.status >= 500;
}
