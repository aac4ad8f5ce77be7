import { InteractionResponseType, MessageFlags, type RawFile, type REST, Routes } from 'discord.js';
import type { MessagePlace } from '../services/tasks/task.ts';
import { bodyOf } from './adapter.ts';
import { placeIn } from './delivery/carrier.ts';
import { formBody } from './form.ts';
import type { FormPlan, MessagePlan } from './plan.ts';
import { isAnsweredAlready, isPassing } from './too-late.ts';

/** What fits into three seconds. */
const CALLBACK_TRIES = 3;

export interface Rests {
  /** For the first answer. */
  callbackRest: REST;
  /** For everything after it. */
  tokenRest: REST;
}

/** Only then does Discord answer with the message. */
const WAITED_FOR = new URLSearchParams({ wait: 'true' });

interface Address {
  interactionId: string;
  applicationId: string;
  token: string;
}

/** Answers one interaction, by its own token alone. The first answer is an acknowledgement; what follows edits it. */
export class Responder {
  readonly #callbacks: REST;
  readonly #rest: REST;
  readonly #address: Address;
  #acknowledged = false;
  #acknowledgedUpdate = false;
  #isPublic = false;
  #answered = false;

  constructor({ callbackRest, tokenRest }: Rests, address: Address) {
    this.#callbacks = callbackRest;
    this.#rest = tokenRest;
    this.#address = address;
  }

  /** The answer is to be a change of the message that was pressed. */
  get acknowledgedUpdate(): boolean {
    return this.#acknowledgedUpdate;
  }

  /** The answer, or the spinner in its place, is there for everybody to see. */
  get isPublic(): boolean {
    return this.#isPublic;
  }

  /** "Thinking…". Whether only the member sees the answer is decided here, for good. */
  async defer(isPrivate: boolean): Promise<void> {
    this.#isPublic = !isPrivate;
    await this.#callback(InteractionResponseType.DeferredChannelMessageWithSource, {
      flags: isPrivate ? MessageFlags.Ephemeral : 0,
    });
  }

  /** A press that will change the message it stands on. */
  async deferUpdate(): Promise<void> {
    this.#acknowledgedUpdate = true;
    await this.#callback(InteractionResponseType.DeferredMessageUpdate);
  }

  /** Opens a form, which Discord takes as the first answer only. */
  async open(form: FormPlan): Promise<void> {
    await this.#callback(InteractionResponseType.Modal, formBody(form));
  }

  async suggest(choices: readonly { name: string; value: string }[]): Promise<void> {
    await this.#callback(InteractionResponseType.ApplicationCommandAutocompleteResult, { choices });
  }

  /** Says something to the member alone: at once where nothing was said yet, else in place of the private answer. */
  async tell(plan: MessagePlan): Promise<void> {
    const { body, files } = bodyOf(plan);
    if (this.#acknowledged) {
      await this.edit(plan);
      return;
    }
    const flags = (body.flags ?? 0) | MessageFlags.Ephemeral;
    await this.#callback(InteractionResponseType.ChannelMessageWithSource, { ...body, flags }, files);
  }

  /**
   * A message of its own after the acknowledgement, to the member alone. In place of a spinner that everybody sees it would be as public as
   * that, so something else has to stand there first.
   */
  async tellBeside(plan: MessagePlan): Promise<void> {
    const { body, files } = bodyOf(plan);
    const flags = (body.flags ?? 0) | MessageFlags.Ephemeral;
    const { applicationId, token } = this.#address;
    await this.#rest.post(Routes.webhook(applicationId, token), { body: { ...body, flags }, files, auth: false });
  }

  /** Another message beside the answer; says where it is. */
  async another(plan: MessagePlan, isPrivate: boolean): Promise<{ channelId: string; id: string }> {
    // While the answer is still a spinner, Discord takes the next message for it.
    if (!this.#answered) await this.edit(plan);
    const { body, files } = bodyOf(plan);
    const flags = (body.flags ?? 0) | (isPrivate ? MessageFlags.Ephemeral : 0);
    const { applicationId, token } = this.#address;
    const route = Routes.webhook(applicationId, token);
    const answer = await this.#rest.post(route, { body: { ...body, flags }, files, auth: false, query: WAITED_FOR });
    const { id, channel_id: channelId } = answer as { id: string; channel_id: string };
    return { channelId, id };
  }

  /** Says where the answer stands. */
  async edit(plan: MessagePlan): Promise<MessagePlace | undefined> {
    this.#answered = true;
    const { body, files } = bodyOf(plan);
    const { applicationId, token } = this.#address;
    return placeIn(await this.#rest.patch(Routes.webhookMessage(applicationId, token), { body, files, auth: false }));
  }

  /** Changes a message that stands beside the answer. */
  async editOther(messageId: string, plan: MessagePlan): Promise<void> {
    const { body, files } = bodyOf(plan);
    const { applicationId, token } = this.#address;
    await this.#rest.patch(Routes.webhookMessage(applicationId, token, messageId), { body, files, auth: false });
  }

  /** Removes the answer, or the message that was pressed. */
  async takeAway(): Promise<void> {
    await this.takeAwayOther('@original');
  }

  /** Removes a message that stands beside the answer. */
  async takeAwayOther(messageId: string): Promise<void> {
    const { applicationId, token } = this.#address;
    await this.#rest.delete(Routes.webhookMessage(applicationId, token, messageId), { auth: false });
  }

  async #callback(type: InteractionResponseType, data?: object, files: RawFile[] = []): Promise<void> {
    this.#acknowledged = true;
    const { interactionId, token } = this.#address;
    const body = data === undefined ? { type } : { type, data };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#callbacks.post(Routes.interactionCallback(interactionId, token), { body, files, auth: false });
        return;
      } catch (error) {
        // The answer to an earlier try was lost, and yet it was heard.
        if (attempt > 1 && isAnsweredAlready(error)) return;
        if (attempt >= CALLBACK_TRIES || !isPassing(error)) throw error;
      }
    }
  }
}
