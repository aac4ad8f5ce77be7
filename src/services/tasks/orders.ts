import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { GatewayError } from '../gateway/index.ts';
import type { Submission } from '../gateway/read/submission.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TaskBook, TasksLog } from './book.ts';
import type { Kind, Patience } from './kinds/kind.ts';
import type { Gather, Materials, Occasion } from './materials.ts';
import type { Offers } from './offers.ts';
import type { Task, TaskKind } from './task.ts';
import { taskId } from './task-id.ts';
import { accepted, dismissed, type Order, submitting, succeededBy, unconfirmed } from './transitions.ts';

/** Nobody means the same thing twice within so short a time. */
const SAME_ORDER_MS = 3_000;

interface OrdersParts {
  book: TaskBook;
  ledger?: Ledger | undefined;
  kinds: ReadonlyMap<TaskKind, Kind>;
  gather: Gather;
  maxWaitMs: Readonly<Record<Patience, number>>;
  clock: Clock;
  log: TasksLog;
  offers: Pick<Offers, 'miss' | 'isMissing'>;
  /** Throws where nothing may be done any more. */
  mayAct(): void;
  /** Takes it from here: the gateway has begun. */
  follow(task: Task): void;
}

/** What comes with a press on a task's message, for the task that takes its place. */
export type Whence = Omit<Order, 'kind' | 'request' | 'parent'>;

/** Brings orders to the gateway: stored before it hears of them, sent once, and never again by themselves. */
export class Orders {
  readonly #parts: OrdersParts;
  readonly #recent = new Map<string, number>();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(parts: OrdersParts) {
    this.#parts = parts;
  }

  async submit(order: Order): Promise<Task> {
    const key = JSON.stringify([order.requesterId, order.channelId, order.kind, order.parent?.id, order.request]);
    this.#claim(key);
    const { clock } = this.#parts;
    const work = this.#carryOut(order, taskId(clock.now()));
    this.#underWay.add(work);
    try {
      const task = await work;
      this.#recent.set(key, clock.now());
      return task;
    } catch (error) {
      // What was refused is not on its way, and whoever has read so may ask again at once.
      if (error instanceof Refusal || error instanceof GatewayError) this.#recent.delete(key);
      else this.#recent.set(key, clock.now());
      throw error;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** Once more, although the first may have been taken: only its owner can want that, and only once. */
  async tryAgain(id: string, whence: Whence): Promise<Task> {
    const { book, clock } = this.#parts;
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
      return await this.#carryOut({ ...whence, kind: old.kind, request: old.request, parent }, successorId);
    } catch (error) {
      // Refused, and so nothing has taken its place.
      await book.change(id, (task) => succeededBy(task, undefined));
      throw error;
    }
  }

  async dismiss(id: string, memberId: string): Promise<Task> {
    const { book, clock } = this.#parts;
    return book.change(id, (task) => {
      waitsForDecision(task, memberId);
      return dismissed(task, clock.now());
    });
  }

  /** Waits for what is on its way to the gateway. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #claim(key: string): void {
    const now = this.#parts.clock.now();
    for (const [other, at] of this.#recent) if (now - at >= SAME_ORDER_MS) this.#recent.delete(other);
    if (this.#recent.has(key)) throw new Refusal('refusals.sameOrder');
    // While it is under way, however long that takes, the same order is the same.
    this.#recent.set(key, Number.POSITIVE_INFINITY);
  }

  async #carryOut(order: Order, id: string): Promise<Task> {
    const { book, clock, kinds, offers } = this.#parts;
    const kind = kinds.get(order.kind);
    if (!kind) throw new Error(`Nobody knows how to submit ${order.kind}.`);
    // A button can be forged.
    if (!kind.isOrderable) throw new Refusal('refusals.unknownButton');
    if (offers.isMissing(kind.name)) throw new Refusal('refusals.kindMissing');
    // What the order names is brought together first: without it nothing is asked, and nothing left behind.
    const occasion = { patienceMs: this.#parts.maxWaitMs[kind.patience(order.request)] };
    const materials = await this.#parts.gather(order.request, occasion);
    const idempotencyKey = randomUUID();
    const facts = { durationKey: kind.durationKey(order.request), model: kind.model(order.request) };
    await this.#enter(submitting(order, { id, idempotencyKey, now: clock.now(), ...facts }));
    const outcome = await this.#send(kind, order.request, { idempotencyKey, materials, occasion });
    if (outcome.refused) {
      await this.#leaveNothing(id);
      if (!kind.mayBeMissing || !isNotOffered(outcome.refused)) throw outcome.refused;
      offers.miss(kind.name);
      throw new Refusal('refusals.kindMissing');
    }
    const { submission } = outcome;
    const now = clock.now();
    if (!submission) return book.change(id, (task) => unconfirmed(task, outcome.reason, now), { mustHold: true });
    const task = await book.change(id, (before) => accepted(before, submission, now), { mustHold: true });
    this.#parts.follow(task);
    return task;
  }

  async #send(kind: Kind, request: Task['request'], going: Going): Promise<Outcome> {
    const { idempotencyKey, materials, occasion } = going;
    this.#parts.mayAct();
    try {
      return { submission: await kind.submit(request, { idempotencyKey, materials }) };
    } catch (error) {
      // Said before the gateway was asked.
      if (error instanceof Refusal) return { refused: error };
      if (error instanceof GatewayError && !error.mayHaveTakenEffect) {
        // Refused for certain, so asking once more asks for nothing twice.
        if (error.status !== TOO_LARGE || occasion.lighter || !hasData(materials)) return { refused: error };
        const lighter = await this.#lighter(request, occasion);
        return lighter ? this.#send(kind, request, { ...going, ...lighter }) : { refused: error };
      }
      const reason = error instanceof GatewayError ? error.message : undefined;
      this.#parts.log.warn({ kind: kind.name, err: error }, 'Nobody knows whether the gateway took an order.');
      return { reason };
    }
  }

  async #lighter(
    request: Task['request'],
    { patienceMs }: Occasion,
  ): Promise<Omit<Going, 'idempotencyKey'> | undefined> {
    const occasion = { patienceMs, lighter: true };
    try {
      return { occasion, materials: await this.#parts.gather(request, occasion) };
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
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

const TOO_LARGE = 413;

/** An order on its way, and what it would take to make it lighter. */
interface Going {
  idempotencyKey: string;
  materials: Materials;
  occasion: Occasion;
}

/** Whether pictures travel inside of the request. */
function hasData({ pictures = [], references = [] }: Materials): boolean {
  return pictures.length > 0 || references.some(({ given }) => given.startsWith('data:'));
}

const isNotOffered = (error: GatewayError | Refusal): boolean =>
  error instanceof GatewayError && error.kind === 'not-offered';

type Outcome = { refused?: GatewayError | Refusal; submission?: Submission; reason?: string | undefined };

function waitsForDecision(task: Task, memberId: string): void {
  if (task.requesterId !== memberId) throw new Refusal('refusals.notYours');
  if (task.state !== 'unconfirmed') throw new Refusal('refusals.alreadyDecided');
}
