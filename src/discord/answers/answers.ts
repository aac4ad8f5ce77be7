import { trackUntilDone } from '../../lib/track-until-done.ts';
import { hasEnded, isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { bodyOf } from '../message-body.ts';
import { tryAndLog } from '../outbox/errors.ts';
import { editRoute } from '../outbox/ways.ts';
import type { MessagePlan } from '../plan.ts';
import { type AnswerTools, FurtherMessages } from './further-messages.ts';

/** Discord accepts about five edits in five seconds in a channel, and older messages are out of sight. */
const MAX_UPDATED_MESSAGES = 10;

/** Shows answers in one or more messages. The first message is completed last, because it gets the whole text as a file if further messages fail. */
export class Answers {
  readonly #tools: AnswerTools;
  readonly #furtherMessages = new Map<string, FurtherMessages>();
  readonly #shutdown = new AbortController();
  readonly #runningUpdates = new Set<Promise<unknown>>();

  constructor(tools: AnswerTools) {
    this.#tools = tools;
  }

  show(task: Task): void {
    if (!isLive(task) || task.unwanted) {
      if (task.unwanted) this.#furtherMessages.get(task.id)?.drop();
      this.#furtherMessages.delete(task.id);
    }
    if (task.unwanted) this.#tools.delivery.show(task);
    else if (isLive(task)) {
      if (!hasEnded(task) || task.delivery.call) this.#tools.delivery.show(task);
      // The owner ping waits until everything is shown.
      if (!task.delivery.call) this.#furtherMessagesOf(task).show(task);
    }
  }

  /** Removes the buttons that a conversation has no use for after its end. A button that stays explains itself when it is pressed. */
  updateButtons(ids: readonly string[]): void {
    for (const id of ids.slice(0, MAX_UPDATED_MESSAGES)) {
      const update = this.#try('Could not update the buttons of an answer.', () => this.#updateButtons(id));
      void trackUntilDone(update, this.#runningUpdates);
    }
  }

  async #updateButtons(id: string): Promise<void> {
    const { outbox, change, messageOf } = this.#tools;
    const task = await change(id, (storedTask) => storedTask);
    const route = editRoute(task);
    if (!route || task.unwanted || !hasEnded(task)) return;
    const { components, allowed_mentions } = bodyOf(messageOf(task)).body;
    // Without a text and attachments, the message keeps its own.
    await outbox.edit(route, { body: { components, allowed_mentions }, files: [] });
  }

  /** Replies to a member's message; returns undefined if the bot is not allowed to post. */
  async replyTo({ channelId, id }: MessagePlace, plan: MessagePlan): Promise<MessagePlace | undefined> {
    const post = () => this.#tools.outbox.post(channelId, `t-${id}`, bodyOf({ ...plan, repliesTo: id }));
    return this.#try('Could not reply to a message.', post);
  }

  /** Edits a reply that `replyTo` posted. Used if no task was created. */
  async editReply(message: MessagePlace, plan: MessagePlan): Promise<void> {
    const edit = () => this.#tools.outbox.edit({ by: 'edit', message }, bodyOf(plan));
    await this.#try('Could not change the reply to a message.', edit);
  }

  async finish(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all([...this.#runningUpdates, ...[...this.#furtherMessages.values()].map((one) => one.finish())]);
  }

  #try<T>(failure: string, work: () => Promise<T>): Promise<T | undefined> {
    return tryAndLog(this.#tools.log, failure, {}, work);
  }

  #furtherMessagesOf({ id }: Task): FurtherMessages {
    const existing = this.#furtherMessages.get(id);
    if (existing) return existing;
    const created = new FurtherMessages({ ...this.#tools, id, stopping: this.#shutdown.signal });
    this.#furtherMessages.set(id, created);
    return created;
  }
}
