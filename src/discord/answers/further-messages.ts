import { Refusal } from '../../lib/refusal.ts';
import {
  addPostedPart,
  answerOf,
  clearPartPosting,
  dropParts,
  markPartPosting,
  markPartsShown,
} from '../../services/conversations/ask-transitions.ts';
import type { Transition } from '../../services/orders/book.ts';
import type { StoredPart } from '../../services/tasks/answer.ts';
import { setMessage } from '../../services/tasks/delivery-state.ts';
import { hasEnded, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { Attempts, type AttemptsContext, RetryLater, withStore } from '../delivery/backoff.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { LatestState } from '../delivery/latest-state.ts';
import type { DeliveryTools } from '../delivery/record.ts';
import { bodyOf, type MessageBody } from '../message-body.ts';
import { findPostedPart } from '../outbox/adoption.ts';
import { type FailureKind, isUnsent } from '../outbox/errors.ts';
import { NONCE_LIFETIME_MS } from '../outbox/outbox.ts';
import { ShownContent } from '../outbox/shown-content.ts';
import { type MessageRoute, partRoutes, type TokenRoute, tokenRoute } from '../outbox/ways.ts';
import type { MessagePlan } from '../plan.ts';

const TOKEN_EDIT_GAP_MS = 1_100;
/** Edits with the bot's token share the channel's rate limit with all other messages there. */
const BOT_EDIT_GAP_MS = 4_000;

export interface AnswerTools extends DeliveryTools {
  delivery: Pick<Delivery, 'show'>;
  /** The plan of an answer's first message. */
  messageOf(task: Task): MessagePlan;
  plansOf(task: Task): { first: MessagePlan; further: MessagePlan[] };
}

type FurtherMessagesContext = AnswerTools & AttemptsContext;

interface PartToShow {
  index: number;
  /** The first message as it is shown before this part. */
  first: MessagePlan;
  body: MessageBody;
}

/** `isCurrent`: the message is known to show the intended content. */
type PostedPart = { task: Task; isCurrent: boolean };

const NOT_SHOWN = 'Could not show a part of an answer.';

/**
 * The further messages of one answer; at the end, each of them shows exactly its part. Each is posted only once: the intention is stored
 * first. A message that the bot posts itself has a nonce, and is searched for before it is posted again. A message sent with an interaction's
 * token cannot be deduplicated, so it is only sent once.
 */
export class FurtherMessages extends LatestState {
  readonly #context: FurtherMessagesContext;
  readonly #attempts: Attempts;
  #nextAt = 0;
  readonly #closedRoutes = new Set<MessageRoute['by']>();
  readonly #shownContents = new Map<string, ShownContent>();
  readonly #deletedIds = new Set<string>();

  constructor(context: FurtherMessagesContext) {
    super(context.clock, context.stopping);
    this.#context = context;
    this.#attempts = new Attempts(context);
  }

  protected nextShowAt(): number {
    return this.#nextAt;
  }

  protected async deliver(task: Task): Promise<void> {
    const { clock, delivery, stopping } = this.#context;
    const isEnd = hasEnded(task);
    const shownTask = await this.#showParts(task, isEnd).catch((error: unknown) => {
      // An erased task has no message. After a bug, the first message still shows the end, with the whole text as a file.
      if (error instanceof Refusal) this.drop();
      else this.logFailure(error);
      return task;
    });
    if (!isEnd) this.#nextAt = shownTask === task ? 0 : clock.now() + this.#gapOf(shownTask);
    else if (!stopping.aborted) delivery.show(shownTask);
  }

  protected logFailure(error: unknown): void {
    this.#context.log.error({ task: this.#context.id, err: error }, 'Could not show the rest of an answer.');
  }

  #gapOf(task: Task): number {
    const isByBot = answerOf(task).parts.some(({ by }) => by === 'bot');
    return !isByBot && this.#tokenRoute(task) ? TOKEN_EDIT_GAP_MS : BOT_EDIT_GAP_MS;
  }

  /** Returns the changed task, or the same object if there was nothing to do. Showing the end is retried; showing progress is not. */
  async #showParts(task: Task, isEnd: boolean): Promise<Task> {
    const { first, further } = this.#context.plansOf(task);
    if (further.length === 0 && answerOf(task).parts.length === 0) return task;
    for (;;) {
      try {
        const { current, isComplete } = await this.#showEach(first, further);
        if (!isEnd) return current === task ? { ...task } : current;
        // Messages whose text was moved into a file are no longer needed.
        for (const place of answerOf(current).parts.slice(further.length)) await this.#remove(current, place);
        return await this.#change((storedTask) => {
          const kept = dropParts(storedTask, further.length);
          return isComplete ? markPartsShown(kept) : kept;
        });
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error;
        if (!isEnd || this.#context.stopping.aborted) return { ...task };
        await this.#attempts.wait(error);
      }
    }
  }

  async #showEach(first: MessagePlan, further: readonly MessagePlan[]) {
    // The state that is shown may be older than the message that was posted last.
    let current = await this.#change((storedTask) => storedTask);
    for (const [index, plan] of further.entries()) {
      const updated = await this.#showPart(current, { index, first, body: bodyOf(plan) });
      // A later part is never posted before an earlier one.
      if (!updated) return { current, isComplete: false };
      current = updated;
    }
    return { current, isComplete: true };
  }

  /** Throws a refusal if the task was erased, and `RetryLater` if the store fails. */
  #change(transition: Transition): Promise<Task> {
    return withStore(() => this.#context.change(this.#context.id, transition));
  }

  #tokenRoute(task: Task): TokenRoute | undefined {
    return this.#closedRoutes.has('token') ? undefined : tokenRoute(task, this.#context.clock.now());
  }

  /** Edits or posts a part, unless a member has deleted it. Returns the changed task, or undefined if the part cannot be shown. */
  async #showPart(task: Task, part: PartToShow): Promise<Task | undefined> {
    const { index, body } = part;
    const place = answerOf(task).parts[index];
    if (place) return (await this.#edit(task, place, body)) ? task : undefined;
    const posted = await this.#post(task, part);
    const newPlace = posted && answerOf(posted.task).parts[index];
    if (!newPlace) return undefined;
    if (posted.isCurrent) this.#contentOf(newPlace).changeTo(body)?.confirm();
    else await this.#edit(posted.task, newPlace, body);
    return posted.task;
  }

  async #remove(task: Task, place: StoredPart): Promise<void> {
    const [route] = this.#routesTo(task, place);
    if (route) await this.#send(route.by, () => this.#context.outbox.remove(route));
  }

  async #edit(task: Task, place: StoredPart, body: MessageBody): Promise<boolean> {
    const change = this.#deletedIds.has(place.id) ? undefined : this.#contentOf(place).changeTo(body);
    if (!change) return true;
    for (const route of this.#routesTo(task, place)) {
      const sent = await this.#send(route.by, () => this.#context.outbox.edit(route, change.sent));
      if (sent === 'deleted') this.#deletedIds.add(place.id);
      else if (typeof sent === 'string') continue;
      else change.confirm();
      return true;
    }
    return false;
  }

  async #post(task: Task, part: PartToShow): Promise<PostedPart | undefined> {
    if (answerOf(task).posting?.by === 'token') return undefined;
    const taskWithMessage = await this.#ensureFirstMessage(task, part.first);
    if (!taskWithMessage?.message) return undefined;
    const posted = await this.#postAsBot(taskWithMessage, taskWithMessage.message, part);
    if (posted === 'not allowed') return this.#postByToken(taskWithMessage, taskWithMessage.message, part);
    return posted;
  }

  async #postAsBot(
    task: Task,
    first: MessagePlace,
    { index, body }: PartToShow,
  ): Promise<PostedPart | 'not allowed' | undefined> {
    const { id, outbox, clock } = this.#context;
    const { posting } = answerOf(task);
    const find = () => (posting ? findPostedPart(task, posting, outbox) : Promise.resolve(undefined));
    const found = await this.#attempts.request('channel', NOT_SHOWN, find);
    if (typeof found === 'object')
      return { task: await this.#storePosted(task, { ...found, by: 'bot' }), isCurrent: false };
    if (task.route.isPrivate || !task.route.mayPost || this.#closedRoutes.has('channel')) return 'not allowed';
    const now = clock.now();
    // If the bot is not allowed to read the channel, only the nonce prevents a second message.
    const isUnseen = found !== undefined;
    if (isUnseen && posting && now - posting.at >= NONCE_LIFETIME_MS) return undefined;
    const pending = { by: 'bot', channelId: first.channelId, answers: first.id, at: now } as const;
    const pendingTask = isUnseen ? task : await this.#change((storedTask) => markPartPosting(storedTask, pending));
    const reference = { message_id: first.id, fail_if_not_exists: false } as const;
    const replyBody = { ...body, body: { ...body.body, message_reference: reference } };
    const place = await this.#send('channel', () => outbox.post(first.channelId, `${id}-${index + 1}`, replyBody));
    if (typeof place !== 'object') return 'not allowed';
    return { task: await this.#storePosted(pendingTask, { ...place, by: 'bot' }), isCurrent: !posting };
  }

  async #postByToken(task: Task, first: MessagePlace, { body }: PartToShow): Promise<PostedPart | undefined> {
    const { id, outbox, clock, log } = this.#context;
    const token = this.#tokenRoute(task);
    if (!token) return undefined;
    const { channelId, id: answers } = first;
    const pending = { by: 'token', channelId, answers, at: clock.now() } as const;
    const pendingTask = await this.#change((storedTask) => markPartPosting(storedTask, pending));
    try {
      const place = await this.#send('token', () => outbox.addFollowUp(token, body, task.route.isPrivate));
      if (typeof place === 'object') return { task: await this.#storePosted(pendingTask, place), isCurrent: true };
      if (place !== undefined) await this.#change(clearPartPosting);
    } catch (error) {
      if (!(error instanceof RetryLater) || error.obstacle !== 'unreachable') throw error;
      if (isUnsent(error.cause)) {
        await this.#change(clearPartPosting);
        throw error;
      }
      log.info(
        { task: id },
        'It is unknown whether a part of an answer was posted: the whole answer will be sent as a file.',
      );
    }
    return undefined;
  }

  /** Discord has confirmed the message, so only storing it is retried. */
  async #storePosted(task: Task, part: StoredPart): Promise<Task> {
    for (;;) {
      try {
        return await this.#change((current) => addPostedPart(current, part));
      } catch (error) {
        // If the member has deleted the task in the meantime, delete this message too, because nothing else would ever find it.
        if (error instanceof Refusal) await this.#remove(task, part);
        if (!(error instanceof RetryLater) || this.#context.stopping.aborted) throw error;
        await this.#attempts.wait(error);
      }
    }
  }

  /** Shows the first message if necessary: as long as the reply is a placeholder, Discord would replace it with the next message. */
  async #ensureFirstMessage(task: Task, first: MessagePlan): Promise<Task | undefined> {
    if (task.message) return task;
    const token = this.#tokenRoute(task);
    const place = token && (await this.#send('token', () => this.#context.outbox.edit(token, bodyOf(first))));
    return typeof place === 'object' ? this.#change((storedTask) => setMessage(storedTask, place)) : undefined;
  }

  async #send<T>(by: MessageRoute['by'], request: () => Promise<T>): Promise<T | FailureKind> {
    const sent = await this.#attempts.request(by, NOT_SHOWN, request);
    // Not retried: every refusal counts towards Discord's block of invalid requests.
    if (typeof sent === 'string' && sent !== 'deleted') this.#closedRoutes.add(by);
    return sent;
  }

  #contentOf({ id }: StoredPart): ShownContent {
    const content = this.#shownContents.get(id) ?? new ShownContent();
    this.#shownContents.set(id, content);
    return content;
  }

  #routesTo(task: Task, place: StoredPart) {
    return partRoutes(task, place, this.#context.clock.now()).filter(({ by }) => !this.#closedRoutes.has(by));
  }
}
