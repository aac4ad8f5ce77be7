import { type APIInteraction, RESTJSONErrorCodes as Code, InteractionType, MessageFlags } from 'discord-api-types/v10';
import { languages } from '../../lib/languages.ts';
import type { PlainLog } from '../../lib/log.ts';
import { type Say, sayIn } from '../../locales/index.ts';
import type { TaskBook } from '../../services/orders/book.ts';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { type InteractionFacts, interactionFactsOf } from '../interaction-facts.ts';
import { bodyOf } from '../message-body.ts';
import type { Languages } from '../reader-languages.ts';
import { findReply } from './adoption.ts';
import { hasCode } from './errors.ts';
import type { Outbox } from './outbox.ts';
import type { Acknowledgement } from './responder.ts';

interface InterruptedContext {
  outbox: Outbox;
  book: TaskBook;
  log: PlainLog;
}

/** How to continue with an interaction: not at all, from the beginning, or after this acknowledgement. */
export type InterruptedState = 'ended' | 'not acknowledged' | Acknowledgement;

/**
 * Determines how far another process got with an interaction before it ended. Discord accepts only one initial response to each interaction. If
 * the member sees only that the bot is thinking, the gateway has no job for the interaction: one that `onlyOrders` continues, and the member of any other one
 * is told to try again.
 */
export const interruptedInteractionHandler =
  ({ outbox, book, log }: InterruptedContext, languagesOf: (facts: InteractionFacts) => Languages) =>
  async (interaction: APIInteraction, onlyOrders: boolean): Promise<InterruptedState> => {
    const { id, application_id: applicationId, token } = interaction;
    if (interaction.type === InteractionType.Ping) return 'ended';
    if (interaction.type === InteractionType.ApplicationCommandAutocomplete) return 'ended';
    // A task that is still live shows its own outcome.
    if (book.live(({ route }) => route.interactionId === id).length > 0) return 'ended';
    try {
      const message = await outbox.readResponse(interaction);
      if (!message) return 'not acknowledged';
      if ((message.flags & MessageFlags.Loading) === 0) return 'ended';
      const isPublic = (message.flags & MessageFlags.Ephemeral) === 0;
      if (onlyOrders) return isPublic ? 'public answer' : 'private answer';
      const route = { by: 'token', applicationId, token, followUpId: undefined } as const;
      const { member, place } = languagesOf(interactionFactsOf(interaction));
      await outbox.edit(route, bodyOf({ content: sayIn(isPublic ? place : member)('refusals.interrupted') }));
    } catch (error) {
      // If the token has expired, the member has long since seen that there was no result.
      if (!hasCode(error, Code.InvalidWebhookToken))
        log.warn({ err: error }, 'An interrupted command could not be continued, and its member could not be told.');
    }
    return 'ended';
  };

/** Continues with a message in a thread whose process has ended. A reply is posted before its task is created: without one, nothing has started, and the result is false. */
export const interruptedMessageHandler =
  (
    { outbox, book, log }: InterruptedContext,
    applicationId: () => string,
    /** What a reply says before its task is stored, in a language. */
    openTextsIn: (say: Say) => readonly string[],
  ) =>
  async (message: MessagePlace): Promise<boolean> => {
    try {
      const reply = await findReply(message, applicationId(), outbox);
      if (!reply) return false;
      const isTaskLive = book.live(({ message }) => message?.id === reply.place.id).length > 0;
      const language = languages.find((one) => openTextsIn(sayIn(one)).includes(reply.content ?? ''));
      if (language !== undefined && !isTaskLive)
        await outbox.edit(
          { by: 'edit', message: reply.place },
          bodyOf({ content: sayIn(language)('refusals.interrupted') }),
        );
    } catch (error) {
      log.warn(
        { err: error },
        'Could not determine whether a message in a thread was answered, so it will not be handled again.',
      );
    }
    return true;
  };
