/** The package ships its zod schemas without types; these are the ones the validator uses. */
declare module 'discord-api-spec/zod' {
  import type { ZodMiniObject } from 'zod/mini';

  export const ApplicationCommandCreateRequestSchema: ZodMiniObject;
  export const ApplicationCommandOptionStringChoiceSchema: ZodMiniObject;
  export const ApplicationCommandPatchRequestPartialSchema: ZodMiniObject;
  export const ApplicationCommandResponseSchema: ZodMiniObject;
  export const ApplicationCommandUpdateRequestSchema: ZodMiniObject;
  export const ComponentEmojiForRequestSchema: ZodMiniObject;
  export const CreatedThreadResponseSchema: ZodMiniObject;
  export const CreateTextThreadWithMessageRequestSchema: ZodMiniObject;
  export const CreateTextThreadWithoutMessageRequestSchema: ZodMiniObject;
  export const GatewayBotResponseSchema: ZodMiniObject;
  export const GuildChannelResponseSchema: ZodMiniObject;
  export const IncomingWebhookInteractionRequestSchema: ZodMiniObject;
  export const IncomingWebhookRequestPartialSchema: ZodMiniObject;
  export const IncomingWebhookUpdateForInteractionCallbackRequestPartialSchema: ZodMiniObject;
  export const IncomingWebhookUpdateRequestPartialSchema: ZodMiniObject;
  export const InteractionApplicationCommandAutocompleteCallbackIntegerDataSchema: ZodMiniObject;
  export const InteractionApplicationCommandAutocompleteCallbackNumberDataSchema: ZodMiniObject;
  export const InteractionApplicationCommandAutocompleteCallbackStringDataSchema: ZodMiniObject;
  export const InteractionCallbackResponseSchema: ZodMiniObject;
  export const MessageAttachmentRequestSchema: ZodMiniObject;
  export const MessageCreateRequestSchema: ZodMiniObject;
  export const MessageEditRequestPartialSchema: ZodMiniObject;
  export const MessageReferenceRequestSchema: ZodMiniObject;
  export const MessageResponseSchema: ZodMiniObject;
  export const ModalInteractionCallbackRequestDataSchema: ZodMiniObject;
  export const MyGuildResponseSchema: ZodMiniObject;
  export const PrivateApplicationResponseSchema: ZodMiniObject;
  export const PrivateChannelResponseSchema: ZodMiniObject;
  export const PrivateGroupChannelResponseSchema: ZodMiniObject;
  export const ThreadMemberResponseSchema: ZodMiniObject;
  export const ThreadResponseSchema: ZodMiniObject;
  export const UnfurledMediaRequestSchema: ZodMiniObject;
  export const UnfurledMediaRequestWithAttachmentReferenceRequiredSchema: ZodMiniObject;
  export const UpdateThreadRequestPartialSchema: ZodMiniObject;
  export const UserPIIResponseSchema: ZodMiniObject;
}
