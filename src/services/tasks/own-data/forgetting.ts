import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { TaskBook, TasksLog } from '../book.ts';
import { hasEnded, isLive, type Task } from '../task.ts';
import type { ForgettingMark, TaskStore } from '../task-store.ts';
import { messageGone, unwanted } from '../transitions.ts';
import { tasksOf } from './tasks-of.ts';

/** What became of a task's message: taken away, none to take away, or still there because the bot cannot. */
export type Removal = 'gone' | 'none' | 'stays';

export interface ForgettingParts {
  book: TaskBook;
  store: TaskStore;
  ledger: Ledger | undefined;
  clock: Clock;
  log: TasksLog;
  removeMessage(task: Task): Promise<Removal>;
}

/** It waits for words that never came: the gateway has not begun, and never will. */
function isUntouched({ state, times }: Task): boolean {
  return state === 'needs-input' && times.wordsSent === undefined && times.wordsTaken === undefined;
}

/** How far a member has been forgotten. */
export interface Forgotten {
  /** Tasks that are gone. */
  tasks: number;
  messages: number;
  /** Their messages could not be deleted. */
  left: Task[];
  /** They are followed to their end, shown nowhere, and go then. */
  running: number;
}

/**
 * Removes everything about a member that was there when they asked. The wish is stored first and taken back last, and every step can be taken
 * twice: whatever a crash interrupts is done again at the next start.
 *
 * A task goes before its entry in the ledger loses its member: the other way round a start in between would find the task without an entry, and
 * book it once more.
 */
export class Forgetting {
  readonly #parts: ForgettingParts;
  readonly #marks = new Map<string, ForgettingMark>();
  #work: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(parts: ForgettingParts) {
    this.#parts = parts;
    parts.book.onChange((task) => this.#follow(task));
  }

  /** Goes on with what the bot had begun when it last ran. */
  async open(): Promise<void> {
    for (const mark of await this.#parts.store.forgettings()) this.#marks.set(mark.memberId, mark);
  }

  start(): void {
    for (const mark of this.#marks.values()) void this.#alone(() => this.#goOn(mark));
  }

  async begin(memberId: string): Promise<Forgotten> {
    const { store, clock } = this.#parts;
    const known = this.#marks.get(memberId);
    const mark = { memberId, until: clock.now(), secret: known?.secret ?? randomBytes(16).toString('hex') };
    await store.putForgetting(mark);
    this.#marks.set(memberId, mark);
    return this.#alone(() => this.#forget(mark));
  }

  /** Waits for what is under way. */
  async finish(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #forget(mark: ForgettingMark): Promise<Forgotten> {
    const forgotten: Forgotten = { tasks: 0, messages: 0, left: [], running: 0 };
    for await (const { id } of tasksOf(mark.memberId, this.#parts.store)) {
      const task = await this.#parts.book.get(id);
      if (!task || task.times.created > mark.until) continue;
      const removal = await this.#parts.removeMessage(task);
      if (removal === 'gone') forgotten.messages += 1;
      if (removal === 'stays') forgotten.left.push(task);
      if (await this.#remove(task)) forgotten.tasks += 1;
      else forgotten.running += 1;
    }
    await this.#parts.ledger?.forget(mark, async (id) => (await this.#parts.book.get(id)) !== undefined);
    if (forgotten.running === 0) await this.#done(mark);
    return forgotten;
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

  #follow(task: Task): void {
    const mark = this.#marks.get(task.requesterId);
    if (!mark || task.times.created > mark.until) return;
    if (!isLive(task) || (hasEnded(task) && task.unwanted)) void this.#alone(() => this.#goOn(mark));
  }

  async #goOn(mark: ForgettingMark): Promise<void> {
    // What came before in line may have finished it.
    if (this.#isStopped || this.#marks.get(mark.memberId) !== mark) return;
    try {
      await this.#forget(mark);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'A member could not be forgotten whole; the next start goes on with it.');
    }
  }

  async #done({ memberId }: ForgettingMark): Promise<void> {
    await this.#parts.store.removeForgetting(memberId);
    this.#marks.delete(memberId);
  }

  /** One after the other, and never two for the same rows. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }
}
