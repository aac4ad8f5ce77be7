import { type APIMessage, InteractionResponseType as ResponseType } from 'discord-api-types/v10';
import type { Acknowledgement, Interaction, Modal } from './interactions/interaction.ts';
import type { Parts } from './parts.ts';
import type { Post } from './post.ts';
import { text } from './text.ts';

/** A message as Discord's own client shows it. */
export interface Message extends APIMessage {
  readonly ephemeral: boolean;
  readonly edited: boolean;
}

export interface Exchange {
  readonly id: string;
  readonly token: string;
  /** Rejects if the application did not respond within three seconds. */
  acknowledged(): Promise<Acknowledgement>;
  /** Waits for the response to satisfy `matches`, or for an ephemeral follow-up if a deferred response was deleted. */
  message(matches?: (message: Message) => boolean): Promise<Message>;
  followUps(): readonly Message[];
  followUp(matches?: (message: Message) => boolean): Promise<Message>;
  /** The first ephemeral message, as the response or as a follow-up. */
  ephemeral(matches?: (message: Message) => boolean): Promise<Message>;
  modal(): Promise<Modal>;
}

/** A message that consists only of this text is a placeholder, not the response. */
const PLACEHOLDER = /^-# [^\n]*$/;

export const messageOf = (post: Post, { apiMessage }: Parts, viewer?: string): Message => ({
  ...apiMessage(post, viewer),
  ephemeral: post.viewer !== undefined,
  edited: post.editedAt !== undefined,
});

export function exchangeOf(interaction: Interaction, parts: Parts): Exchange {
  const { watch, messages } = parts;
  const show = (post: Post) => messageOf(post, parts, interaction.user.id);
  const acknowledgement = () => {
    if (interaction.missedDeadline) throw new Error('The application did not respond');
    return interaction.acknowledgement;
  };
  const exists = (post: Post) => messages.get(post.id) === post;
  const response = () => {
    const current = acknowledgement();
    if (current?.type === ResponseType.Modal || current?.type === ResponseType.ApplicationCommandAutocompleteResult)
      throw new Error(`The response is not a message; its type is ${current.type}.`);
    const { original, responseRevision } = interaction;
    if (original && !exists(original))
      throw new Error(`The response was deleted. Follow-ups: ${JSON.stringify(followUps().map(text))}`);
    if (!original || original.revision < responseRevision) return undefined;
    return show(original);
  };
  const isDeleted = () => {
    const { original, acknowledgement: current } = interaction;
    return (
      current?.type === ResponseType.DeferredChannelMessageWithSource && original !== undefined && !exists(original)
    );
  };
  const followUps = () => interaction.followUps.filter(exists).map(show);
  return {
    id: interaction.id,
    token: interaction.token,
    acknowledged: () => watch.until(acknowledgement, 'an acknowledgement'),
    message: (matches = ({ content }) => !PLACEHOLDER.test(content)) => {
      const find = () => {
        // An ephemeral follow-up replaces a deleted deferred response.
        const ephemeralFollowUp = isDeleted() ? followUps().find((one) => one.ephemeral && matches(one)) : undefined;
        if (ephemeralFollowUp) return ephemeralFollowUp;
        const message = response();
        return message && matches(message) ? message : undefined;
      };
      const describeState = () => {
        const current = interaction.original ? [show(interaction.original)] : [];
        return `Found instead: ${JSON.stringify([acknowledgement()?.type, ...[...current, ...followUps()].map(text)])}`;
      };
      return watch.until(find, 'the response', describeState);
    },
    followUps,
    followUp: (matches = () => true) => watch.until(() => followUps().find(matches), 'a follow-up'),
    ephemeral: (matches = () => true) => {
      const find = () => {
        acknowledgement();
        const { original, responseRevision } = interaction;
        const response = original && exists(original) && original.revision >= responseRevision ? [show(original)] : [];
        return [...response, ...followUps()].find((message) => message.ephemeral && matches(message));
      };
      return watch.until(find, 'an ephemeral message');
    },
    modal: () => {
      const find = () => {
        const current = acknowledgement();
        if (current && current.type !== ResponseType.Modal)
          throw new Error(`The response is not a form; its type is ${current.type}.`);
        return interaction.modal;
      };
      return watch.until(find, 'a form');
    },
  };
}
