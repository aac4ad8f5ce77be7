import type { Clock } from '../../lib/clock.ts';
import type { Snapshot } from '../gateway/index.ts';
import type { Cost, Ledger } from '../ledger/ledger.ts';
import { type Asked, Before, earliest } from '../polling/allowance.ts';
import { Experience, LearnedSchedule } from '../polling/experience.ts';
import { SPREAD_MS, specSchedule } from '../polling/schedule.ts';
import type { LaneTrouble, Scheduler } from '../polling/scheduler.ts';
import { type Admit, Albums } from './albums.ts';
import type { TaskBook, TasksLog, Transition } from './book.ts';
import { withoutMessage } from './delivery-state.ts';
import type { Kind, Patience, Source } from './kind.ts';
import type { Gather } from './materials.ts';
import { Offers } from './offers.ts';
import { Orders, type Whence } from './orders.ts';
import { type ExportFile, Exports } from './own-data/exports.ts';
import { Forgetting } from './own-data/forgetting.ts';
import type { Hear, Removal, RemoveMessages, TellForgotten } from './own-data/wish.ts';
import { tasksOf } from './own-data/wish.ts';
import { Sweep } from './sweep.ts';
import { hasEnded, isFollowed, type KindSpecs, type Task, type TaskKind } from './task.ts';
import type { PageQuestion, TaskPage, TaskStore } from './task-store.ts';
import { Tracker } from './tracker.ts';
import { type Order, unconfirmed } from './transitions.ts';
import { Words, type WrittenWords } from './words.ts';

export interface TasksParts {
  book: TaskBook;
  store: TaskStore;
  /** Without it nobody keeps account of who used what. */
  ledger?: Ledger | undefined;
  kinds: readonly Kind[];
  specs: KindSpecs;
  scheduler: Scheduler;
  clock: Clock;
  log: TasksLog;
  maxWaitMs: Readonly<Record<Patience, number>>;
  /** When to ask: as jobs have usually ended, unless it is said to be as the specification recommends. */
  schedule?: 'learned' | 'spec';
  /** Brings together the pictures that orders name. */
  gather: Gather;
  /** What the gateway has no way to order. */
  offers?: Pick<Offers, 'refuse' | 'take' | 'isMissing'> | undefined;
  /** Takes a task's messages away, where the bot can. */
  removeMessages: RemoveMessages;
  /** Says to a member what became of their wish to be forgotten, wherever they are. */
  tellForgotten: TellForgotten;
  /** Throws where nothing may be done any more, for another bot may be at work on the same tasks. */
  mayAct?: () => void;
  random?: () => number;
}

/** Every job from its order to its end. Knows nothing of Discord: whoever shows tasks listens to their changes. */
export class Tasks {
  readonly #parts: TasksParts;
  readonly #kinds: ReadonlyMap<TaskKind, Kind>;
  readonly #book: TaskBook;
  readonly #orders: Orders;
  readonly #words: Words;
  readonly #before: Before;
  readonly #tracker: Tracker;
  readonly #sweep: Sweep;
  readonly #forgetting: Forgetting;
  readonly #exports: Exports;
  readonly #albums: Albums;
  #leftOver: Task[] = [];

  constructor(parts: TasksParts) {
    const { book, store, ledger, scheduler, clock, log, maxWaitMs, mayAct = () => undefined } = parts;
    this.#parts = parts;
    this.#kinds = new Map(parts.kinds.map((kind) => [kind.name, kind]));
    this.#book = book;
    this.#book.onChange((task) => ledger?.follow(task));
    this.#before = new Before({ store, clock, log });
    const experience = new Experience({ store, log });
    const learned = new LearnedSchedule({ experience, pressure: () => scheduler.pressure });
    const schedule = parts.schedule === 'spec' ? specSchedule : learned;
    this.#tracker = new Tracker({ book: this.#book, before: this.#before, schedule, experience, clock, log });
    const patienceOf = ({ kind, request }: Task): Patience => this.#kind(kind).patience(request);
    this.#sweep = new Sweep({ book: this.#book, clock, log, maxWaitMs, patienceOf });
    const follow = (task: Task): void => {
      const since = task.times.accepted ?? task.times.created;
      this.#follow(task, clock.now(), { since, times: 0, last: Number.NEGATIVE_INFINITY });
    };
    this.#orders = new Orders({
      offers: parts.offers ?? new Offers(clock),
      book: this.#book,
      store,
      ledger,
      kinds: this.#kinds,
      specs: parts.specs,
      gather: parts.gather,
      maxWaitMs,
      clock,
      log,
      follow,
      mayAct,
    });
    this.#words = new Words({
      book: this.#book,
      kinds: this.#kinds,
      gather: parts.gather,
      maxWaitMs,
      clock,
      log,
      mayAct,
      hint: (id) => this.hint(id),
    });
    this.#book.onChange((task) => this.#words.giveIfAsked(task));
    this.#albums = new Albums({ book: this.#book, specs: parts.specs, store, clock, log, follow });
    this.#forgetting = new Forgetting({ ...parts, book: this.#book, ledger });
    this.#exports = new Exports({
      rowsOf: (memberId) => {
        const now = clock.now();
        return { memberId, now, tasks: this.#everyTaskOf(memberId), entries: ledger?.entriesOf(memberId, now) };
      },
      isForgotten: (memberId) => this.#forgetting.isUnderWay(memberId),
    });
  }

  /** Called with every task that has changed in a way somebody could see. */
  onChange(listener: (task: Task) => void): void {
    this.#book.onChange(listener);
  }

  /** Called with every task that is as if it had never been: its member wanted it forgotten, or the gateway did not take it. */
  onGone(listener: (task: Task) => void): void {
    this.#book.onGone(listener);
  }

  /** Those for which something is left to do, from memory. */
  live(isWanted: (task: Task) => boolean): Task[] {
    return this.#book.live().filter(isWanted);
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

  /** A list of tasks, newest first. */
  page(question: PageQuestion): Promise<TaskPage> {
    return this.#parts.store.page(question);
  }

  /** Everything that is stored about a member, in a file of at most so many bytes. */
  exportOf(memberId: string, most: number): Promise<ExportFile> {
    return this.#exports.of(memberId, most);
  }

  /** Forgets everything that a member has ordered until now. Comes back when that is stored; what becomes of it is told to `hear`. */
  forget(memberId: string, hear: Hear): Promise<void> {
    return this.#forgetting.begin(memberId, hear);
  }

  /** How many tasks of a member are kept. */
  async countOf(memberId: string): Promise<number> {
    let count = 0;
    for await (const _ of tasksOf(memberId, this.#parts.store)) count += 1;
    return count;
  }

  /** What a task cost, as far as that is known. */
  async costOf(task: Task): Promise<Cost | undefined> {
    return this.#parts.ledger?.costOf(task);
  }

  /** Takes a task's message away, and what stands beside it in the same channel; the task itself is kept. */
  async removeMessage(task: Task): Promise<Removal> {
    const beside = task.beside?.filter(({ channelId }) => channelId === task.message?.channelId);
    const removal = await this.#parts.removeMessages({ ...task, beside });
    if (removal.isLater) return removal;
    const stays = new Set(removal.left.map(({ id }) => id));
    const all = [task.message, ...(beside ?? [])].flatMap((message) => message?.id ?? []);
    const gone = all.filter((id) => !stays.has(id));
    await this.#book.change(task.id, (known) => gone.reduce(withoutMessage, known));
    return removal;
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

  /** Brings tasks that the gateway has together in one task, by their ids at the gateway. */
  bringTogether(whence: Whence, remoteIds: readonly string[], admit: Admit): Promise<Task> {
    return this.#albums.bringTogether(whence, remoteIds, admit);
  }

  /** The tasks of an album, in its order; of those that are gone nothing is left but their ids at the gateway. */
  partsOf(album: Task): Promise<{ remoteId: string; task: Task | undefined }[]> {
    return this.#albums.partsOf(album);
  }

  /**
   * What the gateway says of it now, which changes nothing: for results that are not kept here. While the gateway is at work on a task, the
   * scheduler alone asks about it, within the task's allowance: whoever wants to know sooner gives it a hint.
   */
  async look({ id, kind, remoteId }: Task): Promise<Snapshot> {
    if (remoteId === undefined) throw new Error(`A ${kind} that the gateway never took cannot be looked at.`);
    const live = this.#book.find(id);
    if (live && isFollowed(live))
      throw new Error(`Task ${id} is under way: a hint has it asked about as soon as may be.`);
    const { source } = this.#kind(kind);
    if (!source) throw new Error(`A ${kind} is not asked about.`);
    return source.one(remoteId);
  }

  /** Somebody looks at it alone: the next question is about it alone too, and as soon as its allowance lets it be. */
  lookedAt({ id, state }: Pick<Task, 'id' | 'state'>): void {
    if (!isFollowed({ state })) return;
    this.#tracker.singleOut(id);
    this.hint(id);
  }

  /** Something may have happened to it: ask now. */
  hint(id: string): void {
    this.#parts.scheduler.hint(id);
  }

  /** Reads what was under way when the bot last ran; nothing is done about it before `start`. */
  async open(): Promise<void> {
    this.#leftOver = await this.#book.open();
    await this.#forgetting.open();
    await this.#before.open();
    await this.#parts.ledger?.open(this.#leftOver);
  }

  /** Takes up everything that was under way, and tells of what ended while nobody was there. */
  async start(): Promise<void> {
    const { clock, scheduler, random = Math.random } = this.#parts;
    const now = clock.now();
    const firstAt = spreadFrom(now, random);
    const leftOver = this.#leftOver.splice(0);
    for (const task of leftOver) {
      // The bot ended between asking the gateway and hearing its answer.
      if (task.state === 'submitting') await this.#leaveOpen(task, now);
      else if (isFollowed(task)) {
        const asked = this.#before.askedAbout(task);
        this.#follow(task, Math.max(earliest(asked), firstAt(this.#kind(task.kind).source)), asked);
      }
      // An end is to be shown; and of one that waits for words the gateway will say nothing new.
      if (hasEnded(task) || task.state === 'needs-input') this.#book.announce(task);
    }
    for (const { id, predecessorId } of leftOver) {
      const task = predecessorId === undefined ? undefined : this.#book.find(id);
      if (task) await this.#orders.takeOver(task);
    }
    await this.#albums.start(leftOver);
    this.#forgetting.start();
    scheduler.start();
    this.#sweep.start();
  }

  /** Asks about nothing any more. What is on its way to the gateway may still come to its end. */
  async pause(): Promise<void> {
    await Promise.all([this.#parts.scheduler.stop(), this.#sweep.stop(), this.#forgetting.finish()]);
  }

  /** Once the gateway is closed no order is on its way for long; its outcome is stored before this returns. */
  async stop(): Promise<void> {
    await Promise.all([this.#orders.finish(), this.#words.finish(), this.#albums.finish()]);
    await this.#book.saveUnsaved();
    await this.#parts.ledger?.finish();
    await this.#parts.store.close();
  }

  async *#everyTaskOf(memberId: string): AsyncGenerator<Task> {
    for await (const { id } of tasksOf(memberId, this.#parts.store)) {
      const task = await this.#book.get(id);
      if (task) yield task;
    }
  }

  /** What costs nothing of its own is simply asked for again. */
  async #leaveOpen(task: Task, now: number): Promise<void> {
    if (task.traits.isPaid) await this.#book.change(task.id, (known) => unconfirmed(known, undefined, now));
    else await this.#book.forget(task.id);
  }

  #kind(name: TaskKind): Kind {
    const kind = this.#kinds.get(name);
    if (!kind) throw new Error(`There is no kind ${name}.`);
    return kind;
  }

  #follow(task: Task, at: number, asked: Asked): void {
    const kind = this.#kind(task.kind);
    if (!kind.source) {
      kind.follow?.(task);
      return;
    }
    const lane = this.#tracker.laneOf(kind.source);
    // A member on their own is a group, as a server is.
    this.#parts.scheduler.add({ id: task.id, lane, group: task.guildId ?? task.requesterId, at, asked });
  }
}

/** When the questions of a start begin: spread, so that they do not come all at once, and those of one list together. */
function spreadFrom(now: number, random: () => number): (source: Source | undefined) => number {
  const together = new Map<Source, number>();
  return (source) => {
    const at = (source && together.get(source)) ?? now + random() * SPREAD_MS;
    if (source?.many) together.set(source, at);
    return at;
  };
}
