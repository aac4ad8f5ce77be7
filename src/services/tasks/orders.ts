import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { GatewayError } from '../gateway/index.ts';
import type { Submission } from '../gateway/read/snapshot.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TaskBook, TasksLog } from './book.ts';
import type { Kind, Patience } from './kind.ts';
import type { Gather, Materials, Occasion } from './materials.ts';
import { kindName, type Offers } from './offers.ts';
import type { KindSpecs, Task, TaskKind } from './task.ts';
import { taskId } from './task-id.ts';
import type { TaskStore } from './task-store.ts';
import {
  accepted,
  dismissed,
  handedOver,
  type Order,
  type OrderFacts,
  orderedIn,
  submitting,
  succeededBy,
  unconfirmed,
} from './transitions.ts';

/** Nobody means the same thing twice within so short a time. */
const SAME_ORDER_MS = 3_000;

interface OrdersParts {
  book: TaskBook;
  store: Pick<TaskStore, 'keepSent' | 'sentOf'>;
  ledger?: Ledger | undefined;
  kinds: ReadonlyMap<TaskKind, Kind>;
  specs: KindSpecs;
  gather: Gather;
  maxWaitMs: Readonly<Record<Patience, number>>;
  clock: Clock;
  log: TasksLog;
  offers: Pick<Offers, 'refuse' | 'take' | 'isMissing'>;
  /** Throws where nothing may be done any more. */
  mayAct(): void;
  /** Takes it from here: the gateway has begun. */
  follow(task: Task): void;
}

/** What comes with a press on a task's message, for the task that takes its place. */
export type Whence = Omit<OrderFacts, 'parent' | 'predecessorId'>;

/** Brings orders to the gateway: stored before it hears of them, sent once, and never again by themselves. */
export class Orders {
  readonly #parts: OrdersParts;
  /** What was ordered a moment ago, with what takes back its end; undefined while it is on its way. */
  readonly #recent = new Map<string, (() => void) | undefined>();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(parts: OrdersParts) {
    this.#parts = parts;
  }

  async submit(order: Order): Promise<Task> {
    const key = JSON.stringify([order.requesterId, order.channelId, order.kind, order.parent?.id, order.request]);
    this.#claim(key);
    try {
      const task = await this.#tracked(this.#carryOut(order, taskId(this.#parts.clock.now())));
      this.#release(key);
      return task;
    } catch (error) {
      // What was refused is not on its way, and whoever has read so may ask again at once.
      if (error instanceof Refusal || error instanceof GatewayError) this.#recent.delete(key);
      else this.#release(key);
      throw error;
    }
  }

  /** Once more, although the first may have been taken: only its owner can want that, and only once. */
  tryAgain(id: string, whence: Whence): Promise<Task> {
    return this.#tracked(this.#again(id, whence));
  }

  dismiss(id: string, memberId: string): Promise<Task> {
    const { book, clock } = this.#parts;
    return this.#tracked(
      book.change(id, (task) => {
        waitsForDecision(task, memberId);
        return dismissed(task, clock.now());
      }),
    );
  }

  /**
   * The gateway makes one job of a task's order and of the one before it, so one of them is told of, counted, and may be sent again. Doing it twice
   * changes nothing: a start does it for whatever a crash has cut short.
   */
  async takeOver({ id, state, predecessorId }: Task): Promise<void> {
    const { book, store, ledger, log } = this.#parts;
    if (predecessorId === undefined) return;
    try {
      if (!(await book.get(predecessorId))) return;
      if (state === 'unconfirmed' && !(await store.sentOf(id))) {
        // The crash came before it was kept for the successor, too.
        const sent = await store.sentOf(predecessorId);
        if (sent) await store.keepSent(id, sent);
      }
      const first = await book.change(predecessorId, handedOver, { mustHold: true });
      await ledger?.refund(first);
    } catch (error) {
      // The order is on its way all the same, and the next start does it.
      log.warn({ task: id, err: error }, 'A repeated order could not take the place of the first.');
    }
  }

  /** Waits for what is on its way to the gateway. */
  async finish(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    for (const cancel of this.#recent.values()) cancel?.();
    this.#recent.clear();
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    try {
      return await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  #claim(key: string): void {
    if (this.#recent.has(key)) throw new Refusal('refusals.sameOrder');
    // While it is under way, however long that takes, the same order is the same.
    this.#recent.set(key, undefined);
  }

  /** By a timer, for the machine's clock may be set back meanwhile. */
  #release(key: string): void {
    this.#recent.set(
      key,
      this.#parts.clock.after(SAME_ORDER_MS, () => this.#recent.delete(key)),
    );
  }

  async #again(id: string, whence: Whence): Promise<Task> {
    const { book, store, clock, kinds } = this.#parts;
    const successorId = taskId(clock.now());
    const known = await book.get(id);
    // A crash may have come between this promise and its keeping.
    const isTaken = known?.successorId !== undefined && (await book.get(known.successorId)) !== undefined;
    const old = await book.change(id, (task) => {
      waitsForDecision(task, whence.requesterId);
      if (isTaken || task.successorId !== known?.successorId) throw new Refusal('refusals.alreadyTriedAgain');
      return succeededBy(task, successorId);
    });
    try {
      const parent = old.parentId === undefined ? undefined : await book.get(old.parentId);
      const order = { ...whence, ...orderedIn(old), parent };
      if (!kinds.get(old.kind)?.keyed) return await this.#carryOut(order, successorId);
      // Of what an older bot has sent only the key is known; with it the gateway at least never makes a second job.
      const sent = (await store.sentOf(id)) ?? { idempotencyKey: old.idempotencyKey };
      return await this.#carryOut({ ...order, predecessorId: id }, successorId, sent);
    } catch (error) {
      // Refused, and so nothing has taken its place.
      await book.change(id, (task) => succeededBy(task, undefined));
      throw error;
    }
  }

  async #carryOut(order: Order, id: string, sentBefore?: SentBefore): Promise<Task> {
    const { book, clock, kinds, offers } = this.#parts;
    const kind = kinds.get(order.kind);
    if (!kind) throw new Error(`Nobody knows how to submit ${order.kind}.`);
    // A button can be forged.
    if (!kind.submit && !kind.keyed) throw new Refusal('refusals.unknownButton');
    if (offers.isMissing(kind.name)) throw new Refusal('refusals.kindMissing');
    const going = await this.#prepared(kind, order, sentBefore);
    const { idempotencyKey } = going;
    const { traits } = this.#parts.specs[order.kind];
    const facts = { traits, durationKey: kind.durationKey(order.request), model: order.request.model };
    await this.#enter(submitting(order, { id, idempotencyKey, now: clock.now(), ...facts }));
    const outcome = await this.#send(kind, { ...order, id }, going);
    if ('refused' in outcome) {
      await this.#leaveNothing(id);
      throw this.#objection(kind, order, outcome.refused);
    }
    const { submission } = outcome;
    const now = clock.now();
    if (!submission) {
      const task = await book.change(id, (before) => unconfirmed(before, outcome.reason, now), { mustHold: true });
      await this.takeOver(task);
      return task;
    }
    offers.take(offeredAs(kind, order));
    const task = await book.change(id, (before) => accepted(before, submission, now), { mustHold: true });
    this.#parts.follow(task);
    await this.takeOver(task);
    return task;
  }

  /** What the order names is brought together first: without it nothing is asked, and nothing left behind. What was sent before goes as it was. */
  async #prepared(kind: Kind, { request, requesterId }: Order, sentBefore?: SentBefore): Promise<Going> {
    const { idempotencyKey = randomUUID(), body } = sentBefore ?? {};
    const occasion = { memberId: requesterId, patienceMs: this.#parts.maxWaitMs[kind.patience(request)] };
    if (body !== undefined) return { idempotencyKey, body, materials: {}, occasion };
    const materials = await this.#parts.gather(request, occasion);
    return { idempotencyKey, body: kind.keyed?.bodyOf(request, materials), materials, occasion };
  }

  async #send(kind: Kind, order: Order & Pick<Task, 'id'>, going: Going): Promise<Outcome> {
    const { idempotencyKey, body, materials, occasion } = going;
    const { id, request } = order;
    try {
      if (body !== undefined) await this.#parts.store.keepSent(id, { idempotencyKey, body });
    } catch (error) {
      // What cannot be sent again as it was is not sent at all.
      return { refused: error };
    }
    this.#parts.mayAct();
    try {
      const sending =
        kind.keyed && body !== undefined
          ? kind.keyed.send({ idempotencyKey, body })
          : kind.submit?.(request, { idempotencyKey, materials, asker: order });
      if (!sending) throw new Error(`A task of the kind ${kind.name} cannot be ordered.`);
      return { submission: await sending };
    } catch (error) {
      // Said before the gateway was asked.
      if (error instanceof Refusal) return { refused: error };
      if (error instanceof GatewayError && !error.mayHaveTakenEffect) {
        // Refused for certain, so asking once more asks for nothing twice.
        if (error.status !== TOO_LARGE || occasion.lighter || !hasData(materials)) return { refused: error };
        const lighter = await this.#lighter(kind, request, occasion);
        return lighter ? this.#send(kind, order, lighter) : { refused: error };
      }
      const reason = error instanceof GatewayError ? error.message : undefined;
      this.#parts.log.warn({ kind: kind.name, err: error }, 'Nobody knows whether the gateway took an order.');
      return { reason };
    }
  }

  /** Another body, and so another key. */
  async #lighter(kind: Kind, request: Task['request'], heavy: Occasion): Promise<Going | undefined> {
    const occasion = { ...heavy, lighter: true };
    try {
      const materials = await this.#parts.gather(request, occasion);
      return { idempotencyKey: randomUUID(), body: kind.keyed?.bodyOf(request, materials), materials, occasion };
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** What its member is told of an order that was refused. Only what the gateway says by name is remembered for others. */
  #objection(kind: Kind, order: Order, refused: unknown): unknown {
    const { mayBeMissing } = kind;
    if (!mayBeMissing || !(refused instanceof GatewayError) || refused.kind !== 'not-offered') return refused;
    if (refused.isNamed) this.#parts.offers.refuse(offeredAs(kind, order));
    return mayBeMissing === 'kind' ? new Refusal('refusals.kindMissing') : refused;
  }

  /** Reserved first: where that is refused there is no task. */
  async #enter(task: Task): Promise<void> {
    const { book, ledger } = this.#parts;
    await ledger?.reserve(task);
    try {
      await book.add(task);
    } catch (error) {
      await ledger?.refund(task);
      throw error;
    }
  }

  async #leaveNothing(id: string): Promise<void> {
    const { book, ledger } = this.#parts;
    const task = book.find(id);
    try {
      await book.forget(id);
      if (task) await ledger?.refund(task);
    } catch (error) {
      // The next start finds it as one whose fate is unknown, which is told to its member.
      this.#parts.log.error({ task: id, err: error }, 'A refused order could not be taken out of the store.');
    }
  }
}

const offeredAs = (kind: Kind, { request }: Order): string => kind.offeredAs?.(request) ?? kindName(kind.name);

const TOO_LARGE = 413;

/** An order on its way, and what it would take to make it lighter. */
interface Going {
  idempotencyKey: string;
  /** What is sent, where it is kept so that it can be sent again as it was. */
  body?: string | undefined;
  materials: Materials;
  occasion: Occasion;
}

type SentBefore = Pick<Going, 'idempotencyKey' | 'body'>;

/** Whether pictures travel inside of the request. */
function hasData({ pictures = [], references = [] }: Materials): boolean {
  return pictures.length > 0 || references.some(({ given }) => given.startsWith('data:'));
}

/** Refused; taken; or nobody knows. */
type Outcome = { refused: unknown } | { submission?: Submission; reason?: string | undefined };

function waitsForDecision(task: Task, memberId: string): void {
  if (task.requesterId !== memberId) throw new Refusal('refusals.notYours');
  if (task.state !== 'unconfirmed') throw new Refusal('refusals.alreadyDecided');
}
