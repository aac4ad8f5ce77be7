import type { Violation } from './validation/index.ts';

/** An error response with Discord's error code (documentation, "Opcodes and Status Codes", "JSON"). */
export interface RefusalDetail {
  readonly status: number;
  readonly code: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly extraFields?: Readonly<Record<string, unknown>>;
  /** Replaces Discord's standard error body. */
  readonly body?: unknown;
  /** Why the body was refused, for the recorded request. */
  readonly violations?: readonly Violation[];
}

export class Refusal extends Error {
  readonly detail: RefusalDetail;

  constructor(message: string, detail: RefusalDetail) {
    super(message);
    this.name = 'Refusal';
    this.detail = detail;
  }
}

const refusal = (status: number, code: number, message: string) => () => new Refusal(message, { status, code });

export const unauthorized = refusal(401, 0, '401: Unauthorized');
export const notFound = refusal(404, 0, '404: Not Found');
export const unknownChannel = refusal(404, 10003, 'Unknown Channel');
export const unknownMember = refusal(404, 10007, 'Unknown Member');
export const unknownMessage = refusal(404, 10008, 'Unknown Message');
export const unknownUser = refusal(404, 10013, 'Unknown User');
export const unknownWebhook = refusal(404, 10015, 'Unknown Webhook');
export const unknownInteraction = refusal(404, 10062, 'Unknown interaction');
export const unknownCommand = refusal(404, 10063, 'Unknown application command');
export const tooManyCreates = refusal(
  429,
  30034,
  'Max number of daily application command creates has been reached (200)',
);
export const tooLarge = refusal(413, 40005, 'Request entity too large');
export const alreadyAcknowledged = refusal(400, 40060, 'Interaction has already been acknowledged.');
export const tooManyFollowUps = refusal(
  400,
  40094,
  'This interaction has hit the maximum number of follow up messages.',
);
export const missingAccess = refusal(403, 50001, 'Missing Access');
export const notTheAuthor = refusal(403, 50005, 'Cannot edit a message authored by another user');
export const cannotMessageUser = refusal(403, 50007, 'Cannot send messages to this user');
export const notInDirectMessages = refusal(400, 50003, 'Cannot execute action on a DM channel');
export const wrongChannelType = refusal(400, 50024, 'Cannot execute action on this channel type');
export const threadIsArchived = refusal(400, 50083, 'Thread is archived');
export const noVoiceMessages = refusal(403, 50173, 'You cannot send voice messages in this channel');
export const cannotReply = refusal(403, 160002, 'Cannot reply without permission to read message history');
export const threadAlreadyExists = refusal(400, 160004, 'A thread has already been created for this message');
export const threadIsLocked = refusal(400, 160005, 'This thread is locked');
export const tooManyThreads = refusal(400, 160006, 'Maximum number of active threads reached');
export const missingPermissions = refusal(403, 50013, 'Missing Permissions');
export const invalidWebhookToken = refusal(401, 50027, 'Invalid Webhook Token');
export const invalidQuery = refusal(400, 50035, 'Invalid Form Body');
export const badJson = refusal(400, 50109, 'The request body contains invalid JSON.');
export const noMutualGuilds = refusal(403, 50278, 'Cannot send messages to this user due to having no mutual guilds');

export function rateLimitRefusal(scope: 'user' | 'global' | 'shared', retryAfter: number): Refusal {
  return new Refusal('You are being rate limited.', {
    status: 429,
    code: 0,
    headers: {
      // Like Discord's header, it has fractions of a second; rounding up would make every wait at least a second long.
      'retry-after': String(retryAfter),
      'x-ratelimit-scope': scope,
      ...(scope === 'global' && { 'x-ratelimit-global': 'true' }),
    },
    extraFields: { retry_after: retryAfter, global: scope === 'global' },
  });
}
