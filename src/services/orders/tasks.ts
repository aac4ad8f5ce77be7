import type { AppContext } from '../../lib/app-context.ts';
import { merge } from '../../lib/merge.ts';
import type { Snapshot } from '../gateway/snapshot.ts';
import { leftCopyOf, removeMessageById } from '../tasks/delivery-state.ts';
import { partitionOf } from '../tasks/homes.ts';
import type { Kind, Source, WaitLimit } from '../tasks/kind.ts';
import type { TaskKind } from '../tasks/kind-spec.ts';
import { hasEnded, isFollowed, type Task } from '../tasks/task.ts';
import { groupOf } from '../tasks/task-facts.ts';
import { bucketIn } from '../tasks/task-id.ts';
import { markUnconfirmed } from '../tasks/transitions.ts';
import { Albums } from './albums.ts';
import { Batches } from './batches.ts';
import { createFingerprints } from './fingerprints.ts';
import { fullTasksOf, mergeLists, tasksOf } from './lists.ts';
import { Orders } from './orders.ts';
import { createOrdersContext, type OrdersContext, type OrdersSources } from './orders-context.ts';
import { createOutlook } from './outlook.ts';
import { Erasures } from './own-data/erasures.ts';
import { createExports, type ExportedData } from './own-data/exports.ts';
import { createEarlierPolls, type EarlierPolls, earliestPollAt, type PollHistory } from './polling/allowance.ts';
import { DurationHistory, learnedSchedule, sparseSchedule } from './polling/learned-schedule.ts';
import { START_SPREAD_MS, specSchedule } from './polling/schedule.ts';
import { InlineResults } from './submission/inline-results.ts';
import { startRelease, startSweep } from './submission/sweep.ts';
import type { MessageRemoval, PageQuery, TaskLists } from './task-store.ts';
import { Tracker } from './tracker.ts';
import { Words } from './words.ts';

/** Follows every task from its order to its end. It does not depend on Discord: the code that shows tasks listens to the book. */
export class Tasks {
  readonly book;
  /** The lists of this partition alone, whose tasks are in the book. */
  readonly ownLists: TaskLists;
  readonly lists: TaskLists;
  readonly ledger;
  readonly scheduler;
  readonly orders: Orders;
  readonly outlook;
  readonly words: Words;
  readonly albums: Albums;
  readonly batches: Batches;
  readonly erasure: Erasures;
  readonly exports;
  readonly callbacks;
  readonly circuits;
  readonly drafts;
  readonly fingerprints;
  readonly offers;
  readonly preferences;
  readonly presets;
  readonly proposals;
  readonly #context: OrdersContext;
  readonly #earlierPolls: EarlierPolls;
  readonly #tracker: Tracker;
  readonly #inlineResults: InlineResults;
  readonly #stops: (() => Promise<void>)[] = [];
  #unfinishedTasks: Task[] = [];

  constructor(appContext: AppContext, sources: OrdersSources) {
    const { clock, log } = appContext;
    const { settings, book, store, money, partition, others, tracker = new Tracker(clock, partition.count) } = sources;
    const context = createOrdersContext(appContext, sources, (task) => {
      const since = task.times.accepted ?? task.times.created;
      this.#follow(task, clock.now(), { since, pollCount: 0, lastPollAt: Number.NEGATIVE_INFINITY });
    });
    const { callbacks, limits } = context;
    const { scheduler } = limits;
    this.#context = context;
    this.book = book;
    this.ownLists = store;
    this.lists = others ? mergeLists(store, others) : store;
    this.ledger = money.ledger;
    this.scheduler = scheduler;
    this.callbacks = callbacks;
    this.circuits = context.circuits;
    this.drafts = context.drafts;
    this.fingerprints = createFingerprints(book, store.fingerprints);
    this.offers = context.offers;
    this.preferences = context.preferences;
    this.presets = context.presets;
    this.proposals = context.proposals;
    book.onChange((task) => money.ledger.onTaskChange(task));
    const earlierPolls = createEarlierPolls(store, clock, log);
    const durationHistory = new DurationHistory(store, this.waitLimitOf, log);
    const missedShare = (task: Task) => callbacks.missedShare(task);
    const schedule =
      settings.poll.schedule === 'spec'
        ? sparseSchedule(specSchedule, missedShare)
        : learnedSchedule(durationHistory, () => scheduler.pressure, missedShare);
    const inlineResults = new InlineResults(clock);
    this.#tracker = tracker;
    this.#earlierPolls = earlierPolls;
    this.#inlineResults = inlineResults;
    tracker.add(partition.number, { book, schedule, durationHistory, earlierPolls, inlineResults, log });
    this.orders = new Orders(context);
    this.outlook = createOutlook(context, durationHistory, this.orders.line);
    this.words = new Words(context);
    book.onChange((task) => this.words.provideIfRequested(task));
    this.albums = new Albums(context);
    this.batches = new Batches(context, this.orders);
    this.erasure = new Erasures(context);
    this.exports = createExports((memberId) => this.#rowsOf(memberId), this.erasure);
    book.onChange((task) => void money.prices.learn(task));
  }

  readonly waitLimitOf = ({ kind, request }: Task): WaitLimit => this.#kind(kind).waitLimit(request);

  async countTasks(memberId: string): Promise<{ count: number; hasUndeletable: boolean }> {
    let count = 0;
    let hasUndeletable = false;
    const allLists = [this.ownLists, ...((await this.#context.others?.all()) ?? [])];
    for (const lists of allLists)
      for await (const { isOwnInstall = false, isPrivate } of tasksOf(memberId, lists)) {
        count += 1;
        hasUndeletable ||= isOwnInstall && !isPrivate;
      }
    return { count, hasUndeletable };
  }

  /** Deletes a task's message, or else the copy that is left, and its further messages in the same channel. The task itself is kept. */
  async removeMessage(task: Task): Promise<MessageRemoval> {
    const shown = task.message ?? leftCopyOf(task);
    const furtherMessages = task.beside?.filter(({ channelId }) => channelId === shown?.channelId);
    const removal = await this.#context.discord.removeMessages({ ...task, beside: furtherMessages });
    if (removal.needsRetry) return removal;
    const undeletedIds = new Set(removal.left.map(({ id }) => id));
    const messageIds = [task.message, ...(furtherMessages ?? [])].flatMap((message) => message?.id ?? []);
    const deletedIds = messageIds.filter((id) => !undeletedIds.has(id));
    await this.book.change(task.id, (known) => deletedIds.reduce(removeMessageById, known));
    return removal;
  }

  /**
   * Fetches the gateway's current state of a task that has ended. While a task is followed, only the scheduler polls it, so give it a hint
   * instead.
   */
  async fetchSnapshot({ id, kind, remoteId }: Task): Promise<Snapshot> {
    if (remoteId === undefined) throw new Error(`Task ${id} (${kind}) has no remote id to poll.`);
    const liveTask = this.book.find(id);
    if (liveTask && isFollowed(liveTask)) throw new Error(`Task ${id} is under way: use a hint to poll it sooner.`);
    const { source } = this.#kind(kind);
    if (!source) throw new Error(`Tasks of kind ${kind} are not polled.`);
    return this.#inlineResults.take(id) ?? source.endpoint.get(remoteId, { attempts: 1 });
  }

  /** Called when a member views this task. It is next polled alone, as soon as the scheduler permits. */
  recordView(task: Task): void {
    if (!isFollowed(task)) return;
    this.#tracker.pollAlone(task.id);
    this.scheduler.hint(task.id);
  }

  /** Loads the tasks that were running when the bot last stopped. Nothing is done about them before `start`. */
  async open(): Promise<void> {
    this.#unfinishedTasks = await this.book.open();
    await this.#context.preferences.open();
    await this.erasure.open();
    await this.#earlierPolls.open();
    await this.ledger.open(this.#unfinishedTasks);
    for (const task of this.#unfinishedTasks) if (task.state === 'waiting') this.orders.line.join(task);
  }

  /** Resumes everything that was running, and announces what ended while the bot was down. */
  async start(): Promise<void> {
    const { clock, settings } = this.#context;
    const now = clock.now();
    const unfinished = this.#unfinishedTasks.splice(0);
    for (const task of unfinished) {
      // The bot stopped between submitting the task and reading the response.
      if (task.state === 'submitting') await this.#settleSubmitting(task, now);
      // The end of these tasks still has to be shown. About a task that waits for a prompt, the gateway has nothing new to report.
      if (hasEnded(task) || task.state === 'needs-input') this.book.announce(task.id);
    }
    // One of the two may have settled already, or during this start.
    const successorIds = unfinished.flatMap((task) => [
      ...(task.predecessorId === undefined ? [] : [task.id]),
      ...(task.successorId === undefined ? [] : [task.successorId]),
    ]);
    for (const id of successorIds) {
      const successor = await this.book.get(id);
      if (successor) await this.orders.takeOverPredecessor(successor);
    }
    await this.albums.start(unfinished);
    await this.batches.start(unfinished);
    const firstAt = spreadStarts(now, this.scheduler.random);
    for (const task of unfinished.filter(isFollowed)) {
      const history = this.#earlierPolls.historyOf(task);
      this.#follow(task, Math.max(earliestPollAt(history), firstAt(this.#kind(task.kind).source)), history);
    }
    this.erasure.start();
    this.scheduler.start();
    this.orders.line.start();
    this.#stops.push(startSweep(this.#context));
    const { unconfirmedReleaseMs } = settings;
    if (unconfirmedReleaseMs !== undefined) this.#stops.push(startRelease(this.#context, unconfirmedReleaseMs));
  }

  /** Stops polling. Orders that are being submitted may still finish. */
  async pause(): Promise<void> {
    this.orders.line.stop();
    this.batches.stop();
    const { number, count } = this.#context.partition;
    await Promise.all([
      // The partitions of a process share the scheduler.
      count === 1
        ? this.scheduler.stop()
        : this.scheduler.removeAll((id) => partitionOf(bucketIn(id), count) === number),
      ...this.#stops.map((stop) => stop()),
      this.erasure.finish(),
    ]);
  }

  /** Must be called after the gateway client is closed, so that no submission lasts long. The outcomes are stored before this returns. */
  async stop(): Promise<void> {
    await this.orders.finish();
    this.#tracker.remove(this.#context.partition.number);
    this.#inlineResults.clear();
    await this.book.saveUnsaved();
    await this.ledger.flush();
    await this.#context.store.close();
  }

  async #rowsOf(memberId: string): Promise<ExportedData> {
    const { book, store, money, others, clock } = this.#context;
    const now = clock.now();
    const otherPartitions = (await others?.all()) ?? [];
    const ownRows = { page: (query: PageQuery) => store.page(query), get: (id: string) => book.get(id) };
    const lists = [ownRows, ...otherPartitions].map((rows) => fullTasksOf(memberId, rows));
    return {
      memberId,
      now,
      entries: money.ledger.allEntriesOf(memberId, now),
      tasks: merge(lists, (one, other) => one.id > other.id),
      partitions: [store, ...otherPartitions],
    };
  }

  /** For requests that may have cost something, the member decides. The others are dropped, because repeating them costs nothing. */
  async #settleSubmitting(task: Task, now: number): Promise<void> {
    if (task.traits.isPaid) await this.book.change(task.id, (known) => markUnconfirmed(known, undefined, now));
    else await this.book.remove(task.id);
  }

  #kind(name: TaskKind): Kind {
    const kind = this.#context.kinds.get(name);
    if (!kind) throw new Error(`There is no kind ${name}.`);
    return kind;
  }

  #follow(task: Task, at: number, history: PollHistory): void {
    const kind = this.#kind(task.kind);
    if (!kind.source) {
      kind.follow?.(task);
      return;
    }
    const lane = this.#tracker.laneOf(kind.source);
    this.scheduler.add({ id: task.id, lane, group: groupOf(task), nextPollAt: at, history });
  }
}

/** Determines when polling begins after a start. The times are spread over a while, but tasks that are polled by list stay together. */
function spreadStarts(now: number, random: () => number): (source: Source | undefined) => number {
  const startTimes = new Map<Source, number>();
  return (source) => {
    const at = (source && startTimes.get(source)) ?? now + random() * START_SPREAD_MS;
    if (source?.batch) startTimes.set(source, at);
    return at;
  };
}
