import { InteractionResponseType as Answer, type APIMessage } from 'discord-api-types/v10';
import type { Acknowledgement, Interaction, Modal } from './interactions/interaction.ts';
import type { Parts } from './parts.ts';
import type { Post } from './post.ts';
import { text } from './text.ts';

/** A message as a client sees it. */
export interface Message extends APIMessage {
  readonly ephemeral: boolean;
  readonly edited: boolean;
}

export interface Exchange {
  readonly id: string;
  readonly token: string;
  /** Rejects where the three seconds ran out. */
  acknowledged(): Promise<Acknowledgement>;
  /** The answer, not the spinner; or any later state of it that is wanted, or what the person is told where it was taken back. */
  message(wanted?: (message: Message) => boolean): Promise<Message>;
  followUps(): readonly Message[];
  followUp(wanted?: (message: Message) => boolean): Promise<Message>;
  /** What the person alone is told, as the answer or beside it. */
  alone(wanted?: (message: Message) => boolean): Promise<Message>;
  modal(): Promise<Modal>;
}

/** Alone it stands there until something else does, and is nobody's answer. */
const SMALL_PRINT = /^-# [^\n]*$/;

export const seen = (post: Post, { wire }: Parts): Message => ({
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
      throw new Error(`The answer is no message: its type is ${known.type}.`);
    const { original, answerSince } = interaction;
    if (original && !stands(original)) throw new Error('The answer was deleted.');
    if (!original || original.revision < answerSince) return undefined;
    return seen(original, parts);
  };
  const isTakenBack = () => {
    const { original, acknowledgement: known } = interaction;
    return known?.type === Answer.DeferredChannelMessageWithSource && original !== undefined && !stands(original);
  };
  const followUps = () => interaction.followUps.filter(stands).map((post) => seen(post, parts));
  return {
    id: interaction.id,
    token: interaction.token,
    acknowledged: () => watch.until(acknowledgement, 'an acknowledgement'),
    message: (wanted = ({ content }) => !SMALL_PRINT.test(content)) => {
      const look = () => {
        // What replaces an answer that was taken back is told to the person alone.
        const aside = isTakenBack() ? followUps().find((one) => one.ephemeral && wanted(one)) : undefined;
        if (aside) return aside;
        const message = answer();
        return message && wanted(message) ? message : undefined;
      };
      const instead = () => {
        const known = interaction.original ? [seen(interaction.original, parts)] : [];
        return `There is: ${JSON.stringify([acknowledgement()?.type, ...[...known, ...followUps()].map(text)])}`;
      };
      return watch.until(look, 'the answer', instead);
    },
    followUps,
    followUp: (wanted = () => true) => watch.until(() => followUps().find(wanted), 'a follow-up'),
    alone: (wanted = () => true) => {
      const look = () => {
        acknowledgement();
        const { original, answerSince } = interaction;
        const said = original && stands(original) && original.revision >= answerSince ? [seen(original, parts)] : [];
        return [...said, ...followUps()].find((message) => message.ephemeral && wanted(message));
      };
      return watch.until(look, 'what one alone is told');
    },
    modal: () => {
      const look = () => {
        const known = acknowledgement();
        if (known && known.type !== Answer.Modal) throw new Error(`The answer is no form: its type is ${known.type}.`);
        return interaction.modal;
      };
      return watch.until(look, 'a form');
    },
  };
}
