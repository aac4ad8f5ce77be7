import { Listeners } from '../../lib/listeners.ts';
import { runForTask, setSubjectTask } from '../../lib/log-subject.ts';
import { Refusal } from '../../lib/refusal.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { GatewayError, type GatewayErrorKind } from '../gateway/errors.ts';
import { requesterOf, type WaitingCounts } from '../money/limits.ts';
import type { Estimate } from '../tasks/estimate.ts';
import { assertOwnHome, bucketOfOrder } from '../tasks/homes.ts';
import type { Kind } from '../tasks/kind.ts';
import type { TaskKind } from '../tasks/kind-spec.ts';
import { offerNameOf } from '../tasks/offers.ts';
import type { Task } from '../tasks/task.ts';
import { bucketIn, createTaskId } from '../tasks/task-id.ts';
import {
  createTask,
  markAccepted,
  markDismissed,
  markHandedOver,
  markTurn,
  markUnconfirmed,
  markWaiting,
  markWithdrawn,
  type Order,
  type OrderFacts,
  orderOfTask,
  setPosition,
  setSuccessor,
} from '../tasks/transitions.ts';
import type { OrdersContext } from './orders-context.ts';
import { pingOf } from './preferences.ts';
import { createRefusedOrders, QUEUE_FULL_ERRORS } from './refused-orders.ts';
import { type PreparedOrder, type PreviousAttempt, Sender } from './sender.ts';
import { Line } from './submission/line.ts';
import { createLiveOrders } from './submission/live-limits.ts';
import { createRecentOrders } from './submission/recent-orders.ts';

/** After this time, one task is let through to check whether the account has credit again. */
const NO_CREDIT_MS = 2 * 60_000;
/** Waiting tasks must not fail because the gateway was briefly unreachable when their turns came. */
const TEMPORARY_ERRORS: ReadonlySet<GatewayErrorKind> = new Set([...QUEUE_FULL_ERRORS, 'unreachable']);

export type OrderOrigin = Omit<OrderFacts, 'parent' | 'predecessorId'>;

/** Submits orders. Each is stored first, is sent once, and is never repeated unless the member decides so. */
export class Orders {
  readonly line: Line;
  readonly #context: OrdersContext;
  readonly #resubmitting = new Set<string>();
  readonly #recentOrders;
  readonly #liveOrders;
  readonly #sender: Sender;
  readonly #credit = new Listeners<[kind: TaskKind, isAvailable: boolean]>();
  /** Called if the account has no credit left for a kind, and with each task of it that is accepted. */
  readonly onCredit = this.#credit.add;
  /** Until when no orders of a kind are sent, because the account has no credit left for it. */
  readonly #noCreditUntil = new Map<TaskKind, number>();
  readonly #refusedOrders;

  constructor(context: OrdersContext) {
    this.#context = context;
    this.#recentOrders = createRecentOrders(context);
    this.#liveOrders = createLiveOrders(context.book, context.limits.live);
    this.#sender = new Sender(context);
    this.line = new Line(context, (id) =>
      trackUntilDone(
        runForTask(id, () => this.#sendWaiting(id)),
        context.pendingWork,
      ),
    );
    this.#refusedOrders = createRefusedOrders(context, this.line);
  }

  /** `plannedId`: the id of one of several orders that were confirmed together, and may be the same. It must have no task yet. */
  async submit(order: Order, plannedId?: string): Promise<Task> {
    const { clock, partition, pendingWork } = this.#context;
    if (plannedId !== undefined) return trackUntilDone(this.#carryOut(order, plannedId), pendingWork);
    const id = createTaskId(clock.now(), bucketOfOrder(order, partition));
    const facts = { ...order, parentId: order.parent?.id };
    const work = this.#recentOrders.run(facts, id, () => this.#carryOut(order, id));
    return await trackUntilDone(work, pendingWork);
  }

  /** Submits an order again although the first one may have been accepted. Only its owner can do this, and only once. */
  async tryAgain(id: string, origin: OrderOrigin): Promise<Task> {
    // Until the successor is stored, a second press would find an id without a task, as it would after a crash.
    if (this.#resubmitting.has(id)) throw new Refusal('refusals.alreadyResubmitted');
    this.#resubmitting.add(id);
    try {
      return await trackUntilDone(this.#resubmit(id, origin), this.#context.pendingWork);
    } finally {
      this.#resubmitting.delete(id);
    }
  }

  /** Only a task that waits for its turn can be cancelled: the gateway has no way to end a job. */
  cancel(id: string, memberId: string): Promise<Task> {
    const { book, clock } = this.#context;
    return book.change(id, (task) => {
      if (task.requesterId !== memberId) throw new Refusal('refusals.notYours');
      if (task.state !== 'waiting') throw new Refusal('refusals.cannotCancel');
      return markWithdrawn(task, clock.now());
    });
  }

  dismiss(id: string, memberId: string): Promise<Task> {
    return trackUntilDone(this.#dismiss(id, memberId), this.#context.pendingWork);
  }

  /** Moves the order as it was sent from the predecessor to this task. After a crash, the next start repeats this. */
  async takeOverPredecessor({ id, state, predecessorId }: Task): Promise<void> {
    const { book, store, log } = this.#context;
    if (predecessorId === undefined) return;
    try {
      if (!(await book.get(predecessorId))) return;
      if (state === 'unconfirmed' && !(await store.sentOrders.read(id))) {
        // The bot crashed before the body was stored for the successor.
        const sentOrder = await store.sentOrders.read(predecessorId);
        if (sentOrder) await store.sentOrders.put(id, sentOrder);
      }
      await book.change(predecessorId, markHandedOver, { mustHold: true });
    } catch (error) {
      // The order has been sent anyway, and the next start tries this again.
      log.warn({ task: id, err: error }, 'A resubmitted task could not replace the first one.');
    }
  }

  async finish(): Promise<void> {
    const { pendingWork } = this.#context;
    while (pendingWork.size > 0) await Promise.allSettled(pendingWork);
    this.line.close();
    this.#liveOrders.close();
  }

  async #dismiss(id: string, memberId: string): Promise<Task> {
    const { book, money, clock } = this.#context;
    const storedTask = await book.get(id);
    if (storedTask) await money.ledger.expectDecision(requireUndecided(storedTask, memberId));
    return book.change(id, (task) => markDismissed(requireUndecided(task, memberId), clock.now()));
  }

  async #resubmit(id: string, origin: OrderOrigin): Promise<Task> {
    const { book, store, clock, kinds, money } = this.#context;
    assertOwnHome(origin, this.#context.partition);
    const successorId = createTaskId(clock.now(), bucketIn(id));
    const storedTask = await book.get(id);
    if (storedTask) await money.ledger.expectDecision(requireUndecided(storedTask, origin.requesterId));
    // The bot may have crashed after the successor's id was stored and before its task was.
    const hasSuccessor =
      storedTask?.successorId !== undefined && (await book.get(storedTask.successorId)) !== undefined;
    const predecessor = await book.change(id, (task) => {
      const { successorId: currentSuccessorId } = requireUndecided(task, origin.requesterId);
      if (hasSuccessor || currentSuccessorId !== storedTask?.successorId)
        throw new Refusal('refusals.alreadyResubmitted');
      return setSuccessor(task, successorId);
    });
    try {
      const parent = predecessor.parentId === undefined ? undefined : await book.get(predecessor.parentId);
      const order = { ...origin, ...orderOfTask(predecessor), parent };
      // An order that was sent after the backup had another key.
      const isKeyed =
        kinds.get(predecessor.kind)?.keyedSubmit !== undefined && predecessor.restored?.wasWaiting === undefined;
      if (!isKeyed) return await this.#carryOut(order, successorId);
      // After a crash before the order was stored, only the key is known.
      const attempt = (await store.sentOrders.read(id)) ?? { idempotencyKey: predecessor.idempotencyKey };
      return await this.#carryOut({ ...order, predecessorId: id }, successorId, attempt);
    } catch (error) {
      // The new order was refused, so the old task has no successor.
      const undecided = await book.change(id, (task) => setSuccessor(task, undefined));
      await money.ledger.reconsider(undecided);
      throw error;
    }
  }

  #carryOut(order: Order, id: string, previousAttempt?: PreviousAttempt): Promise<Task> {
    setSubjectTask(id);
    const carryOut = (): Promise<Task> => this.#carryOutWithinLimits(order, id, previousAttempt);
    return runForTask(id, () => this.#liveOrders.run(id, order, () => this.#context.circuits.run(id, order, carryOut)));
  }

  /** Throws the refusal that an order would get before anything is done for it; otherwise returns its estimate. */
  check(order: Order, count = 1): Estimate | undefined {
    const { offers, money, safety } = this.#context;
    if (offers.isKindRefused(order.kind)) throw new Refusal('refusals.kindNotSupported');
    safety.rules.assertAllowed(order);
    if ((this.#noCreditUntil.get(order.kind) ?? 0) > this.#context.clock.now()) throw new Refusal('refusals.noCredit');
    const { traits } = this.#context.specs[order.kind];
    const estimate = traits.isPaid ? money.prices.estimateOf(order) : undefined;
    const requester = requesterOf(order);
    // Pauses and blocks apply to everything that a member can start. Nothing is fetched for an order above a limit; the final decision is
    // made by the reservation.
    const price = { amount: estimate?.amount, isUpperBound: estimate?.isUpperBound };
    if (traits.isPaid) money.spending.check(requester, { kind: order.kind, ...price, count });
    else money.spending.checkNotBlocked(requester);
    return estimate;
  }

  /**
   * Throws the refusal that the content of an order would lead to. For an order that others see before it is submitted. Returns whether a moderator
   * would have to decide about its results.
   */
  async isHeldForContent(order: Order): Promise<boolean> {
    const { safety, specs } = this.#context;
    const moderated = await safety.rules.moderate(order, specs[order.kind].traits, this.#sender.filesOf(order));
    return moderated.holdFor !== undefined;
  }

  async #carryOutWithinLimits(original: Order, id: string, previousAttempt?: PreviousAttempt): Promise<Task> {
    const { kinds, clock, money, safety } = this.#context;
    const { spending } = money;
    const kind = kinds.get(original.kind);
    if (!kind) throw new Error(`There is no kind ${original.kind} to submit.`);
    // A button can be forged.
    if (!kind.submit && !kind.keyedSubmit) throw new Refusal('refusals.unknownButton');
    const estimate = this.check(original);
    const { traits } = this.#context.specs[original.kind];
    const requester = requesterOf(original);
    // A request that is repeated under the same key must not change.
    const order =
      original.predecessorId === undefined
        ? await safety.rules.moderate(original, traits, this.#sender.filesOf(original))
        : original;
    // An order that may already be running does not have to wait.
    const mayWait = this.line.isJob(kind.name) && order.predecessorId === undefined;
    const weight = spending.weightOf(requester);
    const ping = await this.#pingFor(order);
    const check = async (counts: WaitingCounts) => spending.checkWaiting(requester, counts);
    const hasTurn = !mayWait || (await this.line.enter({ ...order, id, weight }, check));
    try {
      const prepared = await this.#sender.prepareOrder(kind, order, previousAttempt);
      const { idempotencyKey } = prepared;
      const { model } = order.request;
      const facts = { traits, durationKey: kind.durationKey(order.request), model, estimate, weight, ping };
      const task = createTask(order, { id, idempotencyKey, now: clock.now(), ...facts });
      await this.#reserveAndAdd(hasTurn ? task : markWaiting(task), order.roleIds);
      if (!hasTurn) return await this.#wait(id);
      const result = await this.#sendStored(kind, task, prepared, mayWait ? QUEUE_FULL_ERRORS : undefined);
      if (!('refused' in result)) return result;
      await this.#refusedOrders.remove(id);
      throw result.refused;
    } finally {
      this.line.release(id);
    }
  }

  async #pingFor({ requesterId: memberId, route, parent, preferredPing, ...place }: Order): Promise<Task['ping']> {
    // One ping is enough for a batch.
    if (parent?.traits.isBatch) return 'never';
    if (route.isPrivate) return undefined;
    const ping =
      preferredPing ?? pingOf(await this.#context.preferences.read({ ...place, memberId, install: route.install }));
    return ping === 'slow' ? undefined : ping;
  }

  /** The position is missing if the turn of the task came at once. */
  #wait(id: string): Promise<Task> {
    const place = this.line.admit(id);
    return this.#context.book.change(id, (task) => (place === undefined ? task : setPosition(task, place)));
  }

  /** Sends a task that has waited. The references are checked again, since they may have expired. */
  async #sendWaiting(id: string): Promise<void> {
    const { book, clock, kinds, money, safety, circuits, log } = this.#context;
    const task = book.find(id);
    const kind = task && kinds.get(task.kind);
    if (task?.state !== 'waiting' || !kind) return;
    try {
      const prepared = await this.#sender.prepareOrder(kind, task);
      money.spending.checkNotBlocked(requesterOf(task));
      safety.rules.assertAllowed(task);
      circuits.admit(id, task);
      // The task waits for the next start.
      if (!this.line.isRunning) return;
      const submitting = await book.change(id, (known) => markTurn(known, prepared.idempotencyKey, clock.now()));
      const result = await this.#sendStored(kind, submitting, prepared, TEMPORARY_ERRORS);
      if ('refused' in result) await this.#refusedOrders.end(id, result.refused);
    } catch (error) {
      const currentTask = book.find(id);
      // The task was cancelled or erased in the meantime, or the bot is stopping and the task waits for the next start.
      if (currentTask?.state !== 'waiting' || !this.line.isRunning) return;
      if (error instanceof Refusal) return this.#refusedOrders.end(id, error);
      const level = error instanceof GatewayError ? 'warn' : 'error';
      log[level]({ task: id, err: error }, 'A waiting task could not be sent.');
      await this.#refusedOrders.postpone(kind, currentTask, error);
    }
  }

  /** Sends a stored task. Its outcome is stored as well, unless the gateway has definitely refused it; after a temporary error the task waits again. */
  async #sendStored(
    kind: Kind,
    task: Task,
    prepared: PreparedOrder,
    temporaryErrors?: ReadonlySet<GatewayErrorKind>,
  ): Promise<Task | { refused: unknown }> {
    const { book, clock, offers } = this.#context;
    const outcome = await this.#sender.send(kind, task, prepared);
    if ('refused' in outcome) {
      const { refused } = outcome;
      this.#context.circuits.recordRefusal(task, refused);
      if (refused instanceof GatewayError && refused.kind === 'quota') {
        this.#noCreditUntil.set(kind.name, clock.now() + NO_CREDIT_MS);
        this.#credit.notify(kind.name, false);
        this.line.holdKind(kind.name, 1, NO_CREDIT_MS);
      }
      const waiting = temporaryErrors && (await this.#refusedOrders.returnToLine(kind, task, refused, temporaryErrors));
      return waiting ?? { refused: await this.#refusedOrders.errorFor(kind, task, refused) };
    }
    const { submission, hasCallback } = outcome;
    const now = clock.now();
    if (submission) {
      offers.markAccepted(offerNameOf(kind, task));
      this.#noCreditUntil.delete(kind.name);
      // The notice may be from before a restart.
      this.#credit.notify(kind.name, true);
      this.line.markJobAccepted(kind.name);
    }
    const applyOutcome = (current: Task): Task =>
      submission ? markAccepted(current, submission, now, hasCallback) : markUnconfirmed(current, outcome.reason, now);
    const sentTask = await book.change(task.id, applyOutcome, { mustHold: true });
    if (submission?.follow) submission.follow(sentTask);
    else if (submission) this.#context.follow(sentTask);
    await this.takeOverPredecessor(sentTask);
    return sentTask;
  }

  /** The entry in the ledger is made first. If the entry is refused, there is no task. */
  async #reserveAndAdd(task: Task, roleIds: readonly string[] | undefined): Promise<void> {
    const { book, money } = this.#context;
    await money.ledger.reserve(task, roleIds);
    try {
      await book.add(task);
    } catch (error) {
      await money.ledger.refund(task);
      throw error;
    }
  }
}

function requireUndecided(task: Task, memberId: string): Task {
  if (task.requesterId !== memberId) throw new Refusal('refusals.notYours');
  if (task.state !== 'unconfirmed') throw new Refusal('refusals.alreadyDecided');
  return task;
}
