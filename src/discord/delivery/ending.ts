import { setMessage } from '../../services/tasks/delivery-state.ts';
import { isLive, type MessagePlace, type PendingPing, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { findPosted, findShown, type ShownTask } from '../outbox/adoption.ts';
import {
  errorFacts,
  type FailureKind,
  failureKindOf,
  type PlanPortion,
  portionOf,
  smallerPortion,
} from '../outbox/errors.ts';
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
import { Backoff, newReference, RetryLater } from './backoff.ts';
import { type DeliveryParts, type DeliveryRecord, type DeliveryResult, hasUnsentVoice } from './record.ts';

export interface DeliveryContext extends DeliveryParts {
  id: string;
  record: DeliveryRecord;
  /** What is known about the task's message in addition to what is stored. */
  messageState: { readonly closed: Set<MessageRoute['by']>; isDeleted: boolean };
  stopping: AbortSignal;
}

/** Shows the end of one task to its owner, exactly once; retries until it succeeds or turns out to be impossible. */
export class EndDelivery {
  readonly #context: DeliveryContext;
  readonly #backoff: Backoff;
  /** How much of the content is still sent: parts that Discord has refused are not sent again. */
  #portion: PlanPortion = 'whole';

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#backoff = new Backoff(context);
  }

  async deliver(): Promise<void> {
    await this.#backoff.retryUntilDone(async () => {
      const task = await this.#context.record.readTask();
      if (task && isLive(task) && !task.unwanted && !task.delivery.call)
        await this.#settle(await this.#attemptDelivery(task));
    }, 'Could not show the end of a task.');
  }

  async #attemptDelivery(storedTask: Task): Promise<DeliveryResult> {
    const { clock, messageState } = this.#context;
    if (messageState.isDeleted) return { reason: 'deleted' };
    const postedResult = await this.#findPosted(storedTask);
    if (postedResult) return postedResult;
    const shownTask = await this.#findShown(storedTask);
    if (shownTask !== 'unreadable' && shownTask?.showsEnd)
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
    const prepared = await this.#context.prepare(task);
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
    try {
      const channelId = await outbox.openDirectChannel(task.requesterId);
      await record.storeHint(channelId);
      await outbox.post(channelId, id, bodyOf(hintFor(task)));
    } catch (error) {
      if (error instanceof RetryLater) throw error;
      if (this.#logFailure(error, { by: 'direct' }) === 'later') throw new RetryLater('unreachable', error);
    }
    return { reason: 'no-way' };
  }

  /** Discord has confirmed the message, so only storing it is retried. */
  async #settle(outcome: DeliveryResult): Promise<void> {
    const { clock, record } = this.#context;
    const at = clock.now();
    await this.#backoff.retryUntilDone(
      () => record.settle(outcome, at),
      'The shown end of a task could not be stored.',
    );
  }

  /** Returns undefined if the end cannot be shown by this route. */
  async #tryRoute(route: MessageRoute, task: Task, prepared: PreparedMessage): Promise<DeliveryResult | undefined> {
    for (;;) {
      const body = bodyOf(portionOf(prepared, this.#portion));
      try {
        return { message: await this.#send(route, task, body), by: route.by };
      } catch (error) {
        if (error instanceof RetryLater) throw error;
        const failureKind = this.#logFailure(error, route);
        if (failureKind === 'later') throw new RetryLater('unreachable', error);
        if (failureKind === 'deleted') return { reason: 'deleted' };
        if (failureKind === 'closed') return { reason: 'no-way' };
        const nextPortion = smallerPortion(this.#portion, failureKind);
        if (nextPortion === undefined) return this.#closeRoute(route, failureKind);
        this.#portion = nextPortion;
      }
    }
  }

  async #send(route: MessageRoute, task: Task, body: MessageBody): Promise<MessagePlace | undefined> {
    const { id, outbox, record } = this.#context;
    if (route.by === 'token' && !task.traits.isTalk && !isReachedWithoutToken(task)) await record.storeUnseen();
    if (route.by === 'token' || route.by === 'edit') return outbox.edit(route, body);
    const channelId = route.by === 'channel' ? route.channelId : await outbox.openDirectChannel(route.memberId);
    if (route.by === 'direct' && task.restored) {
      const { message: _, ...taskWithoutMessage } = task;
      const shownTask = await findShown(taskWithoutMessage, channelId, outbox);
      if (shownTask?.showsEnd) return shownTask.place;
    }
    await record.storeIntent(route.by, channelId);
    return outbox.post(channelId, id, body);
  }

  /** Not retried: every refusal counts towards Discord's block of invalid requests. */
  async #closeRoute({ by }: MessageRoute, failureKind: FailureKind): Promise<undefined> {
    this.#context.messageState.closed.add(by);
    if (failureKind === 'token-over') await this.#context.record.dropToken();
  }

  async #findPosted(task: Task): Promise<DeliveryResult | undefined> {
    const { intention } = task.delivery;
    if (!intention) return undefined;
    try {
      const postedMessage = await findPosted(task, intention, this.#context.outbox);
      if (!postedMessage) return undefined;
      // This message does not show the end, but refers to it.
      return task.delivery.unseenSince === undefined
        ? { message: postedMessage, by: intention.by }
        : { reason: 'no-way' };
    } catch (error) {
      // If the bot is not allowed to read the channel, only the nonce prevents a second message.
      if (this.#logFailure(error, intention) === 'later') throw new RetryLater('unreachable', error);
      return undefined;
    }
  }

  /** After a restore, or a crash, the message may show more than the store knows. If it already shows an end, it is not changed. */
  async #findShown(task: Task): Promise<ShownTask | 'unreadable' | undefined> {
    const { restored, message, channelId = message?.channelId, route, delivery } = task;
    const fallback = delivery.unseenSince === undefined ? undefined : 'unreadable';
    if (!restored && !fallback) return undefined;
    if (channelId === undefined || (fallback ? !isInReadableChannel(task) : route.isPrivate)) return fallback;
    try {
      return await findShown(task, message?.channelId ?? channelId, this.#context.outbox);
    } catch (error) {
      if (this.#logFailure(error, { by: 'channel' }) === 'later') throw new RetryLater('unreachable', error);
      return fallback;
    }
  }

  #logFailure(error: unknown, { by }: { by: MessageRoute['by'] }): FailureKind {
    const failureKind = failureKindOf(error, by);
    const { id, log } = this.#context;
    const facts = { task: id, by, trouble: failureKind, ...errorFacts(error) };
    if (failureKind === 'malformed')
      log.error({ ...facts, reference: newReference() }, 'Discord refused a message as malformed.');
    else if (failureKind === 'too-large') log.warn(facts, 'A result is larger than Discord allows.');
    else if (failureKind !== 'later') log.info(facts, 'Could not post the outcome of a task by this route.');
    return failureKind;
  }
}

/** After this time the owner has come back without a ping, or is no longer interested. */
const MAX_PING_DELAY_MS = 15 * 60_000;

/** The ping is the bot's own message, a reply to the one that shows the end. */
type ReplyRoute = { by: 'reply'; message: MessagePlace };

/** Pings the owner of a task whose end has been shown: at most once. */
export class OwnerPing {
  readonly #context: DeliveryContext;
  #isOver = false;
  #pingMessage: MessagePlace | undefined;

  constructor(context: DeliveryContext) {
    this.#context = context;
  }

  async ping(): Promise<void> {
    await new Backoff(this.#context).retryUntilDone(async () => {
      if (!this.#isOver) await this.#attempt();
      this.#isOver = true;
      await this.#removeOrphan();
      await this.#context.record.markPinged(this.#pingMessage);
    }, 'The owner of a task was not pinged.');
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
    const prepared = await this.#context.prepare(task);
    try {
      if (!(await this.#context.record.beginPing())) return;
      this.#pingMessage = await this.#send(route, task, prepared);
    } catch (error) {
      if (error instanceof RetryLater) throw error;
      const failureKind = failureKindOf(error, route.by);
      if (failureKind === 'later' && route.by === 'reply') throw new RetryLater('unreachable', error);
      this.#logFailure(error, route, 'The owner of a task was not pinged.');
    } finally {
      prepared.release();
    }
  }

  async #send(
    route: ReplyRoute | TokenRoute,
    task: Task,
    { plan, fallback }: PreparedMessage,
  ): Promise<MessagePlace | undefined> {
    const { outbox } = this.#context;
    const send = (messagePlan: MessagePlan) =>
      route.by === 'reply'
        ? outbox.post(
            route.message.channelId,
            pingNonceOf(task),
            bodyOf({ ...messagePlan, repliesTo: route.message.id }),
          )
        : outbox.addFollowUp(route, bodyOf(messagePlan), false);
    try {
      return await send(plan);
    } catch (error) {
      const failureKind = failureKindOf(error, route.by);
      if (!fallback || (failureKind !== 'no-access' && failureKind !== 'malformed')) throw error;
      this.#logFailure(error, route, 'Discord refused a ping; sending its plain form.');
      return await send(fallback);
    }
  }

  #logFailure(error: unknown, { by }: ReplyRoute | TokenRoute, logMessage: string): void {
    const facts = { task: this.#context.id, by, trouble: failureKindOf(error, by), ...errorFacts(error) };
    this.#context.log.info(facts, logMessage);
  }

  /** Deletes the ping if the message that it replies to has been deleted in the meantime, by a member who had not seen the ping. */
  async #removeOrphan(): Promise<void> {
    const postedPing = this.#pingMessage;
    if (!postedPing || (await this.#context.record.readTask())?.message) return;
    this.#pingMessage = undefined;
    try {
      await this.#context.outbox.remove({ by: 'edit', message: postedPing });
    } catch (error) {
      this.#context.log.info(
        { task: this.#context.id, ...errorFacts(error) },
        'Could not delete a ping whose message was deleted.',
      );
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
function mayStillPing(
  task: Task,
  { shownAt, goingAt }: PendingPing,
  { by }: ReplyRoute | TokenRoute,
  now: number,
): boolean {
  // A voice message is a result, so it is sent no matter how late.
  if (goingAt === undefined) return hasUnsentVoice(task) || now - shownAt < MAX_PING_DELAY_MS;
  return by === 'reply' && now - goingAt < NONCE_LIFETIME_MS;
}

/** Differs from the nonce of the task's message. A nonce has at most 25 characters, a task's id 17. */
const pingNonceOf = ({ id }: Task): string => `${id}-call`;
