import type { Clock } from '../../../lib/clock.ts';
import { KeyedLock } from '../../../lib/keyed-lock.ts';
import { Refusal } from '../../../lib/refusal.ts';
import type { TaskBook, TasksLog } from '../book.ts';
import type { TaskKind } from '../kind-spec.ts';
import { hasEnded, type Task } from '../task.ts';
import { groupOf } from '../task-facts.ts';
import { setPosition } from '../transitions.ts';
import type { JobSlots } from './job-slots.ts';
import { Turns, type WaitingTask } from './turns.ts';

/** Each waiting task takes space in memory and in the store. */
const MAX_WAITING = 10_000;
/** How many waiting tasks are sent at the same time, so references do not fill the memory. */
const MAX_CONCURRENT_SENDS = 4;
/** How often the positions shown to members are updated, and for how many tasks. */
const POSITION_UPDATE_MS = 5_000;
const MAX_SHOWN_POSITIONS = 1_000;
/** The first pause of a kind or a task, if the gateway names no time. Each further pause is twice as long, up to the maximum. */
const FIRST_HOLD_MS = 5_000;
const MAX_HOLD_MS = 10 * 60_000;

interface LineParts {
  book: TaskBook;
  clock: Clock;
  log: TasksLog;
  slots: JobSlots;
  isJob(kind: TaskKind): boolean;
  /** Sends a waiting task. Never throws. */
  send(id: string): Promise<void>;
}

type NewTask = Pick<Task, 'id' | 'kind' | 'guildId' | 'requesterId'>;

/** How many tasks wait in all, for the same server and of the same member. */
export type WaitingCounts = Readonly<Record<'all' | 'server' | 'member', () => number>>;

/** The queue of waiting tasks. A task occupies a slot from the decision to send it until its job has ended. */
export class Line {
  readonly #parts: LineParts;
  readonly #turns = new Turns();
  /** Requests that are being sent and that the book may not know as running yet. */
  readonly #slotHolders = new Set<string>();
  /** Tasks that will wait, but are not stored yet. */
  readonly #comingTasks = new Map<string, WaitingTask>();
  /** Tasks that join again after a pause of their own, with a way to cancel that. */
  readonly #postponedTasks = new Map<string, { task: WaitingTask; cancel(): void }>();
  readonly #placeLock = new KeyedLock();
  readonly #sending = new Map<string, TaskKind>();
  /** Kinds for which the gateway accepts no jobs at the moment, with a way to end the pause. */
  readonly #pausedKinds = new Map<TaskKind, () => void>();
  /** Kinds whose next task is sent alone, because the gateway refused the last one. */
  readonly #trialKinds = new Set<TaskKind>();
  readonly #leaveSlots: () => void;
  #cancelPositionUpdate: (() => void) | undefined;
  #isRunning = false;

  constructor(parts: LineParts) {
    this.#parts = parts;
    this.#leaveSlots = parts.slots.add({
      occupiedCount: () => this.#occupiedCount(),
      sendNext: () => this.#sendNext(),
    });
    parts.book.onChange((task) => {
      if (hasEnded(task)) this.leave(task.id);
      if (hasEnded(task) || task.state === 'needs-input') this.#parts.slots.advance();
    });
    parts.book.onRemove(({ id }) => {
      this.leave(id);
      this.#parts.slots.advance();
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.#isRunning = true;
    this.#parts.slots.advance();
    this.#schedulePositionUpdate();
  }

  /** Sends no further tasks. Requests that were already sent may still arrive. */
  stop(): void {
    this.#isRunning = false;
    this.#cancelPositionUpdate?.();
    this.#cancelPositionUpdate = undefined;
    for (const release of this.#pausedKinds.values()) release();
    this.#pausedKinds.clear();
    for (const { cancel } of this.#postponedTasks.values()) cancel();
    this.#postponedTasks.clear();
  }

  /** Frees the queue's slots for the other queues of this process. */
  close(): void {
    this.#leaveSlots();
  }

  /** Reserves a slot until `release` if a request can be sent immediately. Returns whether it can. */
  takeSlot({ id, kind, ...owner }: NewTask): boolean {
    if (this.#pausedKinds.has(kind) || this.#trialKinds.has(kind) || !this.#parts.slots.hasFreeSlot()) return false;
    if (this.#turns.count((task) => !this.#pausedKinds.has(task.kind)) > 0) return false;
    this.#slotHolders.add(id);
    this.#turns.recordTurn(ownerOf(owner));
    return true;
  }

  /** Counts a task as waiting before it joins, unless the queue is full or `check` refuses it. The numbers that `check` gets include it. */
  async takePlace(task: NewTask, check: (counts: WaitingCounts) => Promise<void>): Promise<void> {
    const comingTask = toWaitingTask(task);
    const { group, memberId } = comingTask;
    // One at a time: a task that is refused must not cause the refusal of another one.
    await this.#placeLock.run('', async () => {
      if (this.size >= MAX_WAITING) throw new Refusal('refusals.queueFull');
      this.#comingTasks.set(task.id, comingTask);
      try {
        await check({
          all: () => this.size,
          server: () => this.#count((one) => one.group === group),
          member: () => this.#count((one) => one.group === group && one.memberId === memberId),
        });
      } catch (error) {
        this.#comingTasks.delete(task.id);
        throw error;
      }
    });
  }

  /** Call this when the request has been refused, or when the book has its task. */
  release(id: string): void {
    this.#comingTasks.delete(id);
    if (this.#slotHolders.delete(id)) this.#parts.slots.advance();
  }

  /** The number of tasks that wait, or will have to. */
  get size(): number {
    return this.#turns.size + this.#comingTasks.size + this.#postponedTasks.size;
  }

  /** `isNext`: puts the task before the other tasks of its owner, because it has waited already. */
  join(task: Task, { isNext = false } = {}): void {
    this.#comingTasks.delete(task.id);
    this.#turns.add(toWaitingTask(task), { isNext });
    this.#parts.slots.advance();
    this.#schedulePositionUpdate();
  }

  /** Lets a task join again after a pause, which delays no other task. */
  joinLater(task: Task, returnCount: number, retryAfterMs?: number): void {
    if (!this.#isRunning) return;
    const cancel = this.#parts.clock.after(pauseMs(returnCount, retryAfterMs), () => {
      this.#postponedTasks.delete(task.id);
      this.join(task, { isNext: true });
    });
    this.#postponedTasks.set(task.id, { task: toWaitingTask(task), cancel });
  }

  /** Returns the task's position in the queue; undefined if the task is not waiting. */
  positionOf(id: string): number | undefined {
    let position = 0;
    for (const task of this.#turns.tasksInOrder()) {
      position += 1;
      if (task.id === id) return position;
    }
    return undefined;
  }

  leave(id: string): void {
    this.#postponedTasks.get(id)?.cancel();
    this.#postponedTasks.delete(id);
    if (this.#turns.size > 0) this.#turns.remove(id);
  }

  /** Call this when the gateway accepts no jobs of this kind at the moment. */
  hold(kind: TaskKind, returnCount: number, retryAfterMs?: number): void {
    if (!this.#isRunning) return;
    this.#pausedKinds.get(kind)?.();
    const release = this.#parts.clock.after(pauseMs(returnCount, retryAfterMs), () => {
      this.#pausedKinds.delete(kind);
      this.#parts.slots.advance();
    });
    this.#pausedKinds.set(kind, release);
    this.#trialKinds.add(kind);
  }

  /** Call this when the gateway has accepted a job of this kind. */
  markJobAccepted(kind: TaskKind): void {
    if (this.#trialKinds.delete(kind)) this.#parts.slots.advance();
  }

  #count(isCounted: (task: WaitingTask) => boolean): number {
    const postponedTasks = [...this.#postponedTasks.values()].map(({ task }) => task);
    const otherTasks = [...this.#comingTasks.values(), ...postponedTasks];
    return this.#turns.count(isCounted) + otherTasks.filter(isCounted).length;
  }

  #sendNext(): boolean {
    if (!this.#isRunning || this.#sending.size >= MAX_CONCURRENT_SENDS || this.#turns.size === 0) return false;
    const nextTask = this.#turns.next((kind) => this.#canBeSent(kind));
    if (!nextTask) return false;
    this.#sending.set(nextTask.id, nextTask.kind);
    this.#slotHolders.add(nextTask.id);
    void this.#parts.send(nextTask.id).finally(() => {
      this.#sending.delete(nextTask.id);
      this.#slotHolders.delete(nextTask.id);
      this.#parts.slots.advance();
    });
    return true;
  }

  #canBeSent(kind: TaskKind): boolean {
    if (this.#pausedKinds.has(kind)) return false;
    return !this.#trialKinds.has(kind) || ![...this.#sending.values()].includes(kind);
  }

  #occupiedCount(): number {
    const { book, isJob } = this.#parts;
    const isRunning = (task: Task): boolean =>
      isJob(task.kind) && occupiesSlot(task) && !this.#slotHolders.has(task.id);
    return book.live(isRunning).length + this.#slotHolders.size;
  }

  #schedulePositionUpdate(): void {
    if (!this.#isRunning || this.#cancelPositionUpdate || this.#turns.size === 0) return;
    this.#cancelPositionUpdate = this.#parts.clock.after(POSITION_UPDATE_MS, () => {
      void this.#showPositions().finally(() => {
        this.#cancelPositionUpdate = undefined;
        this.#schedulePositionUpdate();
      });
    });
  }

  async #showPositions(): Promise<void> {
    const { book, log } = this.#parts;
    let position = 0;
    for (const { id } of this.#turns.tasksInOrder()) {
      position += 1;
      if (position > MAX_SHOWN_POSITIONS || !this.#isRunning) return;
      const waitingTask = book.find(id);
      if (!waitingTask || waitingTask.place === position) continue;
      await book
        .change(id, (task) => setPosition(task, position))
        .catch((error: unknown) => log.debug({ task: id, err: error }, 'A position in the queue could not be shown.'));
    }
  }
}

const pauseMs = (returnCount: number, retryAfterMs = 0): number =>
  Math.min(MAX_HOLD_MS, Math.max(retryAfterMs, FIRST_HOLD_MS * 2 ** Math.max(0, returnCount - 1)));

/** Whether the gateway is working on the task, or may be. A job that waits for a member's prompt occupies no slot. */
const occupiesSlot = (task: Task): boolean =>
  !hasEnded(task) && task.state !== 'waiting' && task.state !== 'needs-input';

const toWaitingTask = ({ id, kind, weight = 1, ...owner }: NewTask & Pick<Task, 'weight'>): WaitingTask => ({
  id,
  kind,
  weight,
  ...ownerOf(owner),
});

const ownerOf = (task: Pick<Task, 'guildId' | 'requesterId'>) => ({
  group: groupOf(task),
  memberId: task.requesterId,
});
