import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { Removal } from '../safety/server-log.ts';
import { clearMessage } from '../tasks/delivery-state.ts';
import { hasEnded, isHeld, isLive, type MessageAddress, type Task } from '../tasks/task.ts';
import { markForErasure, markWithdrawn } from '../tasks/transitions.ts';
import { tasksOf } from './lists.ts';
import type { OrdersContext } from './orders-context.ts';
import type { ErasureMessage, ErasureReport } from './other-partitions.ts';
import { createPartErasures, MAX_UNDELETABLE, totalOutcome, withReport } from './part-erasures.ts';
import type { ErasureMark, ErasureOutcome } from './task-store.ts';

const COUNTS_PER_WRITE = 50;
/** After this time, the bot stops trying to delete a message. */
const GIVE_UP_AFTER_MS = 24 * 3_600_000;
/** After this many failures in a row, the other tasks would probably fail, too. */
const MAX_FAILURES_IN_A_ROW = 3;

/**
 * One member's erasure. Every step can be repeated after a crash. For each task, its messages are deleted first, because the task is needed to
 * find them. Then the task is deleted, and finally the member is removed from its ledger entry. In any other sequence, a restart halfway would
 * find the task without a ledger entry and add it again.
 */
export class MemberErasure {
  readonly #context: OrdersContext;
  /** The stored mark, except that the counts may be higher. */
  #mark: ErasureMark;
  #notifyPage: NotifyPage | undefined;
  readonly #partErasures;
  readonly #lock = new KeyedLock();
  #isStopped = false;
  #isLedgerDue = true;
  #restErasedUntil: number | undefined;
  readonly #postponedIds = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(mark: ErasureMark, context: OrdersContext) {
    this.#mark = mark;
    this.#context = context;
    this.#partErasures = createPartErasures(context.others, context.clock);
  }

  covers({ times }: Task): boolean {
    return times.created <= this.#mark.until;
  }

  /** Extends the erasure to everything until now. From now on, this page is notified of the outcome. */
  async extend(notifyPage: NotifyPage): Promise<void> {
    const until = this.#context.clock.now();
    await this.#store((mark) =>
      this.#partErasures.begin({ ...mark, until: Math.max(until, mark.until), told: undefined }),
    );
    this.#notifyPage = notifyPage;
  }

  /** Called if another partition requests the erasure. That partition is notified of the outcome instead of the member. */
  join({ from, until }: ErasureMessage): Promise<void> {
    return this.#store((mark) => this.#partErasures.join({ ...mark, until: Math.max(until, mark.until) }, from));
  }

  recordReport(report: ErasureReport): Promise<void> {
    return this.#store((mark) => withReport(mark, report));
  }

  /** Abandons requests to Discord. The next start repeats them. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Processes everything once. Returns true if nothing is left to do. */
  async carryOut(): Promise<boolean> {
    const { until } = this.#mark;
    await this.#unlessStopped(this.#partErasures.requestErasures(this.#mark));
    const { removed, running, ...tasks } = await this.#removeTasks();
    if (this.#isStopped) return false;
    const later = tasks.later + ((await this.#removeQuestions()) ? 0 : 1);
    if (this.#isStopped) return false;
    const { book, store, money } = this.#context;
    // A pass over the whole ledger is only worth it after a change, or when nothing else is left.
    this.#isLedgerDue ||= removed > 0 || running + later === 0;
    const hasTask = async (id: string) => (await book.get(id)) !== undefined;
    const remainingEntries = this.#isLedgerDue ? await money.ledger.anonymise(this.#mark, hasTask) : 0;
    this.#isLedgerDue = false;
    if (later === 0) await this.#notify(running);
    if (this.#isStopped || running + later + remainingEntries > 0) return false;
    if (!(await this.#eraseRest(until))) return false;
    await this.#unlessStopped(this.#partErasures.reportDone({ ...this.#mark, until }));
    if (this.#isStopped) return false;
    return this.#lock.run('mark', async () => {
      const { memberId, asked = [] } = this.#mark;
      if (this.#mark.until !== until || asked.some(({ state }) => state !== 'done')) return false;
      await store.erasures.remove({ memberId });
      return true;
    });
  }

  /** Erases what is stored about the member apart from tasks. Returns false if it has to be tried again later. */
  #eraseRest(until: number): Promise<boolean> {
    const { store, money, safety, preferences, presets, drafts, pseudonyms } = this.#context;
    const { memberId } = this.#mark;
    return this.#lock.run('mark', async () => {
      // The member may have asked again in the meantime.
      if (this.#mark.until !== until || this.#isNotificationDue()) return false;
      // While other partitions are not done, what was stored since then is kept.
      if (this.#restErasedUntil === until) return true;
      if (!(await safety.serverLogs.erase(memberId))) return false;
      await safety.reports.erase(memberId);
      await money.budgets.eraseId(memberId);
      await safety.rules.eraseId(memberId);
      await preferences.eraseId(memberId);
      await presets.eraseId(memberId);
      await drafts.erase(memberId);
      await pseudonyms.erase(memberId);
      await store.removeStaleSummaries(memberId);
      this.#restErasedUntil = until;
      return true;
    });
  }

  async #removeTasks(): Promise<{ removed: number; running: number; later: number }> {
    const { book, store } = this.#context;
    const counts = { removed: 0, running: 0, later: 0 };
    let failuresInARow = 0;
    for await (const { id } of tasksOf(this.#mark.memberId, store)) {
      const task = await book.get(id);
      if (!task || !this.covers(task)) continue;
      const isClear = await this.#removeMessages(task);
      if (this.#isStopped) return counts;
      if (!isClear) {
        counts.later += 1;
        // Known failures must not keep the other tasks from being tried each time.
        if (!this.#postponedIds.has(id)) failuresInARow += 1;
        this.#postponedIds.add(id);
        if (failuresInARow >= MAX_FAILURES_IN_A_ROW) return counts;
        continue;
      }
      failuresInARow = 0;
      if (await this.#remove(task)) {
        counts.removed += 1;
        await this.#count('tasks');
      } else counts.running += 1;
    }
    return counts;
  }

  /**
   * Returns false if some messages may still be deleted later. Undeletable messages are stored before the task is deleted, because only
   * the task refers to them.
   */
  async #removeMessages(task: Task): Promise<boolean> {
    // The messages were deleted when the task became unwanted.
    if (task.unwanted && !hasEnded(task)) return true;
    const removal = await this.#unlessStopped(this.#context.discord.removeMessages(task));
    if (!removal) return false;
    await this.#count('messages', removal.removed);
    if (removal.needsRetry && !this.#isGivenUp) return false;
    const ownAddress = removal.needsRetry ? messageAddress(task) : undefined;
    for (const address of [...(ownAddress ? [ownAddress] : []), ...removal.left])
      await this.#recordUndeletable(address);
    return true;
  }

  /** Returns false if some messages that ask for a confirmation may still be deleted later. */
  async #removeQuestions(): Promise<boolean> {
    const { proposals } = this.#context;
    const { memberId, until } = this.#mark;
    const work = proposals.erase(memberId, until, (message, removal) => this.#recordRemoval(message, removal));
    return (await this.#unlessStopped(work)) === true;
  }

  async #recordRemoval(message: MessageAddress, removal: Removal): Promise<boolean> {
    if (this.#isStopped || (removal === 'later' && !this.#isGivenUp)) return false;
    if (removal === 'gone') await this.#count('messages');
    else if (removal !== 'none') await this.#recordUndeletable(message);
    return true;
  }

  get #isGivenUp(): boolean {
    return this.#context.clock.now() >= this.#mark.until + GIVE_UP_AFTER_MS;
  }

  async #recordUndeletable(address: MessageAddress): Promise<void> {
    const { left } = this.#mark;
    if (left.some(({ id }) => id === address.id)) return;
    if (left.length >= MAX_UNDELETABLE) return this.#count('stays');
    await this.#store((mark) => ({ ...mark, stays: mark.stays + 1, left: [...mark.left, address] }));
  }

  async #count(field: 'tasks' | 'messages' | 'stays', increment = 1): Promise<void> {
    const previous = this.#mark[field];
    this.#mark = { ...this.#mark, [field]: previous + increment };
    if (Math.floor(previous / COUNTS_PER_WRITE) < Math.floor((previous + increment) / COUNTS_PER_WRITE))
      await this.#store((mark) => mark);
  }

  /** Returns whether the task is deleted. A task that is running or being delivered is deleted afterwards. */
  async #remove(storedTask: Task): Promise<boolean> {
    const { book, money, clock } = this.#context;
    // A queued task must not start while it is being removed.
    const task =
      storedTask.state === 'waiting'
        ? await book.change(storedTask.id, (known) => withdraw(known, clock.now()))
        : storedTask;
    if (hasNotStarted(task)) await money.ledger.refund(task);
    else if (!isErasable(task)) {
      if (!hasEnded(task)) await book.change(task.id, (current) => markForErasure(clearMessage(current)));
      return false;
    }
    await money.ledger.writeEnd(task);
    await book.remove(task.id);
    return true;
  }

  #isNotificationDue(): boolean {
    const { told, asked, askedBy = [] } = this.#mark;
    // If only another partition requested the erasure, the member is notified there.
    if (this.#context.others && !asked && askedBy.length > 0) return false;
    return told === undefined || totalOutcome(this.#mark, 0).stays > told;
  }

  /** Notifies the partitions that requested the erasure, and the open page, or otherwise the member by direct message. */
  async #notify(running: number): Promise<void> {
    await this.#unlessStopped(this.#partErasures.report(this.#mark, running));
    const { memberId, until, asked = [] } = this.#mark;
    if (!this.#isNotificationDue() || asked.some(({ state }) => state === 'asked')) return;
    const outcome = totalOutcome(this.#mark, running);
    const notifyPage = this.#notifyPage;
    const notify = async (): Promise<boolean> =>
      (await notifyPage?.(outcome)) || this.#context.discord.notifyErased(memberId, outcome);
    if (!(await this.#unlessStopped(notify()))) return;
    // A member who asked again is notified again.
    await this.#store((mark) => (mark.until === until ? { ...mark, told: outcome.stays } : mark));
  }

  #unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
    const stopped = Promise.withResolvers<undefined>();
    this.#cancel = () => stopped.resolve(undefined);
    if (this.#isStopped) this.#cancel();
    return Promise.race([work, stopped.promise]);
  }

  /** Keeps the counts that have increased in the meantime. */
  #store(transition: (mark: ErasureMark) => ErasureMark): Promise<void> {
    return this.#lock.run('mark', async () => {
      const updated = transition(this.#mark);
      await this.#context.store.erasures.put(updated);
      const { tasks, messages } = this.#mark;
      this.#mark = { ...updated, tasks, messages, stays: Math.max(updated.stays, this.#mark.stays) };
    });
  }
}

const withdraw = (task: Task, now: number): Task =>
  task.state === 'waiting' ? markForErasure(markWithdrawn(task, now)) : task;

/** Whether nothing more happens to a task by itself. Moderators may decide about a held result only days later. */
export function isErasable(task: Task): boolean {
  const isAsked = isHeld(task) && task.review?.messageId !== undefined;
  return !isLive(task) || (hasEnded(task) && (task.unwanted === true || isAsked));
}

/** Whether the task waits for a prompt that was never sent, so that the gateway has not started the job. An answer waits after billed responses. */
const hasNotStarted = ({ state, times, traits }: Task): boolean =>
  state === 'needs-input' && !traits.isText && times.wordsSent === undefined && times.wordsTaken === undefined;

/** Notifies the page where the member asked. Returns false if the page is gone. */
export type NotifyPage = (outcome: ErasureOutcome) => Promise<boolean>;

/** Contains the guild id only if the message is in the channel of the order; otherwise, it may be a direct message. */
export const messageAddress = ({ message, channelId, guildId }: Task): MessageAddress | undefined =>
  message && { ...message, ...(message.channelId === channelId && guildId !== undefined && { guildId }) };
