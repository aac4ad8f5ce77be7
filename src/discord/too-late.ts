import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';

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
