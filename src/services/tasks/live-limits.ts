import { Refusal } from '../../lib/refusal.ts';
import type { TaskBook } from './book.ts';
import { hasEnded, type Task, type TaskKind } from './task.ts';

interface LiveLimit {
  all: number;
  perMember: number;
}

/** How many answers and talks may go on at once: each holds a connection for as long as it goes on. */
export type LiveLimits = Readonly<Partial<Record<TaskKind, LiveLimit>>>;

type Started = Pick<Task, 'kind' | 'requesterId'>;

/** Applies the limits also to orders that have no stored task yet. */
export class LiveOrders {
  readonly #book: Pick<TaskBook, 'live'>;
  readonly #limits: LiveLimits;
  readonly #starting = new Map<string, Started>();

  constructor(book: Pick<TaskBook, 'live'>, limits: LiveLimits) {
    this.#book = book;
    this.#limits = limits;
  }

  /** Throws where too many are going on already; else the order counts until its work ends, and then its task does. */
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
    // One that waits for its member's permission holds none.
    const isGoingOn = (task: Task): boolean => task.kind === kind && !hasEnded(task) && task.state !== 'needs-input';
    const live = this.#book.live(isGoingOn);
    const all = new Map([...this.#starting, ...live.map((task) => [task.id, task] as const)]);
    const same = [...all.values()].filter((one) => one.kind === kind);
    const own = same.filter((one) => one.requesterId === requesterId);
    if (own.length >= limit.perMember) throw new Refusal(`refusals.tooMany.${kind}`, { count: limit.perMember });
    if (same.length >= limit.all) throw new Refusal('refusals.busy');
  }
}
