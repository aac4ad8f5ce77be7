import { type Clock, pause, systemClock } from '../../lib/clock.ts';
import { isRecord } from '../../lib/exact-json.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Listeners } from '../../lib/listeners.ts';
import type { PlainLog } from '../../lib/log.ts';
import { runForTask } from '../../lib/log-subject.ts';
import { Refusal } from '../../lib/refusal.ts';
import { StoreError } from '../tasks/store-error.ts';
import { isHeld, isLive, type Task } from '../tasks/task.ts';
import type { BookStore } from './task-store.ts';

export type TasksLog = PlainLog & Record<'debug', PlainLog['info']>;

export type Transition = (task: Task) => Task;

/** How long a member waits until it is certain that a task was not stored. By then a worker of a cluster has lost its lease. */
const MAX_CERTAINTY_WAIT_MS = 20_000;
const REMOVAL_RETRY_MS = 500;

interface ChangeOptions {
  /** For changes that must not be lost if the store fails. They are kept in memory and stored as soon as possible. */
  mustHold?: boolean;
  /** Whether the change would be made again after a power cut, so that it need not be on the disk before others hear of it. */
  isRepeatable?: (updated: Task) => boolean;
}

/** All live tasks, in memory. A change is stored before any listener is called. */
export class TaskBook {
  readonly #store: BookStore;
  readonly #log: TasksLog;
  readonly #clock: Clock;
  readonly #findElsewhere: (id: string) => Promise<Task | undefined>;
  readonly #live = new Map<string, Task>();
  /** Tasks that changed in memory, but that the store could not write. */
  readonly #unsavedIds = new Set<string>();
  /** Tasks that were not added because the store failed, although it may have written them. */
  readonly #failedAdditions = new Map<string, Task>();
  readonly #lock = new KeyedLock();
  readonly #changes = new Listeners<[task: Task, previous?: Task]>();
  readonly #additions = new Listeners<[task: Task]>();
  readonly #removals = new Listeners<[task: Task]>();
  readonly #messageLosses = new Listeners<[task: Task]>();
  /** If `previous` is missing, nothing has changed and the task is only announced again. */
  readonly onChange = this.#changes.add;
  /** Called after a new task has been stored. */
  readonly onAdd = this.#additions.add;
  /** Called after a task has been removed: refused by the gateway, or erased. */
  readonly onRemove = this.#removals.add;
  /** Called after a task's message has been deleted, which `onChange` does not report. */
  readonly onMessageLoss = this.#messageLosses.add;

  constructor(
    store: BookStore,
    log: TasksLog,
    clock: Clock = systemClock,
    findElsewhere: (id: string) => Promise<Task | undefined> = async () => undefined,
  ) {
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
    this.#findElsewhere = findElsewhere;
  }

  async open(): Promise<Task[]> {
    const tasks = await this.#store.live();
    for (const task of tasks) this.#live.set(task.id, task);
    return tasks;
  }

  live(matches: (task: Task) => boolean = () => true): Task[] {
    return [...this.#live.values()].filter(matches);
  }

  /** Without held results, which wait for a moderator. */
  get inProgressCount(): number {
    return this.live((task) => !isHeld(task)).length;
  }

  /** In memory only; just the book itself may change the map. */
  find(id: string): Task | undefined {
    return this.#live.get(id);
  }

  /** Also returns a task of another partition, which cannot be changed here. */
  async get(id: string): Promise<Task | undefined> {
    return (await this.#getOwn(id)) ?? this.#findElsewhere(id);
  }

  async #getOwn(id: string): Promise<Task | undefined> {
    return this.#live.get(id) ?? this.#store.get(id);
  }

  get unsavedCount(): number {
    return this.#unsavedIds.size + this.#failedAdditions.size;
  }

  /** Calls the listeners although nothing has changed, because they were not registered yet when the task changed. */
  announce(id: string): void {
    const task = this.find(id);
    if (task) runForTask(id, () => this.#changes.notify(task));
  }

  async add(task: Task): Promise<void> {
    try {
      await this.#store.put(task);
    } catch (error) {
      this.#failedAdditions.set(task.id, task);
      // The server may have written the row although its response was lost, and the next owner of the store would then submit the task.
      if (error instanceof StoreError && error.kind === 'unreachable') await this.#assertNotStored(task.id);
      throw error;
    }
    this.#live.set(task.id, task);
    this.#additions.notify(task);
  }

  async remove(id: string): Promise<void> {
    await this.#lock.run(id, async () => {
      const task = await this.#getOwn(id);
      if (task) await this.#store.remove(task);
      this.#live.delete(id);
      this.#unsavedIds.delete(id);
      if (task) this.#removals.notify(task);
    });
  }

  async change(id: string, transition: Transition, options: ChangeOptions = {}): Promise<Task> {
    return runForTask(id, () => this.#lock.run(id, () => this.#change(id, transition, options)));
  }

  /** Writes the changes that the store could not write, and removes tasks that it may have written although it reported a failure. */
  async saveUnsaved(): Promise<void> {
    await this.#removeNotAdded();
    for (const id of [...this.#unsavedIds]) {
      await this.#lock.run(id, async () => {
        const task = this.#live.get(id);
        if (!task) return;
        await this.#save(task, { mustHold: true });
        this.#keepInMemory(task);
      });
    }
  }

  async #change(id: string, transition: Transition, options: ChangeOptions): Promise<Task> {
    const previous = await this.#getOwn(id);
    if (!previous) throw new Refusal('refusals.unknownTask');
    const updated = transition(previous);
    if (updated === previous) return previous;
    if (this.#unsavedIds.has(id) || isWorthStoring(previous, updated)) await this.#save(updated, options);
    this.#keepInMemory(updated);
    if (isVisibleChange(previous, updated)) this.#changes.notify(updated, previous);
    if (previous.message && !updated.message) this.#messageLosses.notify(updated);
    return updated;
  }

  async #assertNotStored(id: string): Promise<void> {
    const deadline = this.#clock.now() + MAX_CERTAINTY_WAIT_MS;
    while (this.#failedAdditions.has(id)) {
      if (this.#clock.now() >= deadline) throw new Refusal('refusals.notConfirmed');
      await pause(this.#clock, REMOVAL_RETRY_MS);
      await this.#removeNotAdded();
    }
  }

  async #removeNotAdded(): Promise<void> {
    for (const [id, task] of [...this.#failedAdditions]) {
      try {
        await this.#store.remove(task);
        this.#failedAdditions.delete(id);
      } catch (error) {
        this.#log.debug({ task: id, err: error }, 'A refused task may still be in the store.');
      }
    }
  }

  async #save(task: Task, { mustHold, isRepeatable }: ChangeOptions): Promise<void> {
    try {
      // What the store could not write before may not be repeatable.
      await this.#store.put(task, !this.#unsavedIds.has(task.id) && isRepeatable?.(task));
      if (this.#unsavedIds.delete(task.id)) this.#log.info({ task: task.id }, 'The store has now written the task.');
    } catch (error) {
      if (!mustHold) throw error;
      if (!this.#unsavedIds.has(task.id))
        this.#log.error({ task: task.id, err: error }, 'The store could not write a task.');
      this.#unsavedIds.add(task.id);
    }
  }

  #keepInMemory(task: Task): void {
    if (isLive(task) || this.#unsavedIds.has(task.id)) this.#live.set(task.id, task);
    else this.#live.delete(task.id);
  }
}

type Facts = Readonly<Record<string, unknown>>;

/** Changes about which listeners need not be notified, such as another poll or another page. */
const UNANNOUNCED_FIELDS: ReadonlySet<string> = new Set(['polls', 'lastPending', 'page']);
/** Facts that may be lost in a restart: the gateway's next response contains some of them again, and the loss of the others does no harm. */
const TRANSIENT_FIELDS: ReadonlySet<string> = new Set([
  ...UNANNOUNCED_FIELDS,
  'progressEdits',
  'progress',
  'word',
  'place',
  'preview',
  'unknown',
  'draft',
  'doing',
]);

/** Internal fields that no view shows. Announcing them would render every view again. */
const INTERNAL_FIELDS: ReadonlySet<string> = new Set([
  ...UNANNOUNCED_FIELDS,
  ...['progressEdits', 'intention', 'goingAt', 'message', 'beside', 'keptAt', 'parts', 'posting', 'fingerprints'],
  ...['word', 'started', 'remoteStarted', 'remoteFinished'],
]);

const isVisibleChange = (previous: Task, updated: Task): boolean => isDifferent(previous, updated, INTERNAL_FIELDS);
const isWorthStoring = (previous: Task, updated: Task): boolean => isDifferent(previous, updated, TRANSIENT_FIELDS);

/** This runs for every response, and most contain nothing new, so nothing is created for values that are identical. */
function isDifferent(previous: Facts, updated: Facts, ignored: ReadonlySet<string>): boolean {
  for (const name in updated)
    if (!ignored.has(name) && isDifferentValue(previous[name], updated[name], ignored)) return true;
  for (const name in previous)
    if (previous[name] !== undefined && updated[name] === undefined && !ignored.has(name)) return true;
  return false;
}

function isDifferentValue(previous: unknown, updated: unknown, ignored: ReadonlySet<string>): boolean {
  if (previous === updated) return false;
  if (isRecord(previous) && isRecord(updated)) return isDifferent(previous, updated, ignored);
  return !Array.isArray(previous) || JSON.stringify(previous) !== JSON.stringify(updated);
}
