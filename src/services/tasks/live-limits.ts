import { Refusal } from '../../lib/refusal.ts';
import type { TaskBook } from './book.ts';
import { hasEnded, type Task, type TaskKind } from './task.ts';

interface LiveLimit {
  all: number;
  perMember: number;
}

/** How many answers and live conversations can run at the same time. Each of them uses a connection while it runs. */
export type LiveLimits = Readonly<Partial<Record<TaskKind, LiveLimit>>>;

type Started = Pick<Task, 'kind' | 'requesterId'>;

/** Applies the limits, also to orders whose task is not stored yet. */
export class LiveOrders {
  readonly #book: Pick<TaskBook, 'live'>;
  readonly #limits: LiveLimits;
  readonly #starting = new Map<string, Started>();

  constructor(book: Pick<TaskBook, 'live'>, limits: LiveLimits) {
    this.#book = book;
    this.#limits = limits;
  }

  /** Throws if too many are running. Otherwise the request counts until `work` has ended, and from then on its task counts. */
  async run<T>(id: string, order: Started, work: () => Promise<T>): Promise<T> {
    this.#mustHaveRoom(order);
    this.#starting.set(id, order);
    try {
      return await work();
    } finally {
      this.#starting.delete(id);
    }
  }

  #mustHaveRoom({ kind, requesterId }: Started): void {
    const limit = this.#limits[kind];
    if (!limit) return;
    // An answer that waits for the member to approve a call does not count.
    const isRunning = (task: Task): boolean => task.kind === kind && !hasEnded(task) && task.state !== 'needs-input';
    const live = this.#book.live(isRunning);
    const all = new Map([...this.#starting, ...live.map((task) => [task.id, task] as const)]);
    const same = [...all.values()].filter((one) => one.kind === kind);
    const own = same.filter((one) => one.requesterId === requesterId);
    if (own.length >= limit.perMember) throw new Refusal(`refusals.tooMany.${kind}`, { count: limit.perMember });
    if (same.length >= limit.all) throw new Refusal('refusals.busy');
  }
}
