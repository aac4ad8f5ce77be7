import { Refusal } from '../../lib/refusal.ts';
import { addPostedPart, answerOf, clearPartPosting, markPartPosting } from '../../services/asks/transitions.ts';
import type { AnswerPart, PendingPost } from '../../services/tasks/answer.ts';
import type { Transition } from '../../services/tasks/book.ts';
import { setMessage } from '../../services/tasks/delivery-state.ts';
import type { MessagePlace, Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { type Backoff, RetryLater } from '../delivery/backoff.ts';
import type { DeliveryParts } from '../delivery/record.ts';
import { findPostedPart } from '../outbox/adoption.ts';
import { failureKindOf, isUnsent } from '../outbox/errors.ts';
import { NONCE_LIFETIME_MS } from '../outbox/outbox.ts';
import { type ClosedRoutes, type MessageRoute, partRoutes, type TokenRoute, tokenRoute } from '../outbox/ways.ts';
import type { MessagePlan } from '../plan.ts';

/** Why a message could not be sent or edited. */
export type SendFailure = 'gone' | 'no-way';

interface PosterParts extends Pick<DeliveryParts, 'outbox' | 'clock' | 'log'> {
  id: string;
  backoff: Backoff;
  stopping: AbortSignal;
  closedRoutes: ClosedRoutes;
  /** Interprets a failed request; throws `RetryLater` if its outcome is unknown. */
  attempt<T>(by: MessageRoute['by'], work: () => Promise<T>): Promise<T | SendFailure>;
  /** Throws `RetryLater` if the store fails. */
  change(transition: Transition): Promise<Task>;
}

export interface PartToPost {
  index: number;
  /** The first message as it is shown before this part. */
  first: MessagePlan;
  body: MessageBody;
}

/** `isCurrent`: the message is known to show the intended content. */
type PostedPart = { task: Task; isCurrent: boolean };

/**
 * Posts the further messages of one answer, each only once. The intention is stored first. A message that the bot posts
 * itself has a nonce, and is searched for before it is posted again. A message sent with an interaction's token cannot be
 * deduplicated, so it is only sent once.
 */
export class PartPoster {
  readonly #parts: PosterParts;

  constructor(parts: PosterParts) {
    this.#parts = parts;
  }

  async post(task: Task, part: PartToPost): Promise<PostedPart | 'no-way'> {
    if (answerOf(task).posting?.by === 'token') return 'no-way';
    const taskWithMessage = await this.#ensureFirstMessage(task, part.first);
    if (!taskWithMessage?.message) return 'no-way';
    return (
      (await this.#postAsBot(taskWithMessage, taskWithMessage.message, part)) ??
      this.#postByToken(taskWithMessage, taskWithMessage.message, part)
    );
  }

  /** Returns undefined if the bot is not allowed to post in the channel. */
  async #postAsBot(
    task: Task,
    first: MessagePlace,
    { index, body }: PartToPost,
  ): Promise<PostedPart | 'no-way' | undefined> {
    const { outbox, clock, closedRoutes, attempt, change } = this.#parts;
    const { posting: pendingPost } = answerOf(task);
    const searchResult = pendingPost ? await this.#find(task, pendingPost) : 'nowhere';
    if (typeof searchResult === 'object')
      return { task: await this.#storePosted(task, { ...searchResult, by: 'bot' }), isCurrent: false };
    if (task.route.isPrivate || !task.route.mayPost || closedRoutes.has('channel')) return undefined;
    const now = clock.now();
    if (pendingPost && searchResult === 'unseen' && now - pendingPost.at >= NONCE_LIFETIME_MS) return 'no-way';
    const pending = { by: 'bot', channelId: first.channelId, answers: first.id, at: now } as const;
    const pendingTask =
      searchResult === 'unseen' ? task : await change((storedTask) => markPartPosting(storedTask, pending));
    const reference = { message_id: first.id, fail_if_not_exists: false } as const;
    const replyBody = { ...body, body: { ...body.body, message_reference: reference } };
    const nonce = `${this.#parts.id}-${index + 1}`;
    const place = await attempt('channel', () => outbox.post(first.channelId, nonce, replyBody));
    if (typeof place !== 'object') return undefined;
    return { task: await this.#storePosted(pendingTask, { ...place, by: 'bot' }), isCurrent: !pendingPost };
  }

  async #postByToken(task: Task, first: MessagePlace, { body }: PartToPost): Promise<PostedPart | 'no-way'> {
    const { outbox, clock, log, attempt, change } = this.#parts;
    const token = this.#openTokenRoute(task);
    if (!token) return 'no-way';
    const { channelId, id: answers } = first;
    const pending = { by: 'token', channelId, answers, at: clock.now() } as const;
    const pendingTask = await change((storedTask) => markPartPosting(storedTask, pending));
    try {
      const place = await attempt('token', () => outbox.addFollowUp(token, body, task.route.isPrivate));
      if (typeof place === 'object') return { task: await this.#storePosted(pendingTask, place), isCurrent: true };
      if (place !== undefined) await change(clearPartPosting);
    } catch (error) {
      if (!(error instanceof RetryLater) || error.obstacle !== 'unreachable') throw error;
      if (isUnsent(error.cause)) {
        await change(clearPartPosting);
        throw error;
      }
      log.info(
        { task: this.#parts.id },
        'It is unknown whether a part of an answer was posted: the whole answer will be sent as a file.',
      );
    }
    return 'no-way';
  }

  /** `nowhere`: it was never posted; `unseen`: the bot is not allowed to read the channel. */
  async #find(task: Task, posting: PendingPost): Promise<MessagePlace | 'nowhere' | 'unseen'> {
    try {
      return (await findPostedPart(task, posting, this.#parts.outbox)) ?? 'nowhere';
    } catch (error) {
      if (failureKindOf(error, 'channel') === 'later') throw new RetryLater('unreachable', error);
      return 'unseen';
    }
  }

  /** Discord has confirmed the message, so only storing it is retried. */
  async #storePosted(task: Task, part: AnswerPart): Promise<Task> {
    const { outbox, clock, backoff, stopping, attempt, change } = this.#parts;
    for (;;) {
      try {
        return await change((current) => addPostedPart(current, part));
      } catch (error) {
        // If the member has deleted the task in the meantime, delete this message too, because nothing else would ever find it.
        const [route] = error instanceof Refusal ? partRoutes(task, part, clock.now()) : [];
        if (route) await attempt(route.by, () => outbox.remove(route));
        if (!(error instanceof RetryLater) || stopping.aborted) throw error;
        await backoff.wait(error);
      }
    }
  }

  /** Shows the first message if necessary: as long as the reply is a placeholder, Discord would replace it with the next message. */
  async #ensureFirstMessage(task: Task, first: MessagePlan): Promise<Task | undefined> {
    if (task.message) return task;
    const { outbox, attempt, change } = this.#parts;
    const token = this.#openTokenRoute(task);
    if (!token) return undefined;
    const place = await attempt('token', () => outbox.edit(token, bodyOf(first)));
    return typeof place === 'object' ? change((storedTask) => setMessage(storedTask, place)) : undefined;
  }

  #openTokenRoute(task: Task): TokenRoute | undefined {
    const { closedRoutes, clock } = this.#parts;
    return closedRoutes.has('token') ? undefined : tokenRoute(task, clock.now());
  }
}
