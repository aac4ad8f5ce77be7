import { setImmediate } from 'node:timers/promises';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { messageGone } from '../delivery-state.ts';
import type { OrdersParts } from '../orders.ts';
import { hasEnded, isLive, type MessageAddress, type Task } from '../task.ts';
import type { TaskLine } from '../task-line.ts';
import type { ForgettingMark, TaskStore } from '../task-store.ts';
import { unwanted } from '../transitions.ts';

export interface WishParts extends Pick<OrdersParts, 'book' | 'ledger' | 'clock' | 'log'> {
  store: TaskStore;
  removeMessages(task: Task): Promise<Removal>;
  /** Says so to a member who is not there any more; false: it may be tried again. */
  tellForgotten(memberId: string, forgotten: Forgotten): Promise<boolean>;
}

/** How far it has come is stored so often. */
const STORED_EVERY = 50;
/** More addresses than that nobody goes through. */
const MOST_LEFT = 100;
/** A message that could not be deleted for so long is given up. */
const TRIED_FOR_MS = 24 * 3_600_000;
/** Where so many in a row have to wait, the others would too. */
const MOST_HINDERED = 3;

/**
 * One member's wish to be forgotten. Every step can be taken twice: whatever a crash interrupts is done again. For each task its message goes
 * first, so that a crash loses no way to it; then the task; and its entry in the ledger loses its member last. The other way round a start in
 * between would find the task without an entry, and book it once more.
 */
export class Wish {
  readonly #parts: WishParts;
  /** What is stored of it; how far it has come is ahead of that. */
  #mark: ForgettingMark;
  #hear: Hear | undefined;
  readonly #lock = new KeyedLock();
  #isStopped = false;
  #isLedgerDue = true;
  readonly #hindered = new Set<string>();
  #abandon: (() => void) | undefined;

  constructor(mark: ForgettingMark, parts: WishParts) {
    this.#mark = mark;
    this.#parts = parts;
  }

  isAbout({ times }: Task): boolean {
    return times.created <= this.#mark.until;
  }

  /** Everything until now, and whoever asks now is told of it. */
  async renew(hear: Hear): Promise<void> {
    await this.#store((mark) => ({ ...mark, until: this.#parts.clock.now(), told: undefined }));
    this.#hear = hear;
  }

  /** What waits for Discord is let go; whatever that comes to, it is done again. */
  stop(): void {
    this.#isStopped = true;
    this.#abandon?.();
  }

  /** Goes through everything once; true where nothing is left to do. */
  async carryOut(): Promise<boolean> {
    const { until } = this.#mark;
    const { removed, running, later } = await this.#removeTasks();
    if (this.#isStopped) return false;
    const { store } = this.#parts;
    // To go through the whole ledger is only worth it where something has changed, or nothing else is left.
    this.#isLedgerDue ||= removed > 0 || running + later === 0;
    const named = this.#isLedgerDue ? await this.#unname() : 0;
    if (later === 0) await this.#tell(running);
    if (this.#isStopped || running + later + named > 0) return false;
    return this.#lock.run('mark', async () => {
      // Asked for once more meanwhile.
      if (this.#mark.until !== until || this.#hasMoreToTell()) return false;
      await store.clearLines(this.#mark.memberId);
      await store.removeForgetting(this.#mark.memberId);
      return true;
    });
  }

  async #unname(): Promise<number> {
    const { book, ledger } = this.#parts;
    const named = (await ledger?.forget(this.#mark, async (id) => (await book.get(id)) !== undefined)) ?? 0;
    this.#isLedgerDue = false;
    return named;
  }

  async #removeTasks(): Promise<{ removed: number; running: number; later: number }> {
    const { book, store } = this.#parts;
    const came = { removed: 0, running: 0, later: 0 };
    let hindered = 0;
    for await (const { id } of tasksOf(this.#mark.memberId, store)) {
      const task = await book.get(id);
      if (!task || !this.isAbout(task)) continue;
      const isClear = await this.#removeMessages(task);
      if (this.#isStopped) return came;
      if (!isClear) {
        came.later += 1;
        // The same ones do not stand in the way of all others each time.
        if (!this.#hindered.has(id)) hindered += 1;
        this.#hindered.add(id);
        if (hindered >= MOST_HINDERED) return came;
        continue;
      }
      hindered = 0;
      if (await this.#remove(task)) {
        came.removed += 1;
        await this.#count('tasks');
      } else came.running += 1;
    }
    return came;
  }

  /** False: some of its messages may still be deleted later. What is left is stored before the task goes, for then nobody knows of it. */
  async #removeMessages(task: Task): Promise<boolean> {
    // They were taken away when it became unwanted.
    if (task.unwanted && !hasEnded(task)) return true;
    const removal = await this.#unlessStopped(this.#parts.removeMessages(task));
    if (!removal) return false;
    await this.#count('messages', removal.removed);
    const isGivenUp = this.#parts.clock.now() >= this.#mark.until + TRIED_FOR_MS;
    if (removal.isLater && !isGivenUp) return false;
    const own = removal.isLater ? addressOf(task) : undefined;
    for (const address of [...(own ? [own] : []), ...removal.left]) await this.#leave(address);
    return true;
  }

  async #leave(address: MessageAddress): Promise<void> {
    const { left } = this.#mark;
    if (left.some(({ id }) => id === address.id)) return;
    if (left.length >= MOST_LEFT) return this.#count('stays');
    await this.#store((mark) => ({ ...mark, stays: mark.stays + 1, left: [...mark.left, address] }));
  }

  async #count(what: 'tasks' | 'messages' | 'stays', more = 1): Promise<void> {
    const before = this.#mark[what];
    this.#mark = { ...this.#mark, [what]: before + more };
    if (Math.floor(before / STORED_EVERY) < Math.floor((before + more) / STORED_EVERY))
      await this.#store((mark) => mark);
  }

  /** Whether it is gone: what is under way at the gateway, or on its way to its message, goes when that is over. */
  async #remove(task: Task): Promise<boolean> {
    const { book, ledger } = this.#parts;
    if (isUntouched(task)) await ledger?.refund(task);
    else if (isLive(task) && !(hasEnded(task) && task.unwanted)) {
      if (!hasEnded(task)) await book.change(task.id, (before) => unwanted(messageGone(before)));
      return false;
    }
    await ledger?.close(task);
    await book.forget(task.id);
    return true;
  }

  #hasMoreToTell(): boolean {
    const { told, stays } = this.#mark;
    return told === undefined || stays > told;
  }

  /** To whoever asked while they are there, else to the member wherever they are. */
  async #tell(running: number): Promise<void> {
    if (!this.#hasMoreToTell()) return;
    const { memberId, until, tasks, messages, stays, left } = this.#mark;
    const forgotten = { tasks, messages, stays, left, running };
    const hear = this.#hear;
    const heard = async (): Promise<boolean> =>
      (await hear?.(forgotten)) || this.#parts.tellForgotten(memberId, forgotten);
    if (!(await this.#unlessStopped(heard()))) return;
    // Whoever asked once more meanwhile is told once more.
    await this.#store((mark) => (mark.until === until ? { ...mark, told: stays } : mark));
  }

  #unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
    const stopped = Promise.withResolvers<undefined>();
    this.#abandon = () => stopped.resolve(undefined);
    if (this.#isStopped) this.#abandon();
    return Promise.race([work, stopped.promise]);
  }

  /** What has been counted meanwhile is not lost. */
  #store(transition: (mark: ForgettingMark) => ForgettingMark): Promise<void> {
    return this.#lock.run('mark', async () => {
      const next = transition(this.#mark);
      await this.#parts.store.putForgetting(next);
      const { tasks, messages } = this.#mark;
      this.#mark = { ...next, tasks, messages, stays: Math.max(next.stays, this.#mark.stays) };
    });
  }
}

/** It waits for words that never came: the gateway has not begun, and never will. */
function isUntouched({ state, times }: Task): boolean {
  return state === 'needs-input' && times.wordsSent === undefined && times.wordsTaken === undefined;
}

/** What became of a task's messages. */
export interface Removal {
  /** How many were taken away. */
  removed: number;
  /** Those that the bot cannot take away. */
  left: readonly MessageAddress[];
  /** Some could not be taken away just now. */
  isLater: boolean;
}

/** How far a member has been forgotten. */
export interface Forgotten {
  /** Tasks that are gone. */
  tasks: number;
  messages: number;
  /** How many messages could not be deleted, and where the first of them are. */
  stays: number;
  left: readonly MessageAddress[];
  /** They are followed to their end, shown nowhere, and go then. */
  running: number;
}

/** Says so to whoever asked for it; false: nobody heard it. */
export type Hear = (forgotten: Forgotten) => Promise<boolean>;

/** Where a task's own message stands. It may have ended as a direct message, wherever it was asked for. */
export function addressOf({ message, channelId, guildId }: Task): MessageAddress | undefined {
  return message && { ...message, ...(message.channelId === channelId && guildId !== undefined && { guildId }) };
}

const PAGE = 100;

/** All tasks of a member, newest first; they may go while they are gone through. */
export async function* tasksOf(memberId: string, store: Pick<TaskStore, 'page'>): AsyncGenerator<TaskLine> {
  for (let before: string | undefined; ; ) {
    const { lines, next } = await store.page({ of: { memberId }, most: PAGE, before });
    yield* lines;
    if (next === undefined) return;
    before = next;
    // SQLite answers at once, so a long row of pages would keep everything else in the process waiting.
    await setImmediate();
  }
}
