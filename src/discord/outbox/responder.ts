import { InteractionResponseType, MessageFlags, type RawFile } from 'discord.js';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { bodyOf } from '../adapter.ts';
import { formBody } from '../form.ts';
import type { FormPlan, MessagePlan } from '../plan.ts';
import { type Outbox, privately } from './outbox.ts';
import type { TokenWay } from './ways.ts';

interface Address {
  interactionId: string;
  applicationId: string;
  token: string;
}

/** Answers one interaction, by its own token alone. The first answer is an acknowledgement; what follows edits it. */
export class Responder {
  readonly #outbox: Outbox;
  readonly #address: Address;
  #stands: 'nothing' | 'pressed message' | 'public answer' | 'private answer' = 'nothing';
  #answered = false;

  constructor(outbox: Outbox, address: Address) {
    this.#outbox = outbox;
    this.#address = address;
  }

  /** What its token has to change: once acknowledged, the answer or the spinner in its place, or the message that was pressed. */
  get stands() {
    return this.#stands;
  }

  /** "Thinking…". Whether only the member sees the answer is decided here, for good. */
  async defer(isPrivate: boolean): Promise<void> {
    this.#stands = isPrivate ? 'private answer' : 'public answer';
    const flags = isPrivate ? MessageFlags.Ephemeral : 0;
    await this.#respond(InteractionResponseType.DeferredChannelMessageWithSource, { flags });
  }

  /** A press that will change the message it stands on. */
  async deferUpdate(): Promise<void> {
    this.#stands = 'pressed message';
    await this.#respond(InteractionResponseType.DeferredMessageUpdate);
  }

  /** Opens a form, which Discord takes as the first answer only. */
  async open(form: FormPlan): Promise<void> {
    await this.#respond(InteractionResponseType.Modal, formBody(form));
  }

  async suggest(choices: readonly { name: string; value: string }[]): Promise<void> {
    await this.#respond(InteractionResponseType.ApplicationCommandAutocompleteResult, { choices });
  }

  /** Says something to the member alone: at once where nothing was said yet, else in place of the private answer. */
  async tell(plan: MessagePlan): Promise<void> {
    if (this.#stands === 'nothing') {
      const { body, files } = privately(bodyOf(plan));
      await this.#respond(InteractionResponseType.ChannelMessageWithSource, body, files);
    } else await this.edit(plan);
  }

  /**
   * A message of its own after the acknowledgement, to the member alone. In place of a spinner that everybody sees it would be as public as
   * that, so something else has to stand there first.
   */
  async tellBeside(plan: MessagePlan): Promise<void> {
    await this.#outbox.add(this.#way(), bodyOf(plan), true);
  }

  /** Another message beside the answer; says where it is. */
  async another(plan: MessagePlan, isPrivate: boolean): Promise<MessagePlace> {
    // While the answer is still a spinner, Discord takes the next message for it.
    if (!this.#answered) await this.edit(plan);
    const place = await this.#outbox.add(this.#way(), bodyOf(plan), isPrivate);
    if (!place) throw new Error('Discord did not say where a message stands.');
    return place;
  }

  /** Changes the answer, or a message that stands beside it; says where that is. */
  async edit(plan: MessagePlan, besideId?: string): Promise<MessagePlace | undefined> {
    this.#answered = true;
    return this.#outbox.edit(this.#way(besideId), bodyOf(plan));
  }

  /** Removes the answer, the message that was pressed, or one that stands beside the answer. */
  async takeAway(besideId?: string): Promise<void> {
    await this.#outbox.remove(this.#way(besideId));
  }

  #way(followUpId?: string): TokenWay {
    const { applicationId, token } = this.#address;
    return { by: 'token', applicationId, token, followUpId };
  }

  async #respond(type: InteractionResponseType, data?: object, files?: RawFile[]): Promise<void> {
    if (this.#stands === 'nothing') this.#stands = 'private answer';
    await this.#outbox.respond(this.#address, { type, data }, files);
  }
}
