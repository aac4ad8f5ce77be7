import {
  addExtraMessage,
  dropToken,
  markPinged,
  markPinging,
  recordHint,
  recordIntent,
  recordUnseen,
  setMessage,
} from '../../services/tasks/delivery-state.ts';
import { type Intention, isLive, type MessagePlace, type PendingPing, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../message-body.ts';
import { findPosted, findShown, type ShownTask } from '../outbox/adoption.ts';
import { errorFacts, type FailureKind, type PlanPortion, portionOf, smallerPortion } from '../outbox/errors.ts';
import { NONCE_LIFETIME_MS } from '../outbox/outbox.ts';
import {
  type ClosedRoutes,
  endRoutes,
  isInReadableChannel,
  isReachedWithoutToken,
  type MessageRoute,
  type TokenRoute,
  tokenRoute,
} from '../outbox/ways.ts';
import type { MessagePlan, PreparedMessage } from '../plan.ts';
import { Attempts, logFailure, RetryLater } from './backoff.ts';
import { type DeliveryParts, type DeliveryRecord, type DeliveryResult, hasUnsentVoice, withResult } from './record.ts';

export interface DeliveryContext extends DeliveryParts {
  id: string;
  record: DeliveryRecord;
  /** What is known about the task's message in addition to what is stored. */
  messageState: { readonly closed: Set<MessageRoute['by']>; isDeleted: boolean };
  stopping: AbortSignal;
}

const NOT_SHOWN = 'Could not post the outcome of a task by this route.';

/** Shows the end of one task to its owner, exactly once; retries until it succeeds or turns out to be impossible. */
export class EndDelivery {
  readonly #context: DeliveryContext;
  readonly #attempts: Attempts;
  /** How much of the content is still sent: parts that Discord has refused are not sent again. */
  #portion: PlanPortion = 'whole';

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#attempts = new Attempts(context);
  }

  /** Returns the task as it is afterwards, or undefined if it was erased. */
  async deliver(): Promise<Task | undefined> {
    let task: Task | undefined;
    await this.#attempts.retryUntilDone(async () => {
      task = await this.#context.record.readTask();
      if (task && isLive(task) && !task.unwanted && !task.delivery.call)
        task = await this.#settle(await this.#attemptDelivery(task));
    }, 'Could not show the end of a task.');
    return task;
  }

  async #attemptDelivery(storedTask: Task): Promise<DeliveryResult> {
    const { clock, messageState } = this.#context;
    if (messageState.isDeleted) return { reason: 'deleted' };
    const postedResult = await this.#findPosted(storedTask);
    if (postedResult) return postedResult;
    const shownTask = await this.#findShown(storedTask);
    // What a moderator has decided since a restore may differ from what the message shows.
    const isDecided = storedTask.review?.outcome === 'shown' || storedTask.review?.outcome === 'deleted';
    if (shownTask !== 'unreadable' && shownTask?.showsEnd && !isDecided)
      return { message: shownTask.place, by: 'edit', ...(storedTask.restored && { wasShown: true as const }) };
    const mayBeShown = shownTask === 'unreadable';
    const task = shownTask && !mayBeShown ? setMessage(storedTask, shownTask.place) : storedTask;
    const routes = endRoutes(task, messageState.closed, clock.now());
    if (!mayBeShown) return (await this.#tryRoutes(routes, task)) ?? { reason: 'no-way' };
    // The same message can be edited again. A second message would repeat the end, so the owner is sent a hint instead.
    const sameMessageRoutes = routes.filter(({ by }) => by === 'token');
    return (await this.#tryRoutes(sameMessageRoutes, task)) ?? this.#sendHint(task);
  }

  async #tryRoutes(routes: readonly MessageRoute[], task: Task): Promise<DeliveryResult | undefined> {
    if (routes.length === 0) return undefined;
    // Prepared again for every attempt, because minutes can pass in between, and no memory should be held for that long.
    const prepared = await this.#context.prepareMessage(task);
    try {
      for (const route of routes) {
        const outcome = await this.#tryRoute(route, task, prepared);
        if (outcome) return outcome;
      }
      return undefined;
    } finally {
      prepared.release();
    }
  }

  /** Sends the owner a hint, because the end may already have been shown in a message that only they could read. */
  async #sendHint(task: Task): Promise<DeliveryResult> {
    const { id, outbox, record, hintFor } = this.#context;
    await this.#attempts.request('direct', NOT_SHOWN, async () => {
      const channelId = await outbox.openDirectChannel(task.requesterId);
      await record.change((storedTask) => recordHint(storedTask, this.#intentionTo('direct', channelId)));
      await outbox.post(channelId, id, bodyOf(hintFor(task)));
    });
    return { reason: 'no-way' };
  }

  /** Discord has confirmed the message, so only storing it is retried. */
  async #settle(result: DeliveryResult): Promise<Task | undefined> {
    const { id, clock, log, record } = this.#context;
    const at = clock.now();
    let settled: Task | undefined;
    await this.#attempts.retryUntilDone(async () => {
      settled = await record.change((task) => withResult(task, result, at));
    }, 'The shown end of a task could not be stored.');
    if ('reason' in result)
      log.info({ task: id, why: result.reason }, 'Could not post the outcome of a task anywhere.');
    return settled;
  }

  /** Returns undefined if the end cannot be shown by this route. */
  async #tryRoute(route: MessageRoute, task: Task, prepared: PreparedMessage): Promise<DeliveryResult | undefined> {
    for (;;) {
      const body = bodyOf(portionOf(prepared, this.#portion));
      const sent = await this.#attempts.request(route.by, NOT_SHOWN, () => this.#send(route, task, body));
      if (typeof sent !== 'string') return { message: sent, by: route.by };
      if (sent === 'deleted') return { reason: 'deleted' };
      if (sent === 'closed') return { reason: 'no-way' };
      const nextPortion = smallerPortion(this.#portion, sent);
      if (nextPortion === undefined) return this.#closeRoute(route, sent);
      this.#portion = nextPortion;
    }
  }

  async #send(route: MessageRoute, task: Task, body: MessageBody): Promise<MessagePlace | undefined> {
    const { id, outbox, clock, record } = this.#context;
    if (route.by === 'token' && !task.traits.isTalk && !isReachedWithoutToken(task))
      await record.change((storedTask) => recordUnseen(storedTask, clock.now()));
    if (route.by === 'token' || route.by === 'edit') return outbox.edit(route, body);
    const channelId = route.by === 'channel' ? route.channelId : await outbox.openDirectChannel(route.memberId);
    if (route.by === 'direct' && task.restored) {
      const { message: _, ...taskWithoutMessage } = task;
      const shownTask = await findShown(taskWithoutMessage, channelId, outbox);
      if (shownTask?.showsEnd) return shownTask.place;
    }
    const intention = this.#intentionTo(route.by, channelId);
    await record.change((storedTask) => recordIntent(storedTask, intention));
    return outbox.post(channelId, id, body);
  }

  #intentionTo(by: Intention['by'], channelId: string): Intention {
    const { id: nonce, clock } = this.#context;
    return { by, channelId, nonce, at: clock.now() };
  }

  /** Not retried: every refusal counts towards Discord's block of invalid requests. */
  async #closeRoute({ by }: MessageRoute, failureKind: FailureKind): Promise<undefined> {
    this.#context.messageState.closed.add(by);
    if (failureKind === 'token-over') await this.#context.record.tryChange(dropToken);
  }

  async #findPosted(task: Task): Promise<DeliveryResult | undefined> {
    const { intention } = task.delivery;
    if (!intention) return undefined;
    // If the bot is not allowed to read the channel, only the nonce prevents a second message.
    const postedMessage = await this.#attempts.request(intention.by, NOT_SHOWN, () =>
      findPosted(task, intention, this.#context.outbox),
    );
    if (typeof postedMessage !== 'object') return undefined;
    // This message does not show the end, but refers to it.
    return task.delivery.unseenSince === undefined
      ? { message: postedMessage, by: intention.by }
      : { reason: 'no-way' };
  }

  /** After a restore, or a crash, the message may show more than the store knows. If it already shows an end, it is not changed. */
  async #findShown(task: Task): Promise<ShownTask | 'unreadable' | undefined> {
    const { restored, message, channelId = message?.channelId, route, delivery } = task;
    const fallback = delivery.unseenSince === undefined ? undefined : 'unreadable';
    if (!restored && !fallback) return undefined;
    if (channelId === undefined || (fallback ? !isInReadableChannel(task) : route.isPrivate)) return fallback;
    const shownTask = await this.#attempts.request('channel', NOT_SHOWN, () =>
      findShown(task, message?.channelId ?? channelId, this.#context.outbox),
    );
    return typeof shownTask === 'string' ? fallback : shownTask;
  }
}

/** After this time the owner has come back without a ping, or is no longer interested. */
const MAX_PING_DELAY_MS = 15 * 60_000;

/** The ping is the bot's own message, a reply to the one that shows the end. */
type ReplyRoute = { by: 'reply'; message: MessagePlace };

const NOT_PINGED = 'The owner of a task was not pinged.';

/** Pings the owner of a task whose end has been shown: at most once. */
export class OwnerPing {
  readonly #context: DeliveryContext;
  readonly #attempts: Attempts;
  #isOver = false;
  #pingMessage: MessagePlace | undefined;

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#attempts = new Attempts(context);
  }

  async ping(): Promise<void> {
    const { clock, record } = this.#context;
    await this.#attempts.retryUntilDone(async () => {
      if (!this.#isOver) await this.#attempt();
      this.#isOver = true;
      await this.#removeOrphan();
      const message = this.#pingMessage;
      await record.change((task) => {
        // The ping is stored, so that it is deleted with the other messages.
        const updated = message ? addExtraMessage(task, { ...message, guildId: task.guildId }) : task;
        return markPinged(updated, clock.now());
      });
    }, NOT_PINGED);
  }

  async #attempt(): Promise<void> {
    const { id, clock, messageState, log, record } = this.#context;
    const task = await record.readTask();
    const pendingPing = task?.delivery.call;
    if (!task || !pendingPing) return;
    const now = clock.now();
    const route = routeToPing(task, messageState.closed, now);
    if (route && mayStillPing(task, pendingPing, route, now)) await this.#tryRoute(route, task);
    else log.info({ task: id }, 'The owner of a task was not pinged: it was too late, or they could not be reached.');
  }

  async #tryRoute(route: ReplyRoute | TokenRoute, task: Task): Promise<void> {
    const { clock, prepareMessage: prepare, record } = this.#context;
    const { plan, fallback, release } = await prepare(task);
    const send = (messagePlan: MessagePlan) =>
      this.#attempts.request(route.by, NOT_PINGED, () => this.#send(route, task, messagePlan));
    try {
      const stored = await record.change((storedTask) => markPinging(storedTask, clock.now()));
      if (!stored?.delivery.call) return;
      const sent = await send(plan);
      const isPlainFormSent = fallback && (sent === 'no-access' || sent === 'malformed');
      const place = isPlainFormSent ? await send(fallback) : sent;
      if (typeof place === 'object') this.#pingMessage = place;
    } catch (error) {
      // A follow-up has no nonce, so it is not repeated if it may have been posted.
      if (!(error instanceof RetryLater && error.obstacle === 'unreachable' && route.by === 'token')) throw error;
      this.#context.log.info({ task: task.id, ...errorFacts(error.cause) }, NOT_PINGED);
    } finally {
      release();
    }
  }

  #send(route: ReplyRoute | TokenRoute, task: Task, plan: MessagePlan): Promise<MessagePlace | undefined> {
    const { outbox } = this.#context;
    if (route.by === 'token') return outbox.addFollowUp(route, bodyOf(plan), false);
    const { channelId, id } = route.message;
    // The nonce differs from that of the task's message. It has at most 25 characters, a task's id 17.
    return outbox.post(channelId, `${task.id}-call`, bodyOf({ ...plan, repliesTo: id }));
  }

  /** Deletes the ping if the message that it replies to has been deleted in the meantime, by a member who had not seen the ping. */
  async #removeOrphan(): Promise<void> {
    const postedPing = this.#pingMessage;
    if (!postedPing || (await this.#context.record.readTask())?.message) return;
    this.#pingMessage = undefined;
    try {
      await this.#context.outbox.remove({ by: 'edit', message: postedPing });
    } catch (error) {
      logFailure(this.#context, error, 'edit', 'Could not delete a ping whose message was deleted.');
    }
  }
}

/** The route for a ping to the message that shows the end. Undefined if there is no ping: for a private result or a deleted message. */
function routeToPing(task: Task, closed: ClosedRoutes, now: number): ReplyRoute | TokenRoute | undefined {
  const { route, message } = task;
  if (!message || route.isPrivate || (task.traits.isUtterance && !hasUnsentVoice(task))) return undefined;
  if (route.mayPost) return { by: 'reply', message };
  return closed.has('token') ? undefined : tokenRoute(task, now);
}

/** A ping that may have been sent is repeated only if its nonce prevents a second one. No ping is better than two. */
function mayStillPing(task: Task, { shownAt, goingAt }: PendingPing, { by }: ReplyRoute | TokenRoute, now: number) {
  // A voice message is a result, so it is sent no matter how late.
  if (goingAt === undefined) return hasUnsentVoice(task) || now - shownAt < MAX_PING_DELAY_MS;
  return by === 'reply' && now - goingAt < NONCE_LIFETIME_MS;
}
