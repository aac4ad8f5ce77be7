import type {
  APIAllowedMentions,
  APIEmbed,
  APIMessageReference,
  APIMessageTopLevelComponent,
  MessageType,
} from 'discord-api-types/v10';
import type { Upload } from './uploads.ts';
import type { Channel, User } from './world.ts';

/** The stored message; `wire/message.ts` builds the API message from it. */
export interface Post {
  readonly id: string;
  readonly channel: Channel;
  readonly author: User;
  at: number;
  readonly type: MessageType;
  /** Set on an ephemeral message: the only user who sees it. */
  readonly viewer?: string | undefined;
  readonly reference?: APIMessageReference | undefined;
  /** The `interaction_metadata` of a response. */
  readonly interaction?: Readonly<Record<string, unknown>> | undefined;
  readonly nonce?: string | number | undefined;
  readonly tts: boolean;
  editedAt?: number;
  /** Incremented by every edit, through any route. */
  revision: number;
  flags: number;
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  uploads: Upload[];
  /** The users mentioned in the content. */
  mentions: readonly string[];
  /** Set on a reply that notifies the author of the other message, which may be the response to an interaction. */
  readonly replyPing?: { readonly userId: string; readonly isResponse: boolean } | undefined;
  mentionsEveryone: boolean;
}

/** The parts of a message body that the routes share, after the validator has accepted it. */
export interface MessageBody {
  readonly content?: string | null;
  readonly tts?: boolean;
  readonly flags?: number | null;
  readonly embeds?: APIEmbed[] | null;
  readonly components?: APIMessageTopLevelComponent[] | null;
  readonly attachments?:
    | readonly {
        readonly id: string | number;
        readonly filename?: string | null;
        readonly description?: string | null;
        readonly title?: string | null;
        readonly is_spoiler?: boolean | null;
        readonly duration_secs?: number | null;
        readonly waveform?: string | null;
      }[]
    | null;
  readonly allowed_mentions?: APIAllowedMentions | null;
  readonly message_reference?: (Partial<APIMessageReference> & { fail_if_not_exists?: boolean }) | null;
  readonly nonce?: string | number | null;
  readonly enforce_nonce?: boolean;
}
