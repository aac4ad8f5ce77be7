import { keysOf } from '../../../lib/entries.ts';
import { Refusal } from '../../../lib/refusal.ts';
import type { TaskKind } from '../../tasks/kind-spec.ts';
import { hasEnded, type Task } from '../../tasks/task.ts';
import type { TaskBook } from '../book.ts';
import type { Slots } from './slots.ts';

export interface LiveLimit {
  all: Slots;
  perMember: number;
}

/** How many answers and live conversations can run at the same time. Each of them uses a connection while it runs. */
export type LiveLimits = Readonly<Partial<Record<'ask' | 'talk', LiveLimit>>>;

type LiveOrder = Pick<Task, 'kind' | 'requesterId'>;

/** Applies the limits, also to orders whose task is not stored yet. */
export function createLiveOrders(book: TaskBook, limits: LiveLimits) {
  const startingOrders = new Map<string, LiveOrder>();

  function runningOrders(kind: TaskKind): LiveOrder[] {
    // An answer that waits for the member to approve a call does not count.
    const isRunning = (task: Task): boolean => task.kind === kind && !hasEnded(task) && task.state !== 'needs-input';
    const liveTasks = book.live(isRunning);
    const ordersById = new Map([...startingOrders, ...liveTasks.map((task) => [task.id, task] as const)]);
    return [...ordersById.values()].filter((one) => one.kind === kind);
  }

  function assertHasRoom({ kind, requesterId }: LiveOrder): void {
    const liveKind = keysOf(limits).find((one) => one === kind);
    const limit = liveKind && limits[liveKind];
    if (!limit) return;
    const ownOrders = runningOrders(kind).filter((one) => one.requesterId === requesterId);
    if (ownOrders.length >= limit.perMember)
      throw new Refusal(`refusals.tooMany.${liveKind}`, { count: limit.perMember });
    if (!limit.all.hasFreeSlot()) throw new Refusal('refusals.busy');
  }

  const leaveSlots = keysOf(limits).flatMap(
    (kind) => limits[kind]?.all.add({ occupiedCount: () => runningOrders(kind).length }) ?? [],
  );
  return {
    /** Stops counting the tasks that are running here. */
    close(): void {
      for (const leave of leaveSlots) leave();
    },

    /** Throws if too many are running. Otherwise the request counts until `work` has ended, and from then on its task counts. */
    async run<T>(id: string, order: LiveOrder, work: () => Promise<T>): Promise<T> {
      assertHasRoom(order);
      startingOrders.set(id, order);
      try {
        return await work();
      } finally {
        startingOrders.delete(id);
      }
    },
  };
}
