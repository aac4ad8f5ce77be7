import { InteractionResponseType as Answer, type APIMessage } from 'discord-api-types/v10';
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
  /** The response once it matches `wanted`, or an ephemeral follow-up if a deferred response was deleted. */
  message(wanted?: (message: Message) => boolean): Promise<Message>;
  followUps(): readonly Message[];
  followUp(wanted?: (message: Message) => boolean): Promise<Message>;
  /** The first ephemeral message, as the response or as a follow-up. */
  alone(wanted?: (message: Message) => boolean): Promise<Message>;
  modal(): Promise<Modal>;
}

/** A message of only this text is a placeholder, not yet the response. */
const SMALL_PRINT = /^-# [^\n]*$/;

export const messageOf = (post: Post, { wire }: Parts): Message => ({
  ...wire(post),
  ephemeral: post.viewer !== undefined,
  edited: post.editedAt !== undefined,
});

export function exchangeOf(interaction: Interaction, parts: Parts): Exchange {
  const { watch, messages } = parts;
  const acknowledgement = () => {
    if (interaction.missed) throw new Error('The application did not respond');
    return interaction.acknowledgement;
  };
  const stands = (post: Post) => messages.get(post.id) === post;
  const answer = () => {
    const known = acknowledgement();
    if (known?.type === Answer.Modal || known?.type === Answer.ApplicationCommandAutocompleteResult)
      throw new Error(`The response is not a message; its type is ${known.type}.`);
    const { original, answerSince } = interaction;
    if (original && !stands(original)) throw new Error('The response was deleted.');
    if (!original || original.revision < answerSince) return undefined;
    return messageOf(original, parts);
  };
  const isDeleted = () => {
    const { original, acknowledgement: known } = interaction;
    return known?.type === Answer.DeferredChannelMessageWithSource && original !== undefined && !stands(original);
  };
  const followUps = () => interaction.followUps.filter(stands).map((post) => messageOf(post, parts));
  return {
    id: interaction.id,
    token: interaction.token,
    acknowledged: () => watch.until(acknowledgement, 'an acknowledgement'),
    message: (wanted = ({ content }) => !SMALL_PRINT.test(content)) => {
      const look = () => {
        // An ephemeral follow-up replaces a deleted deferred response.
        const aside = isDeleted() ? followUps().find((one) => one.ephemeral && wanted(one)) : undefined;
        if (aside) return aside;
        const message = answer();
        return message && wanted(message) ? message : undefined;
      };
      const instead = () => {
        const known = interaction.original ? [messageOf(interaction.original, parts)] : [];
        return `Found instead: ${JSON.stringify([acknowledgement()?.type, ...[...known, ...followUps()].map(text)])}`;
      };
      return watch.until(look, 'the response', instead);
    },
    followUps,
    followUp: (wanted = () => true) => watch.until(() => followUps().find(wanted), 'a follow-up'),
    alone: (wanted = () => true) => {
      const look = () => {
        acknowledgement();
        const { original, answerSince } = interaction;
        const response =
          original && stands(original) && original.revision >= answerSince ? [messageOf(original, parts)] : [];
        return [...response, ...followUps()].find((message) => message.ephemeral && wanted(message));
      };
      return watch.until(look, 'an ephemeral message');
    },
    modal: () => {
      const look = () => {
        const known = acknowledgement();
        if (known && known.type !== Answer.Modal)
          throw new Error(`The response is not a form; its type is ${known.type}.`);
        return interaction.modal;
      };
      return watch.until(look, 'a form');
    },
  };
}
