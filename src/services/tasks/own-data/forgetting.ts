import { randomBytes } from 'node:crypto';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { hasEnded, isLive, type Task } from '../task.ts';
import { type Hear, Wish, type WishParts } from './wish.ts';

const AGAIN_MS = 60_000;

interface Case {
  wish: Wish;
  work: Promise<void>;
  isAtWork: boolean;
  isDue: boolean;
}

/** Erases what members had ordered by the time they asked. Requests are stored until they are done, and members do not wait for each other. */
export class Forgetting {
  readonly #parts: WishParts;
  readonly #cases = new Map<string, Case>();
  readonly #lock = new KeyedLock();
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(parts: WishParts) {
    this.#parts = parts;
    parts.book.onChange((task) => this.#follow(task));
  }

  /** Continues what was open when the bot last ran. */
  async open(): Promise<void> {
    for (const mark of await this.#parts.store.forgettings()) this.#enter(mark.memberId, new Wish(mark, this.#parts));
  }

  start(): void {
    for (const memberId of this.#cases.keys()) this.#wake(memberId);
    this.#cancel = this.#parts.clock.after(AGAIN_MS, () => this.start());
  }

  /** Resolves when the request is stored; the outcome is passed to `hear`. */
  begin(memberId: string, hear: Hear): Promise<void> {
    return this.#lock.run(memberId, async () => {
      const secret = randomBytes(16).toString('hex');
      const fresh = { memberId, until: 0, secret, tasks: 0, messages: 0, stays: 0, left: [] };
      const wish = this.#cases.get(memberId)?.wish ?? new Wish(fresh, this.#parts);
      await wish.renew(hear);
      // The one under way may have finished before this was stored.
      if (!this.#cases.has(memberId)) this.#enter(memberId, wish);
      this.#wake(memberId);
    });
  }

  isUnderWay(memberId: string): boolean {
    return this.#cases.has(memberId);
  }

  /** Waits for what is under way, but not for Discord. */
  async finish(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    for (const { wish } of this.#cases.values()) wish.stop();
    await Promise.all([...this.#cases.values()].map(({ work }) => work));
  }

  #enter(memberId: string, wish: Wish): void {
    this.#cases.set(memberId, { wish, work: Promise.resolve(), isAtWork: false, isDue: false });
  }

  #follow(task: Task): void {
    const isWaitedFor = this.#cases.get(task.requesterId)?.wish.isAbout(task);
    if (isWaitedFor && (!isLive(task) || (hasEnded(task) && task.unwanted))) this.#wake(task.requesterId);
  }

  #wake(memberId: string): void {
    const known = this.#cases.get(memberId);
    if (!known || this.#isStopped) return;
    known.isDue = true;
    if (known.isAtWork) return;
    known.isAtWork = true;
    known.work = this.#work(memberId, known);
  }

  async #work(memberId: string, known: Case): Promise<void> {
    try {
      while (known.isDue && !this.#isStopped) {
        known.isDue = false;
        if ((await known.wish.carryOut()) && !known.isDue) this.#cases.delete(memberId);
      }
    } catch (error) {
      this.#parts.log.error({ err: error }, 'An erasure failed; retrying in a minute.');
    } finally {
      known.isAtWork = false;
    }
  }
}
