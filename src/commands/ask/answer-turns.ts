import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { TaskBook } from '../../services/orders/book.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';

/** How many questions of a member may wait in a channel. */
export const MAX_WAITING_QUESTIONS = 3;

interface Asker {
  memberId: string;
  channelId: string;
}

const keyOf = ({ memberId, channelId }: Asker): string => `${channelId} ${memberId}`;

/** An answer that waits for the member to approve a call is not in progress. */
const isInProgress = (task: Task): boolean => task.kind === 'ask' && !hasEnded(task) && task.state !== 'needs-input';

/** Gives each member one answer at a time in a channel, so that each question continues from the answer to the one before it. */
export class AnswerTurns {
  readonly #book: TaskBook;
  readonly #lock = new KeyedLock();
  readonly #waitingCounts = new Map<string, number>();
  /** Resolve when an answer has ended for which a question waits. */
  readonly #endings = new Map<string, PromiseWithResolvers<void>>();
  #isClosed = false;

  constructor(book: TaskBook) {
    this.#book = book;
    const announce = ({ requesterId: memberId, channelId = '' }: Task): void =>
      this.#announceEnd(keyOf({ memberId, channelId }));
    book.onChange((task) => {
      if (!isInProgress(task)) announce(task);
    });
    book.onRemove(announce);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a new question has to wait. */
  isBusy(asker: Asker): boolean {
    return this.#waitingCounts.has(keyOf(asker)) || this.#isAnswering(asker);
  }

  /** Runs the work when it is its turn, in the order of the calls. Returns false if too many questions wait. */
  async run(asker: Asker, work: () => Promise<void>): Promise<boolean> {
    const key = keyOf(asker);
    const count = this.#waitingCounts.get(key) ?? 0;
    // The first one does not wait.
    if (count > MAX_WAITING_QUESTIONS) return false;
    this.#waitingCounts.set(key, count + 1);
    try {
      await this.#lock.run(key, async () => {
        while (!this.#isClosed && this.#isAnswering(asker)) await this.#nextEnd(key);
        await work();
      });
      return true;
    } finally {
      const rest = (this.#waitingCounts.get(key) ?? 1) - 1;
      if (rest === 0) this.#waitingCounts.delete(key);
      else this.#waitingCounts.set(key, rest);
    }
  }

  /** Lets all questions that wait run at once, which can see that the bot is stopping. */
  close(): void {
    this.#isClosed = true;
    for (const key of [...this.#endings.keys()]) this.#announceEnd(key);
  }

  #isAnswering({ memberId, channelId }: Asker): boolean {
    const isOwn = (task: Task): boolean =>
      isInProgress(task) && task.requesterId === memberId && task.channelId === channelId && !task.route.isPrivate;
    return this.#book.live(isOwn).length > 0;
  }

  #nextEnd(key: string): Promise<void> {
    const ending = this.#endings.get(key) ?? Promise.withResolvers<void>();
    this.#endings.set(key, ending);
    return ending.promise;
  }

  #announceEnd(key: string): void {
    this.#endings.get(key)?.resolve();
    this.#endings.delete(key);
  }
}
