import type { APIModalInteractionResponseCallbackData, InteractionType } from 'discord-api-types/v10';
import type { Post } from '../post.ts';
import type { Channel, Guild, User } from '../world.ts';

export interface Acknowledgement {
  readonly type: number;
  readonly ephemeral: boolean;
  readonly afterMs: number;
}

/** A form that a user has open. */
export interface Modal {
  readonly customId: string;
  readonly title: string;
  readonly components: APIModalInteractionResponseCallbackData['components'];
  /** The interaction that opened it. */
  readonly interactionId: string;
}

export type Choice = { readonly name: string; readonly value: string | number };

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  at: number;
  readonly user: User;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
  /** The installations that authorize the interaction (documentation, "Authorizing Integration Owners Object"). */
  readonly owners: Readonly<Record<string, string>>;
  /** Additional fields for the `interaction_metadata` of its responses. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The message whose component was used, or from which the form was opened. */
  readonly source: Post | undefined;
  acknowledgement?: Acknowledgement;
  /** Set if the application did not respond within three seconds. */
  missedDeadline: boolean;
  /** Invalidates the token, regardless of the clock. */
  isExpired: boolean;
  /** The response: a new message, or the updated source. */
  original?: Post;
  /** The first revision of `original` that is the response, not a placeholder or an older state. */
  responseRevision: number;
  isOriginalDeleted: boolean;
  readonly followUps: Post[];
  modal?: Modal;
  choices?: readonly Choice[];
}

/** Whether only the user, but not the guild, has installed the application. */
export const isUserInstallOnly = ({ owners }: Interaction) => owners['1'] !== undefined && owners['0'] === undefined;
