import type { Clock } from '../../lib/clock.ts';
import type { Snapshot } from '../gateway/index.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { TaskBook, type TasksLog, type Transition } from './book.ts';
import type { WrittenWords } from './follow-ups.ts';
import type { Kind, Patience } from './kinds/kind.ts';
import type { Gather } from './materials.ts';
import { Orders, type Whence } from './orders.ts';
import { SPREAD_MS } from './schedule.ts';
import type { LaneTrouble, Scheduler } from './scheduler/scheduler.ts';
import { Sweep } from './sweep.ts';
import { hasEnded, isFollowed, type Task, type TaskKind } from './task.ts';
import type { TaskStore } from './task-store.ts';
import { Tracker } from './tracker.ts';
import { type Order, unconfirmed } from './transitions.ts';
import { Words } from './words.ts';

export interface TasksParts {
  store: TaskStore;
  /** Without it nobody keeps account of who used what. */
  ledger?: Ledger | undefined;
  kinds: readonly Kind[];
  scheduler: Scheduler;
  clock: Clock;
  log: TasksLog;
  maxWaitMs: Readonly<Record<Patience, number>>;
  /** Brings together the pictures that orders name. */
  gather: Gather;
  random?: () => number;
}

/** Every job from its order to its end. Knows nothing of Discord: whoever shows tasks listens to their changes. */
export class Tasks {
  readonly #parts: TasksParts;
  readonly #kinds: ReadonlyMap<TaskKind, Kind>;
  readonly #book: TaskBook;
  readonly #orders: Orders;
  readonly #words: Words;
  readonly #tracker: Tracker;
  readonly #sweep: Sweep;
  #leftOver: Task[] = [];

  constructor(parts: TasksParts) {
    const { store, ledger, clock, log, maxWaitMs } = parts;
    this.#parts = parts;
    this.#kinds = new Map(parts.kinds.map((kind) => [kind.name, kind]));
    this.#book = new TaskBook({ store, log });
    this.#book.onChange((task) => ledger?.follow(task));
    this.#tracker = new Tracker({ book: this.#book, store, clock, log });
    const patienceOf = ({ kind, request }: Task): Patience => this.#kind(kind).patience(request);
    this.#sweep = new Sweep({ book: this.#book, clock, log, maxWaitMs, patienceOf });
    const follow = (task: Task): void => this.#follow(task, clock.now());
    this.#orders = new Orders({
      book: this.#book,
      ledger,
      kinds: this.#kinds,
      gather: parts.gather,
      maxWaitMs,
      clock,
      log,
      follow,
    });
    this.#words = new Words({
      book: this.#book,
      kinds: this.#kinds,
      gather: parts.gather,
      maxWaitMs,
      clock,
      log,
      hint: (id) => this.hint(id),
    });
    this.#book.onChange((task) => this.#words.giveIfAsked(task));
  }

  /** Called with every task that has changed in a way somebody could see. */
  onChange(listener: (task: Task) => void): void {
    this.#book.onChange(listener);
  }

  get liveCount(): number {
    return this.#book.liveCount;
  }

  troubles(): LaneTrouble[] {
    return this.#parts.scheduler.troubles();
  }

  get(id: string): Promise<Task | undefined> {
    return this.#book.get(id);
  }

  /** `mustHold`: what would be lost for good if the store could not take it just then. */
  change(id: string, transition: Transition, options?: { mustHold: boolean }): Promise<Task> {
    return this.#book.change(id, transition, options);
  }

  submit(order: Order): Promise<Task> {
    return this.#orders.submit(order);
  }

  tryAgain(id: string, whence: Whence): Promise<Task> {
    return this.#orders.tryAgain(id, whence);
  }

  dismiss(id: string, memberId: string): Promise<Task> {
    return this.#orders.dismiss(id, memberId);
  }

  /** Words for a task that waits for them, from its owner. */
  giveWords(id: string, whence: Whence, words: WrittenWords): Promise<Task> {
    return this.#words.give(id, whence, words);
  }

  /** What the gateway says of it now, which changes nothing: for results that are not kept here. */
  async look({ kind, remoteId }: Task): Promise<Snapshot> {
    if (remoteId === undefined) throw new Error(`A ${kind} that the gateway never took cannot be looked at.`);
    const { source } = this.#kind(kind);
    if (!source) throw new Error(`Nobody can be asked about a ${kind}.`);
    return source.one(remoteId);
  }

  /** Something may have happened to it: ask now. */
  hint(id: string): void {
    this.#parts.scheduler.hint(id);
  }

  /** Reads what was under way when the bot last ran; nothing is done about it before `start`. */
  async open(): Promise<void> {
    this.#leftOver = await this.#book.open();
    await this.#parts.ledger?.open(this.#leftOver);
  }

  /** Takes up everything that was under way, and tells of what ended while nobody was there. */
  async start(): Promise<void> {
    const { clock, scheduler, random = Math.random } = this.#parts;
    const now = clock.now();
    for (const task of this.#leftOver.splice(0)) {
      // The bot ended between asking the gateway and hearing its answer.
      if (task.state === 'submitting') await this.#book.change(task.id, (known) => unconfirmed(known, undefined, now));
      else if (isFollowed(task)) this.#follow(task, now + random() * SPREAD_MS);
      // An end is to be shown; and of one that waits for words the gateway will say nothing new.
      if (hasEnded(task) || task.state === 'needs-input') this.#book.announce(task);
    }
    scheduler.start();
    this.#sweep.start();
  }

  /** Asks about nothing any more. What is on its way to the gateway may still come to its end. */
  async pause(): Promise<void> {
    await Promise.all([this.#parts.scheduler.stop(), this.#sweep.stop()]);
  }

  /** Once the gateway is closed no order is on its way for long; its outcome is stored before this returns. */
  async stop(): Promise<void> {
    await Promise.all([this.#orders.finish(), this.#words.finish()]);
    await this.#book.saveUnsaved();
    await this.#parts.ledger?.finish();
    await this.#parts.store.close();
  }

  #kind(name: TaskKind): Kind {
    const kind = this.#kinds.get(name);
    if (!kind) throw new Error(`There is no kind ${name}.`);
    return kind;
  }

  #follow(task: Task, at: number): void {
    const kind = this.#kind(task.kind);
    if (!kind.source) {
      kind.follow?.(task);
      return;
    }
    const lane = this.#tracker.laneOf(kind.source);
    // A member on their own is a group, as a server is.
    this.#parts.scheduler.add({ id: task.id, lane, group: task.guildId ?? task.requesterId, at });
  }
}
