import * as spec from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import type { $ZodType } from 'zod/v4/core';
import type { Reading } from './shape.ts';

const MESSAGE_LENGTH = 2000;
const MODAL_COMPONENTS = 5;
const CHOICE_LENGTH = 100;

const whatever = z.nullish(z.unknown());

/** Discord describes these only where they mean something; discord.js sends the first two with every message, edits included. */
const libraryKeys = {
  tts: z.nullish(z.boolean()),
  enforce_nonce: z.nullish(z.boolean()),
  nonce: z.nullish(z.union([z.string(), z.int()])),
};

/** The description allows 4,000 characters in channels, which is for members with Nitro; an application has 2,000. */
const content = z.nullish(z.string().check(z.maxLength(MESSAGE_LENGTH)));

/** Documented in "Create Global Application Command", absent from the description. */
const commandKeys = { nsfw: z.nullish(z.boolean()), default_permission: z.nullish(z.boolean()) };

export const message = {
  callback: z.extend(spec.IncomingWebhookInteractionRequestSchema, libraryKeys),
  callbackUpdate: z.extend(spec.IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema, libraryKeys),
  webhook: z.extend(spec.IncomingWebhookRequestPartialSchema, libraryKeys),
  webhookEdit: z.extend(spec.IncomingWebhookUpdateRequestPartialSchema, libraryKeys),
  channel: z.extend(spec.MessageCreateRequestSchema, { ...libraryKeys, content }),
  channelEdit: z.extend(spec.MessageEditRequestPartialSchema, { ...libraryKeys, content }),
} as const;

export const modal = z.extend(spec.ModalInteractionCallbackRequestDataSchema, {
  components: z
    .array((spec.ModalInteractionCallbackRequestDataSchema.shape.components as z.ZodMiniArray).def.element)
    .check(z.minLength(1), z.maxLength(MODAL_COMPONENTS)),
});

export const choices = {
  text: spec.InteractionApplicationCommandAutocompleteCallbackStringDataSchema,
  integer: spec.InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema,
  number: spec.InteractionApplicationCommandAutocompleteCallbackNumberDataSchema,
} as const;

const THREAD_NAME = 100;

export const thread = {
  start: spec.CreateTextThreadWithoutMessageRequestSchema,
  startOnMessage: spec.CreateTextThreadWithMessageRequestSchema,
  // The description lets a name be empty, which the documentation does not.
  edit: z.extend(spec.UpdateThreadRequestPartialSchema, {
    name: z.nullish(z.string().check(z.minLength(1), z.maxLength(THREAD_NAME))),
  }),
} as const;

export const command = {
  create: z.extend(spec.ApplicationCommandCreateRequestSchema, commandKeys),
  edit: z.extend(spec.ApplicationCommandPatchRequestPartialSchema, commandKeys),
  overwrite: z.extend(spec.ApplicationCommandUpdateRequestSchema, commandKeys),
} as const;

/** What a medium that came from Discord carries when it is sent back as it was. */
const receivedMedium = {
  proxy_url: whatever,
  width: whatever,
  height: whatever,
  content_type: whatever,
  attachment_id: whatever,
  loading_state: whatever,
  placeholder: whatever,
  placeholder_version: whatever,
  flags: whatever,
};

/** Keys of discord.js' `Attachment`, which it writes out whole when an edit keeps a file. */
const keptAttachment = {
  // Discord's own examples number the files with integers.
  id: z.union([z.string().check(z.regex(/^(0|[1-9][0-9]*)$/)), z.int().check(z.minimum(0))]),
  attachment: whatever,
  name: whatever,
  size: whatever,
  url: whatever,
  proxyURL: whatever,
  proxy_url: whatever,
  height: whatever,
  width: whatever,
  contentType: whatever,
  content_type: whatever,
  ephemeral: whatever,
  duration: whatever,
  flags: whatever,
};

const corrections = new Map<$ZodType, $ZodType>([
  // discord.js writes `animated` with every custom emoji, and no name where it was given the id alone.
  [
    spec.ComponentEmojiForRequestSchema,
    z.extend(spec.ComponentEmojiForRequestSchema, {
      name: z.nullish(z.string().check(z.maxLength(32))),
      animated: z.nullish(z.boolean()),
    }),
  ],
  [spec.MessageAttachmentRequestSchema, z.extend(spec.MessageAttachmentRequestSchema, keptAttachment)],
  [spec.UnfurledMediaRequestSchema, z.extend(spec.UnfurledMediaRequestSchema, receivedMedium)],
  [
    spec.UnfurledMediaRequestWithAttachmentReferenceRequiredSchema,
    z.extend(spec.UnfurledMediaRequestWithAttachmentReferenceRequiredSchema, receivedMedium),
  ],
  // The description leaves out the second type, a forwarded message, which is documented and which discord.js sends.
  [
    spec.MessageReferenceRequestSchema,
    z.extend(spec.MessageReferenceRequestSchema, { type: z.nullish(z.literal([0, 1])) }),
  ],
  // The description says 6,000; the documentation of choices, and Discord, 100.
  [
    spec.ApplicationCommandOptionStringChoiceSchema,
    z.extend(spec.ApplicationCommandOptionStringChoiceSchema, {
      value: z.string().check(z.maxLength(CHOICE_LENGTH)),
    }),
  ],
]);

export const request: Reading = { unknownKeys: 'refused', corrections };

/** Discord's description of its answers leaves much out, so what it does not name may still be right. */
export const response: Reading = { unknownKeys: 'ignored', corrections: new Map() };
