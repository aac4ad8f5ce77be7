import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { repeat } from '../../../lib/repeat.ts';
import type { WaitingCounts } from '../../money/limits.ts';
import type { TaskKind } from '../../tasks/kind-spec.ts';
import { hasEnded, type Task } from '../../tasks/task.ts';
import { groupOf } from '../../tasks/task-facts.ts';
import { setPosition } from '../../tasks/transitions.ts';
import type { OrdersContext } from '../orders-context.ts';
import { estimateWait, remainingMs, type SlotUser } from './slots.ts';
import { Turns, type WaitingTask } from './turns.ts';

/** Each waiting task takes space in memory and in the store. */
const MAX_WAITING = 10_000;
/** How many waiting tasks are sent at the same time, so references do not fill the memory. */
const MAX_CONCURRENT_SENDS = 4;
/** How often the positions shown to members are updated, and for how many tasks. */
const POSITION_UPDATE_MS = 5_000;
const MAX_SHOWN_POSITIONS = 1_000;
/** Farther from the front, too much changes before the turn comes. */
const MAX_ESTIMATED_POSITION = 100;
/** The first pause of a kind or a task, if the gateway names no time. Each further pause is twice as long, up to the maximum. */
const FIRST_HOLD_MS = 5_000;
const MAX_HOLD_MS = 10 * 60_000;

type NewTask = Pick<Task, 'id' | 'kind' | 'guildId' | 'requesterId' | 'weight'>;

/** The queue that every order of a job joins. A task occupies a slot from the decision to send it until its job has ended. */
export class Line implements SlotUser {
  readonly #context: OrdersContext;
  readonly #send: (id: string) => Promise<void>;
  readonly #turns = new Turns();
  /** Tasks that are being sent and that the book may not know as running yet. */
  readonly #sending = new Map<string, { kind: TaskKind; hasWaited: boolean }>();
  /** Tasks and kinds that get no turn at the moment, with a way to cancel the timer that ends this. */
  readonly #holds = new Map<string, () => void>();
  /** Kinds whose next task is sent alone, because the gateway refused the last one. */
  readonly #trialKinds = new Set<TaskKind>();
  readonly #placeLock = new KeyedLock();
  readonly #leaveSlots: () => void;
  #stopShowingPositions: (() => Promise<void>) | undefined;
  #isRunning = false;

  /** `send`: sends a waiting task. Never throws. */
  constructor(context: OrdersContext, send: (id: string) => Promise<void>) {
    this.#context = context;
    this.#send = send;
    this.#leaveSlots = context.limits.slots.add(this);
    context.book.onChange((task) => {
      if (hasEnded(task)) this.#leave(task.id);
      if (hasEnded(task) || task.state === 'needs-input') this.#context.limits.slots.advance();
    });
    context.book.onRemove(({ id }) => {
      this.#leave(id);
      this.#context.limits.slots.advance();
    });
  }

  /** Whether its job counts towards the number of jobs that the gateway accepts at the same time. */
  isJob(kind: TaskKind): boolean {
    return this.#context.specs[kind].traits.isPaid === true && this.#context.kinds.get(kind)?.source !== undefined;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.#isRunning = true;
    this.#context.limits.slots.advance();
    const showPositions = async (): Promise<number> => {
      await this.#showPositions();
      return POSITION_UPDATE_MS;
    };
    this.#stopShowingPositions = repeat(this.#context.clock, showPositions, POSITION_UPDATE_MS);
  }

  /** Sends no further tasks. Requests that were already sent may still arrive. */
  stop(): void {
    this.#isRunning = false;
    void this.#stopShowingPositions?.();
    for (const cancel of this.#holds.values()) cancel();
    this.#holds.clear();
  }

  /** Frees the queue's slots for the other queues of this process. */
  close(): void {
    this.#leaveSlots();
  }

  /**
   * Returns whether it is the new order's turn at once. Otherwise it counts as waiting, unless the queue is full or `check` refuses it, and gets its
   * turn after `admit`. The numbers that `check` gets include it.
   */
  async enter(order: NewTask, check: (counts: WaitingCounts) => Promise<void>): Promise<boolean> {
    const task = toWaitingTask(order);
    const { id, kind } = task;
    if (this.#isNext(kind)) {
      this.#sending.set(id, { kind, hasWaited: false });
      this.#turns.recordTurn(task);
      return true;
    }
    // One at a time: a task that is refused must not cause the refusal of another one.
    await this.#placeLock.run('', async () => {
      if (this.size >= MAX_WAITING) throw new Refusal('refusals.queueFull');
      this.#holds.set(id, () => undefined);
      this.#turns.add(task);
      try {
        await check(this.countsFor(order));
      } catch (error) {
        this.#leave(id);
        throw error;
      }
    });
    return false;
  }

  /** Call this when a waiting task is stored. Returns its position in the queue; undefined if its turn came at once. */
  admit(id: string): number | undefined {
    this.#endHold(id);
    for (const [other, position] of this.#positions()) if (other === id) return position;
    return undefined;
  }

  /** Call this when an order has been refused, or when the book has its task. */
  release(id: string): void {
    if (!this.#context.book.find(id)) this.#leave(id);
    if (this.#sending.delete(id)) this.#context.limits.slots.advance();
  }

  get size(): number {
    return this.#turns.size;
  }

  countsFor(owner: Parameters<typeof groupOf>[0]): WaitingCounts {
    const group = groupOf(owner);
    return {
      all: () => this.size,
      server: () => this.#turns.count((one) => one.group === group),
      member: () => this.#turns.count((one) => one.group === group && one.memberId === owner.requesterId),
    };
  }

  /** `isNext`: puts the task before the other tasks of its owner, because it has waited already. */
  join(task: Task, { isNext = false } = {}): void {
    this.#turns.add(toWaitingTask(task), { isNext });
    this.#context.limits.slots.advance();
  }

  /** Gives a task or a kind no turn for a while, which delays no others. */
  hold(key: string, returnCount: number, retryAfterMs?: number): void {
    if (!this.#isRunning) return;
    this.#holds.get(key)?.();
    const cancel = this.#context.clock.after(pauseMs(returnCount, retryAfterMs), () => this.#endHold(key));
    this.#holds.set(key, cancel);
  }

  /** Call this when the gateway accepts no jobs of this kind at the moment. */
  holdKind(kind: TaskKind, returnCount: number, retryAfterMs?: number): void {
    this.hold(kind, returnCount, retryAfterMs);
    if (this.#isRunning) this.#trialKinds.add(kind);
  }

  /** Call this when the gateway has accepted a job of this kind. */
  markJobAccepted(kind: TaskKind): void {
    if (this.#trialKinds.delete(kind)) this.#context.limits.slots.advance();
  }

  #isNext(kind: TaskKind): boolean {
    if (this.#holds.has(kind) || this.#trialKinds.has(kind) || !this.#context.limits.slots.hasFreeSlot()) return false;
    return this.#turns.count((task) => !this.#isHeld(task)) === 0;
  }

  #isHeld({ id, kind }: WaitingTask): boolean {
    return this.#holds.has(id) || this.#holds.has(kind);
  }

  #endHold(key: string): void {
    this.#holds.get(key)?.();
    this.#holds.delete(key);
    this.#context.limits.slots.advance();
  }

  #leave(id: string): void {
    this.#holds.get(id)?.();
    this.#holds.delete(id);
    if (this.#turns.size > 0) this.#turns.remove(id);
  }

  sendNext(): boolean {
    if (!this.#isRunning || this.#turns.size === 0) return false;
    const sending = [...this.#sending.values()];
    if (sending.filter(({ hasWaited }) => hasWaited).length >= MAX_CONCURRENT_SENDS) return false;
    const isBeingSent = (kind: TaskKind): boolean => sending.some((one) => one.kind === kind);
    const task = this.#turns.next(
      (one) => !this.#isHeld(one) && !(this.#trialKinds.has(one.kind) && isBeingSent(one.kind)),
    );
    if (!task) return false;
    this.#sending.set(task.id, { kind: task.kind, hasWaited: true });
    void this.#send(task.id).finally(() => {
      this.#sending.delete(task.id);
      this.#context.limits.slots.advance();
    });
    return true;
  }

  occupiedCount(): number {
    const isRunning = (task: Task): boolean =>
      this.isJob(task.kind) && occupiesSlot(task) && !this.#sending.has(task.id);
    return this.#context.book.live(isRunning).length + this.#sending.size;
  }

  /** How long a waiting task probably waits for its turn; undefined if it is not known of each task before it how long it takes. */
  waitMs({ id, place }: Task, typicalMs: (task: Task) => number | undefined): number | undefined {
    const { book, clock, limits } = this.#context;
    const slots = limits.slots.ownLimit();
    if (slots === undefined || place === undefined || place > MAX_ESTIMATED_POSITION) return undefined;
    const order = [...this.#turns.tasksInOrder((one) => !this.#isHeld(one))].map((one) => one.id);
    const index = order.indexOf(id);
    const left = book
      .live((one) => this.isJob(one.kind) && occupiesSlot(one))
      .map((one) => remainingMs(typicalMs(one), clock.now() - (one.times.accepted ?? one.times.created)));
    const ahead = order.slice(0, index).map((one) => {
      const task = book.find(one);
      return task && typicalMs(task);
    });
    const isKnown = (ms: number | undefined): ms is number => ms !== undefined;
    if (index < 0 || !left.every(isKnown) || !ahead.every(isKnown)) return undefined;
    return estimateWait(slots, left, ahead);
  }

  async #showPositions(): Promise<void> {
    const { book, log } = this.#context;
    for (const [id, position] of this.#positions()) {
      if (position > MAX_SHOWN_POSITIONS || !this.#isRunning) return;
      const waitingTask = book.find(id);
      if (!waitingTask || waitingTask.place === position) continue;
      await book
        .change(id, (task) => setPosition(task, position))
        .catch((error: unknown) => log.debug({ task: id, err: error }, 'A position in the queue could not be shown.'));
    }
  }

  /** Tasks that are held on their own have no position. */
  *#positions(): Iterable<[id: string, position: number]> {
    let position = 0;
    for (const { id } of this.#turns.tasksInOrder((task) => !this.#holds.has(task.id))) {
      position += 1;
      yield [id, position];
    }
  }
}

const pauseMs = (returnCount: number, retryAfterMs = 0): number =>
  Math.min(MAX_HOLD_MS, Math.max(retryAfterMs, FIRST_HOLD_MS * 2 ** Math.max(0, returnCount - 1)));

/** Whether the gateway is working on the task, or may be. A job that waits for a member's prompt occupies no slot. */
const occupiesSlot = (task: Task): boolean =>
  !hasEnded(task) && task.state !== 'waiting' && task.state !== 'needs-input';

const toWaitingTask = ({ id, kind, guildId, requesterId, weight = 1 }: NewTask): WaitingTask => ({
  id,
  kind,
  group: groupOf({ guildId, requesterId }),
  memberId: requesterId,
  weight,
});
