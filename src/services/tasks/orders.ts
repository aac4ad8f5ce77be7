import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { GatewayError } from '../gateway/index.ts';
import type { Submission } from '../gateway/read/snapshot.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ModelCatalogue } from '../models/catalogue.ts';
import type { Estimate } from '../prices/estimate.ts';
import { ordererOf, type Spending } from '../spending/spending.ts';
import type { TaskBook, TasksLog } from './book.ts';
import type { Kind, WaitLimit } from './kind.ts';
import type { Gather, GatherContext, Materials } from './materials.ts';
import { kindOfferName, type Offers } from './offers.ts';
import { hasEnded, type KindSpecs, type Task, type TaskKind } from './task.ts';
import { taskId } from './task-id.ts';
import type { TaskStore } from './task-store.ts';
import {
  createTask,
  markAccepted,
  markDismissed,
  markHandedOver,
  markUnconfirmed,
  type Order,
  type OrderFacts,
  orderOfTask,
  setSuccessor,
} from './transitions.ts';

/** No member orders the same thing twice on purpose within this time. */
const SAME_ORDER_MS = 3_000;

export interface OrdersParts {
  book: TaskBook;
  store: Pick<TaskStore, 'putSentOrder' | 'getSentOrder'>;
  ledger?: Ledger | undefined;
  /** Undefined where no price is known. */
  estimateOf?(order: Order): Estimate | undefined;
  /** Undefined: no limits. */
  spending?: Pick<Spending, 'check' | 'checkMay'> | undefined;
  kinds: ReadonlyMap<TaskKind, Kind>;
  specs: KindSpecs;
  gather: Gather;
  maxWaitMs: Readonly<Record<WaitLimit, number>>;
  clock: Clock;
  log: TasksLog;
  models?: Pick<ModelCatalogue, 'markUnfit'> | undefined;
  offers: Pick<Offers, 'markRefused' | 'markAccepted' | 'isMissing'>;
  /** How many answers and talks may go on at once. */
  liveLimits?: LiveLimits | undefined;
  /** Throws where the store may belong to another bot. */
  assertOwnership(): void;
  follow(task: Task): void;
}

interface LiveLimit {
  all: number;
  perMember: number;
}

export type LiveLimits = Readonly<Partial<Record<TaskKind, LiveLimit>>>;

export type OrderOrigin = Omit<OrderFacts, 'parent' | 'predecessorId'>;

/** Submits orders: each is stored first, sent once, and never repeated without the member. */
export class Orders {
  readonly #parts: OrdersParts;
  /** Orders of the last seconds, with the function that cancels their removal; none while one is under way. */
  readonly #recent = new Map<string, { id: string; cancel?: () => void }>();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Orders that have no stored task yet, for the limits of what goes on at once. */
  readonly #starting = new Map<string, Pick<Task, 'kind' | 'requesterId'>>();

  constructor(parts: OrdersParts) {
    this.#parts = parts;
    // An order that failed or whose result is shown may be repeated at once: its member has seen how it ended.
    parts.book.onChange((task) => {
      if (task.state === 'failed' || task.state === 'delivered') this.#forget(task);
    });
  }

  async submit(order: Order): Promise<Task> {
    const key = keyOf({ ...order, parentId: order.parent?.id });
    if (this.#recent.has(key)) throw new Refusal('refusals.duplicateRequest');
    // An order that is still under way counts as the same, however long it takes.
    const id = taskId(this.#parts.clock.now());
    this.#recent.set(key, { id });
    try {
      const task = await trackUntilDone(this.#carryOut(order, id), this.#underWay);
      this.#release(key, id);
      return task;
    } catch (error) {
      // A refused order is not under way: the member may order it again at once.
      if (error instanceof Refusal || error instanceof GatewayError) this.#recent.delete(key);
      else this.#release(key, id);
      throw error;
    }
  }

  /** Submits an order again although the first may have been accepted. Only its owner may do so, and only once. */
  tryAgain(id: string, origin: OrderOrigin): Promise<Task> {
    return trackUntilDone(this.#repeat(id, origin), this.#underWay);
  }

  dismiss(id: string, memberId: string): Promise<Task> {
    return trackUntilDone(this.#dismiss(id, memberId), this.#underWay);
  }

  /** The gateway makes one job of this order and its predecessor's, so only one of them is shown and counted. A start repeats this after a crash. */
  async takeOverPredecessor({ id, state, predecessorId }: Task): Promise<void> {
    const { book, store, ledger, log } = this.#parts;
    if (predecessorId === undefined) return;
    try {
      if (!(await book.get(predecessorId))) return;
      if (state === 'unconfirmed' && !(await store.getSentOrder(id))) {
        // The crash came before the body was stored for the successor.
        const sent = await store.getSentOrder(predecessorId);
        if (sent) await store.putSentOrder(id, sent);
      }
      const first = await book.change(predecessorId, markHandedOver, { mustHold: true });
      await ledger?.refund(first);
    } catch (error) {
      // The order is under way all the same, and the next start tries again.
      log.warn({ task: id, err: error }, 'A repeated order could not replace the first one.');
    }
  }

  async finish(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    for (const { cancel } of this.#recent.values()) cancel?.();
    this.#recent.clear();
  }

  #forget(task: Task): void {
    const key = keyOf(task);
    const recent = this.#recent.get(key);
    if (recent?.id !== task.id) return;
    recent.cancel?.();
    this.#recent.delete(key);
  }

  /** Uses a timer because the machine's clock may be set back. */
  #release(key: string, id: string): void {
    const cancel = this.#parts.clock.after(SAME_ORDER_MS, () => this.#recent.delete(key));
    this.#recent.set(key, { id, cancel });
  }

  async #dismiss(id: string, memberId: string): Promise<Task> {
    const { book, ledger, clock } = this.#parts;
    const known = await book.get(id);
    if (known) await ledger?.expectDecision(mustBeUndecided(known, memberId));
    return book.change(id, (task) => markDismissed(mustBeUndecided(task, memberId), clock.now()));
  }

  async #repeat(id: string, origin: OrderOrigin): Promise<Task> {
    const { book, store, clock, kinds, ledger } = this.#parts;
    const successorId = taskId(clock.now());
    const known = await book.get(id);
    const isKeyed = known !== undefined && kinds.get(known.kind)?.keyed !== undefined;
    if (known && !isKeyed) await ledger?.expectDecision(mustBeUndecided(known, origin.requesterId));
    // A crash may have come after the successor's id was stored and before its task was.
    const isTaken = known?.successorId !== undefined && (await book.get(known.successorId)) !== undefined;
    const old = await book.change(id, (task) => {
      const { successorId: promised } = mustBeUndecided(task, origin.requesterId);
      if (isTaken || promised !== known?.successorId) throw new Refusal('refusals.alreadyResubmitted');
      return setSuccessor(task, successorId, isKeyed);
    });
    try {
      const parent = old.parentId === undefined ? undefined : await book.get(old.parentId);
      const order = { ...origin, ...orderOfTask(old), parent };
      if (!isKeyed) return await this.#carryOut(order, successorId);
      // An older bot stored only the key, which at least keeps the gateway from making a second job.
      const sent = (await store.getSentOrder(id)) ?? { idempotencyKey: old.idempotencyKey };
      return await this.#carryOut({ ...order, predecessorId: id }, successorId, sent);
    } catch (error) {
      // It was refused, so the old task has no successor.
      const undecided = await book.change(id, (task) => setSuccessor(task, undefined));
      if (!isKeyed) await ledger?.reconsider(undecided);
      throw error;
    }
  }

  async #carryOut(order: Order, id: string, sentBefore?: SentBefore): Promise<Task> {
    this.#mustHaveRoom(order);
    this.#starting.set(id, order);
    try {
      return await this.#carryOutAlone(order, id, sentBefore);
    } finally {
      this.#starting.delete(id);
    }
  }

  /** Answers and talks hold a connection for as long as they go on. */
  #mustHaveRoom({ kind, requesterId }: Order): void {
    const limit = this.#parts.liveLimits?.[kind];
    if (!limit) return;
    // One that waits for its member's permission holds none.
    const isGoingOn = (task: Task): boolean => task.kind === kind && !hasEnded(task) && task.state !== 'needs-input';
    const live = this.#parts.book.live(isGoingOn);
    const all = new Map([...this.#starting, ...live.map((task) => [task.id, task] as const)]);
    const same = [...all.values()].filter((one) => one.kind === kind);
    const own = same.filter((one) => one.requesterId === requesterId);
    if (own.length >= limit.perMember) throw new Refusal(`refusals.tooMany.${kind}`, { count: limit.perMember });
    if (same.length >= limit.all) throw new Refusal('refusals.busy');
  }

  async #carryOutAlone(order: Order, id: string, sentBefore?: SentBefore): Promise<Task> {
    const { book, clock, kinds, offers } = this.#parts;
    const kind = kinds.get(order.kind);
    if (!kind) throw new Error(`There is no kind ${order.kind} to submit.`);
    // A button can be forged.
    if (!kind.submit && !kind.keyed) throw new Refusal('refusals.unknownButton');
    if (offers.isMissing(kind.name)) throw new Refusal('refusals.kindNotSupported');
    const { traits } = this.#parts.specs[order.kind];
    const estimate = traits.isPaid ? this.#parts.estimateOf?.(order) : undefined;
    // A pause and a block are for everything that a member may start. An order beyond a limit fetches nothing; the reservation decides.
    const isCounted = traits.isPaid && order.predecessorId === undefined;
    if (!isCounted) this.#parts.spending?.checkMay(ordererOf(order));
    else this.#parts.spending?.check(ordererOf(order), { kind: order.kind, amount: estimate?.amount });
    const prepared = await this.#prepare(kind, order, sentBefore);
    const { idempotencyKey } = prepared;
    const facts = { traits, durationKey: kind.durationKey(order.request), model: order.request.model, estimate };
    const task = createTask(order, { id, idempotencyKey, now: clock.now(), ...facts });
    await this.#reserveAndAdd(task, order.roleIds);
    const outcome = await this.#send(kind, { ...order, id }, prepared);
    if ('refused' in outcome) {
      await this.#removeRefused(id);
      throw await this.#errorFor(kind, order, outcome.refused);
    }
    const { submission } = outcome;
    const now = clock.now();
    if (submission) offers.markAccepted(offeredAs(kind, order));
    const settle = (before: Task): Task =>
      submission ? markAccepted(before, submission, now) : markUnconfirmed(before, outcome.reason, now);
    const sent = await book.change(id, settle, { mustHold: true });
    if (submission) this.#parts.follow(sent);
    await this.takeOverPredecessor(sent);
    return sent;
  }

  /** Fetches what the order names before anything is sent or stored. A body that was sent before is sent unchanged. */
  async #prepare(kind: Kind, { request, requesterId }: Order, sentBefore?: SentBefore): Promise<Prepared> {
    const timeLimitMs = this.#parts.maxWaitMs[kind.waitLimit(request)];
    const context = { memberId: requesterId, timeLimitMs, transfer: kind.transfer };
    if (sentBefore?.body !== undefined) return { ...sentBefore, materials: {}, context };
    return this.#gather(kind, request, context, sentBefore?.idempotencyKey);
  }

  async #gather(kind: Kind, request: Task['request'], context: GatherContext, key?: string): Promise<Prepared> {
    const materials = await this.#parts.gather(request, context);
    const body = kind.keyed?.bodyOf(request, materials);
    return { idempotencyKey: key ?? randomUUID(), body, materials, context };
  }

  async #send(kind: Kind, order: Order & Pick<Task, 'id'>, prepared: Prepared): Promise<Outcome> {
    const { idempotencyKey, body, materials, context } = prepared;
    const { id, request } = order;
    try {
      if (body !== undefined) await this.#parts.store.putSentOrder(id, { idempotencyKey, body });
    } catch (error) {
      // An order that cannot be repeated unchanged is not sent at all.
      return { refused: error };
    }
    this.#parts.assertOwnership();
    try {
      const sending =
        kind.keyed && body !== undefined
          ? kind.keyed.send({ idempotencyKey, body })
          : kind.submit?.(request, { idempotencyKey, materials, requester: order });
      if (!sending) throw new Error(`A task of the kind ${kind.name} cannot be ordered.`);
      return { submission: await sending };
    } catch (error) {
      // Thrown before anything was sent.
      if (error instanceof Refusal) return { refused: error };
      if (error instanceof GatewayError && !error.mayHaveTakenEffect) {
        // A definite refusal: sending it again cannot order twice.
        if (error.status !== TOO_LARGE || context.isSmaller || !hasData(materials)) return { refused: error };
        const smaller = await this.#gatherSmaller(kind, request, context);
        return smaller ? this.#send(kind, order, smaller) : { refused: error };
      }
      const reason = error instanceof GatewayError ? error.message : undefined;
      this.#parts.log.warn({ kind: kind.name, err: error }, 'An order was submitted with an unknown outcome.');
      return { reason };
    }
  }

  /** Another body needs another key. */
  async #gatherSmaller(kind: Kind, request: Task['request'], previous: GatherContext): Promise<Prepared | undefined> {
    try {
      return await this.#gather(kind, request, { ...previous, isSmaller: true });
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** The error for the member. Only refusals by a code are remembered for other orders. */
  async #errorFor(kind: Kind, order: Order, refused: unknown): Promise<unknown> {
    const { mayBeMissing } = kind;
    const { modelKind } = this.#parts.specs[order.kind].traits;
    const { model } = order.request;
    if (modelKind && model !== undefined && refused instanceof GatewayError && refused.refusesModel)
      await this.#parts.models?.markUnfit(model, modelKind);
    if (!mayBeMissing || !(refused instanceof GatewayError) || refused.kind !== 'not-offered') return refused;
    if (refused.hasKnownCode) this.#parts.offers.markRefused(offeredAs(kind, order));
    return mayBeMissing === 'kind' ? new Refusal('refusals.kindNotSupported') : refused;
  }

  /** The ledger comes first: if it refuses, there is no task. */
  async #reserveAndAdd(task: Task, roleIds: readonly string[] | undefined): Promise<void> {
    const { book, ledger } = this.#parts;
    await ledger?.reserve(task, roleIds);
    try {
      await book.add(task);
    } catch (error) {
      await ledger?.refund(task);
      throw error;
    }
  }

  async #removeRefused(id: string): Promise<void> {
    const { book, ledger } = this.#parts;
    const task = book.find(id);
    try {
      await book.remove(id);
      if (task) await ledger?.refund(task);
    } catch (error) {
      // The next start finds it with an unknown outcome, and its owner is told.
      this.#parts.log.error({ task: id, err: error }, 'A refused order could not be removed from the store.');
    }
  }
}

/** Orders with the same key are the same order. */
const keyOf = ({
  requesterId,
  channelId,
  kind,
  parentId,
  request,
}: Pick<Task, 'requesterId' | 'channelId' | 'kind' | 'parentId' | 'request'>): string =>
  JSON.stringify([requesterId, channelId, kind, parentId, request]);

/** Keeps the work in the set until it ends, so that a stop can wait for it. */
export async function trackUntilDone<T>(work: Promise<T>, underWay: Set<Promise<unknown>>): Promise<T> {
  underWay.add(work);
  try {
    return await work;
  } finally {
    underWay.delete(work);
  }
}

const offeredAs = (kind: Kind, { request }: Order): string => kind.offerName?.(request) ?? kindOfferName(kind.name);

const TOO_LARGE = 413;

interface Prepared {
  idempotencyKey: string;
  /** The exact body, where the kind stores it to send it again. */
  body?: string | undefined;
  materials: Materials;
  context: GatherContext;
}

type SentBefore = Pick<Prepared, 'idempotencyKey' | 'body'>;

const hasData = ({ images = [], references = [] }: Materials): boolean =>
  images.length > 0 || references.some(({ given }) => given.startsWith('data:'));

/** Without a submission and a refusal the outcome is unknown. */
type Outcome = { refused: unknown } | { submission?: Submission; reason?: string | undefined };

function mustBeUndecided(task: Task, memberId: string): Task {
  if (task.requesterId !== memberId) throw new Refusal('refusals.notYours');
  if (task.state !== 'unconfirmed') throw new Refusal('refusals.alreadyDecided');
  return task;
}
