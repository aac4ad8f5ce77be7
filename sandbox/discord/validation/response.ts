import * as spec from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { $ZodType } from 'zod/v4/core';
import { responseOptions } from './schemas.ts';
import { validateShape } from './shape.ts';
import { type Violation, withoutDuplicates } from './violation.ts';

type ResponseKind =
  | 'message'
  | 'callback'
  | 'commands'
  | 'command'
  | 'gateway-bot'
  | 'user'
  | 'own-guilds'
  | 'application'
  | 'channel'
  | 'thread'
  | 'thread-member';

const SCHEMAS: Readonly<Record<ResponseKind, $ZodType>> = {
  message: spec.MessageResponseSchema,
  callback: spec.InteractionCallbackResponseSchema,
  commands: z.array(spec.ApplicationCommandResponseSchema),
  command: spec.ApplicationCommandResponseSchema,
  'gateway-bot': spec.GatewayBotResponseSchema,
  'own-guilds': z.array(spec.MyGuildResponseSchema),
  user: spec.UserPIIResponseSchema,
  application: spec.PrivateApplicationResponseSchema,
  thread: spec.CreatedThreadResponseSchema,
  'thread-member': spec.ThreadMemberResponseSchema,
  channel: z.union([
    spec.GuildChannelResponseSchema,
    spec.PrivateChannelResponseSchema,
    spec.PrivateGroupChannelResponseSchema,
    spec.ThreadResponseSchema,
  ]),
};

/** Checks a response of the embedded Discord against Discord's schema. */
export const validateResponse = (kind: ResponseKind, body: unknown): Violation[] =>
  withoutDuplicates(validateShape(SCHEMAS[kind], body, '', responseOptions));
