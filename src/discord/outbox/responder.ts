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
  #acknowledged = false;
  #acknowledgedUpdate = false;
  #isPublic = false;
  #answered = false;

  constructor(outbox: Outbox, address: Address) {
    this.#outbox = outbox;
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
    if (this.#acknowledged) {
      await this.edit(plan);
      return;
    }
    const { body, files } = privately(bodyOf(plan));
    await this.#callback(InteractionResponseType.ChannelMessageWithSource, body, files);
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

  async #callback(type: InteractionResponseType, data?: object, files?: RawFile[]): Promise<void> {
    this.#acknowledged = true;
    await this.#outbox.respond(this.#address, data === undefined ? { type } : { type, data }, files);
  }
}
