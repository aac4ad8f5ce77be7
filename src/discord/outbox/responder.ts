import {
  type APIInteraction,
  RESTJSONErrorCodes as Code,
  InteractionResponseType,
  MessageFlags,
} from 'discord-api-types/v10';
import { type Clock, pause } from '../../lib/clock.ts';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { formBody } from '../form.ts';
import type { Funnel } from '../funnel.ts';
import { type Interaction, TOKEN_LIFETIME_MS } from '../interaction-facts.ts';
import { bodyOf } from '../message-body.ts';
import type { FormPlan, MessagePlan } from '../plan.ts';
import { timestampOf } from '../snowflake.ts';
import { hasCode, isTooLate, isTransient, isUnsent, onCode } from './errors.ts';
import { asEphemeral, type InitialResponse, type Outbox, type ResponseOptions } from './outbox.ts';
import type { TokenRoute } from './ways.ts';

// https://discord.com/developers/docs/interactions/application-commands#autocomplete
const MAX_SUGGESTIONS = 25;
const MAX_SUGGESTION_LENGTH = 100;

/** `message`: the one whose button was pressed. */
type InteractionReference = Pick<APIInteraction, 'id' | 'application_id' | 'token' | 'message'>;

/** The message that an acknowledged interaction's token can change: the reply, or the message that was pressed. */
export type Acknowledgement = 'pressed message' | 'public answer' | 'private answer';

/** Replies to one interaction, using only its own token. The first response is an acknowledgement; the reply edits it. */
export class Responder {
  readonly #outbox: Outbox;
  readonly #interaction: InteractionReference;
  readonly #onFirstResponse: () => void;
  /** What Discord has accepted. */
  #state: 'nothing' | Acknowledgement = 'nothing';
  /** An acknowledgement whose outcome is unknown. */
  #uncertain: Acknowledgement | undefined;
  #hasReplied = false;

  constructor(outbox: Outbox, interaction: InteractionReference, onFirstResponse: () => void = () => undefined) {
    this.#outbox = outbox;
    this.#interaction = interaction;
    this.#onFirstResponse = onFirstResponse;
  }

  /** The message that the token can change: once acknowledged, the reply or the spinner in its place, or the message that was pressed. */
  get responseState() {
    return this.#state;
  }

  /** "Thinking…", unless the pressed message is to be changed. Whether only the member sees the reply is decided here and cannot change later. */
  async acknowledge(acknowledgement: Acknowledgement): Promise<void> {
    const flags = acknowledgement === 'private answer' ? MessageFlags.Ephemeral : 0;
    const response =
      acknowledgement === 'pressed message'
        ? { type: InteractionResponseType.DeferredMessageUpdate }
        : { type: InteractionResponseType.DeferredChannelMessageWithSource, data: { flags } };
    try {
      await this.#respond(response, { wasAccepted: () => this.#isAcknowledged(acknowledgement) });
    } catch (error) {
      if (isTransient(error)) this.#uncertain = acknowledgement;
      throw error;
    }
    this.#state = acknowledgement;
  }

  /** After an acknowledgement whose outcome is unknown, asks Discord whether it was accepted. */
  async determineState(): Promise<void> {
    if (this.#uncertain && (await this.#isAcknowledged(this.#uncertain))) this.#state = this.#uncertain;
    this.#uncertain = undefined;
  }

  /** For an interaction that another process has certainly acknowledged. */
  continueAfter(acknowledgement: Acknowledgement): void {
    this.#state = acknowledgement;
  }

  /** Acknowledges an interaction that another process may already have acknowledged. */
  async takeOver(acknowledgement: Acknowledgement): Promise<void> {
    try {
      await this.acknowledge(acknowledgement);
    } catch (error) {
      // After three seconds, Discord may no longer know an acknowledged interaction, although its token works.
      const mayBeAcknowledged = hasCode(error, Code.InteractionHasAlreadyBeenAcknowledged, Code.UnknownInteraction);
      if (!mayBeAcknowledged || !(await this.#isAcknowledged(acknowledgement))) throw error;
      this.#state = acknowledgement;
    }
  }

  /** Whether Discord shows this acknowledgement, and not the answer of another process. */
  async #isAcknowledged(acknowledgement: Acknowledgement): Promise<boolean> {
    const message = await this.#outbox.readResponse(this.#interaction);
    if (!message) return false;
    if (acknowledgement === 'pressed message') return message.id === this.#interaction.message?.id;
    return (message.flags & MessageFlags.Loading) !== 0;
  }

  /** What Discord shows as the reply; undefined if it was deleted. */
  async readReply(): Promise<'spinner' | 'reply' | undefined> {
    const message = await this.#outbox.readResponse(this.#interaction);
    return message && ((message.flags & MessageFlags.Loading) === 0 ? 'reply' : 'spinner');
  }

  /** Opens a form, which Discord accepts as the first response only. */
  async open(form: FormPlan): Promise<void> {
    await this.#respond({ type: InteractionResponseType.Modal, data: formBody(form) });
  }

  /** Discord limits the number of suggestions and their length. A value is never truncated, because half an id would be a different id. */
  async suggest(suggestions: readonly { name: string; value: string }[]): Promise<void> {
    const usableSuggestions = suggestions.filter(
      ({ name, value }) => Math.max(name.length, value.length) <= MAX_SUGGESTION_LENGTH,
    );
    const choices = usableSuggestions.slice(0, MAX_SUGGESTIONS);
    await this.#respond({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } });
  }

  /** Changes the pressed message, as the first response. */
  async replacePressed(plan: MessagePlan): Promise<void> {
    await this.#respond({ type: InteractionResponseType.UpdateMessage, data: bodyOf(plan).body });
    this.#state = 'pressed message';
  }

  /** Sends a message that only the member sees: as the response if there is none yet, otherwise in place of the private reply. */
  async replyPrivately(plan: MessagePlan): Promise<void> {
    if (this.#state === 'nothing') {
      const { body: data, files } = asEphemeral(bodyOf(plan));
      await this.#respond({ type: InteractionResponseType.ChannelMessageWithSource, data }, { files });
      this.#state = 'private answer';
    } else await this.edit(plan);
  }

  /** To be called after the acknowledgement. A public spinner must be replaced first, or this message becomes public too. */
  async followUpPrivately(plan: MessagePlan): Promise<void> {
    await this.#outbox.addFollowUp(this.#route(), bodyOf(plan), true);
  }

  async postFollowUp(plan: MessagePlan, isPrivate: boolean): Promise<MessagePlace> {
    // While the reply is still a spinner, Discord puts the next message in its place.
    if (!this.#hasReplied && this.#state !== 'pressed message') await this.edit(plan);
    const place = await this.#outbox.addFollowUp(this.#route(), bodyOf(plan), isPrivate);
    if (!place) throw new Error('Discord did not return the ID of a message.');
    return place;
  }

  async edit(plan: MessagePlan, followUpId?: string): Promise<MessagePlace | undefined> {
    const place = await this.#outbox.edit(this.#route(followUpId), bodyOf(plan));
    this.#hasReplied = true;
    return place;
  }

  async delete(followUpId?: string): Promise<void> {
    await this.#outbox.remove(this.#route(followUpId));
  }

  #route(followUpId?: string): TokenRoute {
    const { application_id: applicationId, token } = this.#interaction;
    return { by: 'token', applicationId, token, followUpId };
  }

  async #respond(body: InitialResponse, options?: ResponseOptions): Promise<void> {
    await this.#outbox.respond(this.#interaction, body, options);
    this.#onFirstResponse();
  }
}

/**
 * Tells a member privately why an interaction had no result. The first follow-up after a public deferral replaces the
 * deferred message and is public too, and once that is deleted Discord may accept no follow-up at all. So a neutral line is sent first, the
 * sentence follows privately, and then the neutral line is deleted. The same applies to a message
 * in addition to the reply.
 */
export async function notifyMemberPrivately(
  responder: Responder,
  /** Only the member sees `plan`; `neutral` is public, and is used if a public message has to come first. */
  { plan, neutral }: { plan: MessagePlan; neutral: MessagePlan },
  limit: RetryLimit,
  followUp?: { id: string; isPrivate: boolean },
): Promise<void> {
  const id = followUp?.id;
  await retryUntilSent(() => responder.determineState(), limit);
  // Nothing has changed, so the pressed message stays as it is and the sentence is sent separately.
  if (!followUp && responder.responseState === 'pressed message') return followUpPrivately(responder, plan, limit);
  const isPublic = followUp ? !followUp.isPrivate : responder.responseState === 'public answer';
  if (!isPublic)
    return retryUntilSent(() => (followUp ? responder.edit(plan, id) : responder.replyPrivately(plan)), limit);
  // A member may already have deleted the message.
  const ignoreDeletion = onCode(undefined, Code.UnknownMessage);
  try {
    await retryUntilSent(() => responder.edit(neutral, id).catch(ignoreDeletion), limit);
    await followUpPrivately(responder, plan, limit);
  } finally {
    await retryUntilSent(() => responder.delete(id).catch(ignoreDeletion), limit);
  }
}

/** Discord does not deduplicate follow-ups, so one is sent again only if Discord cannot have received it. */
const followUpPrivately = (responder: Responder, plan: MessagePlan, limit: RetryLimit): Promise<void> =>
  retryUntilSent(() => responder.followUpPrivately(plan), limit, isUnsent);

/** Sends a message that only the member of an interaction sees, while its token is valid; returns false if that was not possible. */
export function lateFollowUp(
  responder: Responder,
  { id }: Interaction,
  { clock, funnel }: { clock: Clock; funnel: Funnel },
) {
  return async (plan: MessagePlan): Promise<boolean> => {
    if (clock.now() >= timestampOf(id) + TOKEN_LIFETIME_MS) return false;
    try {
      await responder.followUpPrivately(plan);
      return true;
    } catch (error) {
      if (isTooLate(error)) funnel.logTooLate('a late follow-up', error);
      else funnel.messageFor(error, 'a late follow-up');
      return false;
    }
  };
}

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;

export interface RetryLimit {
  clock: Clock;
  /** When the token expires. */
  until: number;
  stopping: AbortSignal;
}

/** Waits for the reply, because a follow-up would take the place of a spinner. Returns false if there will be none. */
export async function isReplyShown(responder: Responder, { clock, until, stopping }: RetryLimit): Promise<boolean> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(MAX_PAUSE_MS, wait * 2)) {
    try {
      const shown = await responder.readReply();
      if (shown !== 'spinner') return shown === 'reply';
    } catch (error) {
      if (isTooLate(error)) return false;
      if (!isTransient(error)) throw error;
    }
    if (stopping.aborted || clock.now() + wait >= until) return false;
    await pause(clock, wait, stopping);
  }
}

/** Retries until Discord accepts the message: a rejected request has no task that could notify the member later. */
async function retryUntilSent(
  send: () => Promise<unknown>,
  { clock, until, stopping }: RetryLimit,
  isRetryable: (error: unknown) => boolean = isTransient,
): Promise<void> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(MAX_PAUSE_MS, wait * 2)) {
    try {
      await send();
      return;
    } catch (error) {
      if (!isRetryable(error) || stopping.aborted || clock.now() + wait >= until) throw error;
      await pause(clock, wait, stopping);
    }
  }
}
