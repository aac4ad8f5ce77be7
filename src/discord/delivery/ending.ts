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
import { NONCE_LIFE_MS } from '../outbox/outbox.ts';
import {
  type ClosedWays,
  isInReadableChannel,
  isReachedWithoutToken,
  type TokenWay,
  tokenWay,
  type Way,
  waysToEnd,
} from '../outbox/ways.ts';
import type { MessagePlan, PreparedMessage } from '../plan.ts';
import { Backoff, newReference, RetryLater } from './backoff.ts';
import { type DeliveryParts, type DeliveryRecord, type DeliveryResult, hasUnsentVoice } from './record.ts';

export interface DeliveryContext extends DeliveryParts {
  id: string;
  record: DeliveryRecord;
  /** What is known about the task's message in addition to what is stored. */
  known: { readonly closed: Set<Way['by']>; isDeleted: boolean };
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

  async #attemptDelivery(stored: Task): Promise<DeliveryResult> {
    const { clock, known } = this.#context;
    if (known.isDeleted) return { nowhere: 'deleted' };
    const posted = await this.#findPosted(stored);
    if (posted) return posted;
    const shown = await this.#findShown(stored);
    if (shown !== 'unreadable' && shown?.showsEnd)
      return { there: shown.place, by: 'edit', ...(stored.restored && { wasShown: true as const }) };
    const mayBeShown = shown === 'unreadable';
    const task = shown && !mayBeShown ? setMessage(stored, shown.place) : stored;
    const routes = waysToEnd(task, known.closed, clock.now());
    if (!mayBeShown) return (await this.#tryRoutes(routes, task)) ?? { nowhere: 'no-way' };
    // The same message can be edited again. A second message would repeat the end, so the task's owner decides.
    const sameMessage = routes.filter(({ by }) => by === 'token');
    return (await this.#tryRoutes(sameMessage, task)) ?? this.#hint(task);
  }

  async #tryRoutes(routes: readonly Way[], task: Task): Promise<DeliveryResult | undefined> {
    if (routes.length === 0) return undefined;
    // Prepared again for every attempt, because minutes can pass in between, and no memory should be held for that long.
    const prepared = await this.#context.prepare(task);
    try {
      for (const route of routes) {
        const outcome = await this.#tryRoute(route, task, prepared.plan);
        if (outcome) return outcome;
      }
      return undefined;
    } finally {
      prepared.release();
    }
  }

  /** The end may have been shown in a message that only the task's owner could read. */
  async #hint(task: Task): Promise<DeliveryResult> {
    const { id, outbox, record, hintAt } = this.#context;
    try {
      const channelId = await outbox.openDirectChannel(task.requesterId);
      await record.storeHint(channelId);
      await outbox.post(channelId, id, bodyOf(hintAt(task)));
    } catch (error) {
      if (error instanceof RetryLater) throw error;
      if (this.#note(error, { by: 'direct' }) === 'later') throw new RetryLater('unreachable', error);
    }
    return { nowhere: 'no-way' };
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

  /** Undefined if it cannot be shown this way. */
  async #tryRoute(route: Way, task: Task, plan: MessagePlan): Promise<DeliveryResult | undefined> {
    for (;;) {
      const sent = bodyOf(portionOf(plan, this.#portion));
      try {
        return { there: await this.#send(route, task, sent), by: route.by };
      } catch (error) {
        if (error instanceof RetryLater) throw error;
        const trouble = this.#note(error, route);
        if (trouble === 'later') throw new RetryLater('unreachable', error);
        if (trouble === 'deleted') return { nowhere: 'deleted' };
        if (trouble === 'closed') return { nowhere: 'no-way' };
        const smaller = smallerPortion(this.#portion, trouble);
        if (smaller === undefined) return this.#closeRoute(route, trouble);
        this.#portion = smaller;
      }
    }
  }

  async #send(route: Way, task: Task, sent: MessageBody): Promise<MessagePlace | undefined> {
    const { id, outbox, record } = this.#context;
    if (route.by === 'token' && !task.traits.isTalk && !isReachedWithoutToken(task)) await record.storeUnseen();
    if (route.by === 'token' || route.by === 'edit') return outbox.edit(route, sent);
    const channelId = route.by === 'channel' ? route.channelId : await outbox.openDirectChannel(route.memberId);
    if (route.by === 'direct' && task.restored) {
      const { message: _, ...unplaced } = task;
      const shown = await findShown(unplaced, channelId, outbox);
      if (shown?.showsEnd) return shown.place;
    }
    await record.storeIntent(route.by, channelId);
    return outbox.post(channelId, id, sent);
  }

  /** Not retried: every refusal counts towards Discord's block of invalid requests. */
  async #closeRoute({ by }: Way, trouble: FailureKind): Promise<undefined> {
    this.#context.known.closed.add(by);
    if (trouble === 'token-over') await this.#context.record.dropToken();
  }

  async #findPosted(task: Task): Promise<DeliveryResult | undefined> {
    const { intention } = task.delivery;
    if (!intention) return undefined;
    try {
      const posted = await findPosted(task, intention, this.#context.outbox);
      if (!posted) return undefined;
      // This message does not show the end, but refers to it.
      return task.delivery.unseenSince === undefined ? { there: posted, by: intention.by } : { nowhere: 'no-way' };
    } catch (error) {
      // If the bot is not allowed to read the channel, only the nonce prevents a second message.
      if (this.#note(error, intention) === 'later') throw new RetryLater('unreachable', error);
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
      if (this.#note(error, { by: 'channel' }) === 'later') throw new RetryLater('unreachable', error);
      return fallback;
    }
  }

  #note(error: unknown, { by }: { by: Way['by'] }): FailureKind {
    const trouble = failureKindOf(error, by);
    const { id, log } = this.#context;
    const facts = { task: id, by, trouble, ...errorFacts(error) };
    if (trouble === 'malformed')
      log.error({ ...facts, reference: newReference() }, 'Discord refused a message as malformed.');
    else if (trouble === 'too-large') log.warn(facts, 'A result is larger than Discord allows.');
    else if (trouble !== 'later') log.info(facts, 'Could not post the outcome of a task this way.');
    return trouble;
  }
}

/** After this time the owner has come back without a ping, or is no longer interested. */
const LATEST_PING_MS = 15 * 60_000;

/** The ping is the bot's own message, a reply to the one that shows the end. */
type ReplyWay = { by: 'reply'; message: MessagePlace };

/** Pings the owner of a task whose end has been shown: at most once. */
export class OwnerPing {
  readonly #context: DeliveryContext;
  #isOver = false;
  #postedAt: MessagePlace | undefined;

  constructor(context: DeliveryContext) {
    this.#context = context;
  }

  async ping(): Promise<void> {
    await new Backoff(this.#context).retryUntilDone(async () => {
      if (!this.#isOver) await this.#try();
      this.#isOver = true;
      await this.#removeOrphan();
      await this.#context.record.markPinged(this.#postedAt);
    }, 'The owner of a task was not pinged.');
  }

  async #try(): Promise<void> {
    const { id, clock, known, log, record } = this.#context;
    const task = await record.readTask();
    const call = task?.delivery.call;
    if (!task || !call) return;
    const now = clock.now();
    const route = routeToPing(task, known.closed, now);
    if (route && mayStillPing(task, call, route, now)) await this.#tryRoute(route, task);
    else log.info({ task: id }, 'The owner of a task was not pinged: it was too late, or they could not be reached.');
  }

  async #tryRoute(route: ReplyWay | TokenWay, task: Task): Promise<void> {
    const prepared = await this.#context.prepare(task);
    try {
      if (!(await this.#context.record.beginPing())) return;
      this.#postedAt = await this.#send(route, task, prepared);
    } catch (error) {
      if (error instanceof RetryLater) throw error;
      const trouble = failureKindOf(error, route.by);
      if (trouble === 'later' && route.by === 'reply') throw new RetryLater('unreachable', error);
      this.#note(error, route, 'The owner of a task was not pinged.');
    } finally {
      prepared.release();
    }
  }

  async #send(
    route: ReplyWay | TokenWay,
    task: Task,
    { plan, instead }: PreparedMessage,
  ): Promise<MessagePlace | undefined> {
    const { outbox } = this.#context;
    const send = (words: MessagePlan) =>
      route.by === 'reply'
        ? outbox.post(route.message.channelId, pingNonceOf(task), bodyOf({ ...words, repliesTo: route.message.id }))
        : outbox.addFollowUp(route, bodyOf(words), false);
    try {
      return await send(plan);
    } catch (error) {
      const trouble = failureKindOf(error, route.by);
      if (!instead || (trouble !== 'no-access' && trouble !== 'malformed')) throw error;
      this.#note(error, route, 'Discord refused a ping; sending its plain form.');
      return await send(instead);
    }
  }

  #note(error: unknown, { by }: ReplyWay | TokenWay, sentence: string): void {
    const facts = { task: this.#context.id, by, trouble: failureKindOf(error, by), ...errorFacts(error) };
    this.#context.log.info(facts, sentence);
  }

  /** Deletes the ping if the message that it replies to has been deleted in the meantime, by a member who had not seen the ping. */
  async #removeOrphan(): Promise<void> {
    const posted = this.#postedAt;
    if (!posted || (await this.#context.record.readTask())?.message) return;
    this.#postedAt = undefined;
    try {
      await this.#context.outbox.remove({ by: 'edit', message: posted });
    } catch (error) {
      this.#context.log.info(
        { task: this.#context.id, ...errorFacts(error) },
        'Could not delete a ping whose message was deleted.',
      );
    }
  }
}

/** How to send the ping to where the end is shown. Undefined if there is no ping: for a private result or a deleted message. */
function routeToPing(task: Task, closed: ClosedWays, now: number): ReplyWay | TokenWay | undefined {
  const { route, message } = task;
  if (!message || route.isPrivate || (task.traits.isUtterance && !hasUnsentVoice(task))) return undefined;
  if (route.mayPost) return { by: 'reply', message };
  return closed.has('token') ? undefined : tokenWay(task, now);
}

/** A ping that may have been sent is repeated only if its nonce prevents a second one. No ping is better than two. */
function mayStillPing(
  task: Task,
  { shownAt, goingAt }: PendingPing,
  { by }: ReplyWay | TokenWay,
  now: number,
): boolean {
  // A voice message is a result, so it is sent no matter how late.
  if (goingAt === undefined) return hasUnsentVoice(task) || now - shownAt < LATEST_PING_MS;
  return by === 'reply' && now - goingAt < NONCE_LIFE_MS;
}

/** Differs from the nonce of the task's message. A nonce has at most 25 characters, a task's id 17. */
const pingNonceOf = ({ id }: Task): string => `${id}-call`;
