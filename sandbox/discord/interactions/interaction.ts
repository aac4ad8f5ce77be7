import type { APIModalInteractionResponseCallbackData, InteractionType } from 'discord-api-types/v10';
import type { Post } from '../post.ts';
import type { Channel, Guild, User } from '../world.ts';

export interface Acknowledgement {
  readonly type: number;
  readonly ephemeral: boolean;
  readonly afterMs: number;
}

/** A form as the person sees it. */
export interface Modal {
  readonly customId: string;
  readonly title: string;
  readonly components: APIModalInteractionResponseCallbackData['components'];
  /** The interaction that it answered. */
  readonly interactionId: string;
}

export type Choice = { readonly name: string; readonly value: string | number };

/** One interaction, from the moment the person acted. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: InteractionType;
  at: number;
  readonly user: User;
  readonly channel: Channel;
  readonly guild: Guild | undefined;
  /** Which installation it comes from: documentation, "Authorizing Integration Owners Object". */
  readonly owners: Readonly<Record<string, string>>;
  /** What `interaction_metadata` of its answers says beside who and what. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The message of the component that was pressed, or from which the form was opened. */
  readonly source: Post | undefined;
  acknowledgement?: Acknowledgement;
  /** The three seconds passed without an answer. */
  missed: boolean;
  /** Its token ends now, whatever the clock says. */
  expired: boolean;
  /** The answer: a message of its own, or the source where that was updated. */
  original?: Post;
  /** The revision of `original` with which it says what the application wanted to say. */
  answerSince: number;
  originalRemoved: boolean;
  readonly followUps: Post[];
  modal?: Modal;
  choices?: readonly Choice[];
}

/** Installed by the person alone: nothing of the application is in that guild. */
export const isUserInstallOnly = ({ owners }: Interaction) => owners['1'] !== undefined && owners['0'] === undefined;
