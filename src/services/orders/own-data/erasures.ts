import { randomBytes } from 'node:crypto';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import type { Task } from '../../tasks/task.ts';
import { isErasable, MemberErasure, type NotifyPage } from '../member-erasure.ts';
import type { OrdersContext } from '../orders-context.ts';
import { type ErasureMessage, isErasingIn } from '../other-partitions.ts';

const RETRY_INTERVAL_MS = 60_000;

interface OpenErasure {
  erasure: MemberErasure;
  work?: Promise<void> | undefined;
  isDue: boolean;
}

/**
 * Erases everything that members requested before they asked for the erasure. Erasures are stored until they are done, and do not wait
 * for each other.
 */
export class Erasures {
  readonly #context: OrdersContext;
  readonly #openErasures = new Map<string, OpenErasure>();
  readonly #lock = new KeyedLock();
  #isStopped = false;
  #cancel: (() => void) | undefined;

  constructor(context: OrdersContext) {
    this.#context = context;
    context.book.onChange((task) => this.#onTaskChange(task));
  }

  /** Continues the erasures that were open when the bot last ran. */
  async open(): Promise<void> {
    for (const mark of await this.#context.store.erasures.all())
      this.#track(mark.memberId, new MemberErasure(mark, this.#context));
  }

  start(): void {
    for (const memberId of this.#openErasures.keys()) this.#wake(memberId);
    this.#cancel = this.#context.clock.after(RETRY_INTERVAL_MS, () => this.start());
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
      await this.#openErasures.get(memberId)?.erasure.recordReport(message);
      this.#wake(memberId);
    }
  }

  #extend(memberId: string, change: (erasure: MemberErasure) => Promise<void>): Promise<void> {
    return this.#lock.run(memberId, async () => {
      const secret = randomBytes(16).toString('hex');
      const newMark = { memberId, until: 0, secret, tasks: 0, messages: 0, stays: 0, left: [] };
      const erasure = this.#openErasures.get(memberId)?.erasure ?? new MemberErasure(newMark, this.#context);
      await change(erasure);
      // The running erasure may have finished before this was stored.
      if (!this.#openErasures.has(memberId)) this.#track(memberId, erasure);
      this.#wake(memberId);
    });
  }

  async isUnderWayElsewhere(memberId: string): Promise<boolean> {
    return isErasingIn((await this.#context.others?.all()) ?? [], memberId);
  }

  isUnderWay(memberId: string): boolean {
    return this.#openErasures.has(memberId);
  }

  /** Waits for running erasures, but not for Discord. */
  async finish(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    for (const { erasure } of this.#openErasures.values()) erasure.stop();
    await Promise.all([...this.#openErasures.values()].map(({ work }) => work));
  }

  #track(memberId: string, erasure: MemberErasure): void {
    this.#openErasures.set(memberId, { erasure, isDue: false });
  }

  #onTaskChange(task: Task): void {
    const isWaitedFor = this.#openErasures.get(task.requesterId)?.erasure.covers(task);
    if (isWaitedFor && isErasable(task)) this.#wake(task.requesterId);
  }

  #wake(memberId: string): void {
    const erasureState = this.#openErasures.get(memberId);
    if (!erasureState || this.#isStopped) return;
    erasureState.isDue = true;
    erasureState.work ??= this.#work(memberId, erasureState);
  }

  async #work(memberId: string, erasureState: OpenErasure): Promise<void> {
    try {
      while (erasureState.isDue && !this.#isStopped) {
        erasureState.isDue = false;
        if ((await erasureState.erasure.carryOut()) && !erasureState.isDue) this.#openErasures.delete(memberId);
      }
    } catch (error) {
      this.#context.log.error({ err: error }, 'An erasure failed; retrying in a minute.');
    } finally {
      erasureState.work = undefined;
    }
  }
}
