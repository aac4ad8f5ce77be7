import * as spec from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { $ZodType } from 'zod/v4/core';
import type { ValidationOptions } from './shape.ts';

const MAX_CONTENT_LENGTH = 2000;
const MAX_MODAL_COMPONENTS = 5;
const MAX_CHOICE_LENGTH = 100;

const anyValue = z.nullish(z.unknown());

/** Discord's schema has these keys only where they have an effect, but discord.js always sends `tts` and `enforce_nonce`. */
const libraryKeys = {
  tts: z.nullish(z.boolean()),
  enforce_nonce: z.nullish(z.boolean()),
  nonce: z.nullish(z.union([z.string(), z.int()])),
};

/** The schema allows 4,000 characters in channels, which applies to users with Nitro; applications are limited to 2,000. */
const content = z.nullish(z.string().check(z.maxLength(MAX_CONTENT_LENGTH)));

/** Documented in "Create Global Application Command", but missing from the schema. */
const commandKeys = { nsfw: z.nullish(z.boolean()), default_permission: z.nullish(z.boolean()) };

export const messageSchemas = {
  callback: z.extend(spec.IncomingWebhookInteractionRequestSchema, libraryKeys),
  callbackUpdate: z.extend(spec.IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema, libraryKeys),
  webhook: z.extend(spec.IncomingWebhookRequestPartialSchema, libraryKeys),
  webhookEdit: z.extend(spec.IncomingWebhookUpdateRequestPartialSchema, libraryKeys),
  channel: z.extend(spec.MessageCreateRequestSchema, { ...libraryKeys, content }),
  channelEdit: z.extend(spec.MessageEditRequestPartialSchema, { ...libraryKeys, content }),
} as const;

export const modalSchema = z.extend(spec.ModalInteractionCallbackRequestDataSchema, {
  components: z
    .array((spec.ModalInteractionCallbackRequestDataSchema.shape.components as z.ZodMiniArray).def.element)
    .check(z.minLength(1), z.maxLength(MAX_MODAL_COMPONENTS)),
});

export const choicesSchemas = {
  text: spec.InteractionApplicationCommandAutocompleteCallbackStringDataSchema,
  integer: spec.InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema,
  number: spec.InteractionApplicationCommandAutocompleteCallbackNumberDataSchema,
} as const;

const MAX_THREAD_NAME_LENGTH = 100;

export const threadSchemas = {
  start: spec.CreateTextThreadWithoutMessageRequestSchema,
  startOnMessage: spec.CreateTextThreadWithMessageRequestSchema,
  // The schema allows an empty name, but the documentation does not.
  edit: z.extend(spec.UpdateThreadRequestPartialSchema, {
    name: z.nullish(z.string().check(z.minLength(1), z.maxLength(MAX_THREAD_NAME_LENGTH))),
  }),
} as const;

export const commandSchemas = {
  create: z.extend(spec.ApplicationCommandCreateRequestSchema, commandKeys),
  edit: z.extend(spec.ApplicationCommandPatchRequestPartialSchema, commandKeys),
  overwrite: z.extend(spec.ApplicationCommandUpdateRequestSchema, commandKeys),
} as const;

/** The keys of received media, which are present when media is sent back unchanged. */
const receivedMedia = {
  proxy_url: anyValue,
  width: anyValue,
  height: anyValue,
  content_type: anyValue,
  attachment_id: anyValue,
  loading_state: anyValue,
  placeholder: anyValue,
  placeholder_version: anyValue,
  flags: anyValue,
};

/** The keys of discord.js's `Attachment`; discord.js sends the whole object when an edit keeps a file. */
const keptAttachment = {
  // Discord's examples use integers as file ids.
  id: z.union([z.string().check(z.regex(/^(0|[1-9][0-9]*)$/)), z.int().check(z.minimum(0))]),
  attachment: anyValue,
  name: anyValue,
  size: anyValue,
  url: anyValue,
  proxyURL: anyValue,
  proxy_url: anyValue,
  height: anyValue,
  width: anyValue,
  contentType: anyValue,
  content_type: anyValue,
  ephemeral: anyValue,
  duration: anyValue,
  flags: anyValue,
};

const corrections = new Map<$ZodType, $ZodType>([
  // discord.js sends `animated` with every custom emoji, and no name if it has only the id.
  [
    spec.ComponentEmojiForRequestSchema,
    z.extend(spec.ComponentEmojiForRequestSchema, {
      name: z.nullish(z.string().check(z.maxLength(32))),
      animated: z.nullish(z.boolean()),
    }),
  ],
  [spec.MessageAttachmentRequestSchema, z.extend(spec.MessageAttachmentRequestSchema, keptAttachment)],
  [spec.UnfurledMediaRequestSchema, z.extend(spec.UnfurledMediaRequestSchema, receivedMedia)],
  [
    spec.UnfurledMediaRequestWithAttachmentReferenceRequiredSchema,
    z.extend(spec.UnfurledMediaRequestWithAttachmentReferenceRequiredSchema, receivedMedia),
  ],
  // The schema lacks the second type, a forwarded message, which is documented and sent by discord.js.
  [
    spec.MessageReferenceRequestSchema,
    z.extend(spec.MessageReferenceRequestSchema, { type: z.nullish(z.literal([0, 1])) }),
  ],
  // The schema says 6,000, but the documentation and Discord itself say 100.
  [
    spec.ApplicationCommandOptionStringChoiceSchema,
    z.extend(spec.ApplicationCommandOptionStringChoiceSchema, {
      value: z.string().check(z.maxLength(MAX_CHOICE_LENGTH)),
    }),
  ],
]);

export const requestOptions: ValidationOptions = { unknownKeys: 'refused', corrections };

/** Discord's response schemas are incomplete, so unknown keys may be valid. */
export const responseOptions: ValidationOptions = { unknownKeys: 'ignored', corrections: new Map() };
