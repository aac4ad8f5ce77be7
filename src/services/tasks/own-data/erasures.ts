import { randomBytes } from 'node:crypto';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { hasEnded, isLive, type Task } from '../task.ts';
import type { ErasureMessage } from './erasure-messages.ts';
import { type ErasureParts, MemberErasure, type NotifyPage } from './member-erasure.ts';

const RETRY_INTERVAL_MS = 60_000;

interface OpenErasure {
  erasure: MemberErasure;
  work: Promise<void>;
  isWorking: boolean;
  isDue: boolean;
}

/**
 * Erases everything that members requested before they asked for the erasure. Erasures are stored until they are done, and do not wait
 * for each other.
 */
export class Erasures {
  readonly #parts: ErasureParts;
  readonly #open = new Map<string, OpenErasure>();
  readonly #lock = new KeyedLock();
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(parts: ErasureParts) {
    this.#parts = parts;
    parts.book.onChange((task) => this.#follow(task));
  }

  /** Continues the erasures that were open when the bot last ran. */
  async open(): Promise<void> {
    for (const mark of await this.#parts.store.openErasures())
      this.#enter(mark.memberId, new MemberErasure(mark, this.#parts));
  }

  start(): void {
    for (const memberId of this.#open.keys()) this.#wake(memberId);
    this.#cancel = this.#parts.clock.after(RETRY_INTERVAL_MS, () => this.start());
  }

  /** Resolves when the erasure is stored. The outcome is passed to `notify`. */
  begin(memberId: string, notify: NotifyPage): Promise<void> {
    return this.#extend(memberId, (erasure) => erasure.extend(notify));
  }

  /**
   * Processes a message from another partition, which requests an erasure or reports the progress of one. A message that arrives again
   * changes nothing.
   */
  async receive(message: ErasureMessage): Promise<void> {
    const { memberId } = message;
    if (message.do === 'erase') await this.#extend(memberId, (erasure) => erasure.join(message));
    else {
      await this.#open.get(memberId)?.erasure.recordReport(message);
      this.#wake(memberId);
    }
  }

  #extend(memberId: string, change: (erasure: MemberErasure) => Promise<void>): Promise<void> {
    return this.#lock.run(memberId, async () => {
      const secret = randomBytes(16).toString('hex');
      const newMark = { memberId, until: 0, secret, tasks: 0, messages: 0, stays: 0, left: [] };
      const erasure = this.#open.get(memberId)?.erasure ?? new MemberErasure(newMark, this.#parts);
      await change(erasure);
      // The running erasure may have finished before this was stored.
      if (!this.#open.has(memberId)) this.#enter(memberId, erasure);
      this.#wake(memberId);
    });
  }

  async isUnderWayElsewhere(memberId: string): Promise<boolean> {
    const others = (await this.#parts.others?.all()) ?? [];
    return (await Promise.all(others.map((rows) => rows.isErasing(memberId)))).includes(true);
  }

  isUnderWay(memberId: string): boolean {
    return this.#open.has(memberId);
  }

  /** Waits for running erasures, but not for Discord. */
  async finish(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    for (const { erasure } of this.#open.values()) erasure.stop();
    await Promise.all([...this.#open.values()].map(({ work }) => work));
  }

  #enter(memberId: string, erasure: MemberErasure): void {
    this.#open.set(memberId, { erasure, work: Promise.resolve(), isWorking: false, isDue: false });
  }

  #follow(task: Task): void {
    const isWaitedFor = this.#open.get(task.requesterId)?.erasure.covers(task);
    if (isWaitedFor && (!isLive(task) || (hasEnded(task) && task.unwanted))) this.#wake(task.requesterId);
  }

  #wake(memberId: string): void {
    const known = this.#open.get(memberId);
    if (!known || this.#isStopped) return;
    known.isDue = true;
    if (known.isWorking) return;
    known.isWorking = true;
    known.work = this.#work(memberId, known);
  }

  async #work(memberId: string, known: OpenErasure): Promise<void> {
    try {
      while (known.isDue && !this.#isStopped) {
        known.isDue = false;
        if ((await known.erasure.carryOut()) && !known.isDue) this.#open.delete(memberId);
      }
    } catch (error) {
      this.#parts.log.error({ err: error }, 'An erasure failed; retrying in a minute.');
    } finally {
      known.isWorking = false;
    }
  }
}
