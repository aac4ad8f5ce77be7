import { isRecord } from '../../lib/exact-json.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { isLive, type Task } from './task.ts';
import type { TaskStore } from './task-store.ts';

export interface TasksLog {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

export type Transition = (task: Task) => Task;
type Listener = (task: Task) => void;

/** Every task that something is left to do for, in memory; whatever changes is stored before anybody hears of it. */
export class TaskBook {
  readonly #store: TaskStore;
  readonly #log: TasksLog;
  readonly #live = new Map<string, Task>();
  /** Known here and not yet in the store, which could not take it. */
  readonly #unsaved = new Set<string>();
  /** Not added, for the store failed; and yet it may have taken them. */
  readonly #unwanted = new Map<string, Task>();
  readonly #lock = new KeyedLock();
  readonly #listeners: Listener[] = [];
  readonly #goneListeners: Listener[] = [];

  constructor({ store, log }: { store: TaskStore; log: TasksLog }) {
    this.#store = store;
    this.#log = log;
  }

  /** Reads what was under way when the bot last ran. */
  async open(): Promise<Task[]> {
    const tasks = await this.#store.live();
    for (const task of tasks) this.#live.set(task.id, task);
    return tasks;
  }

  live(isWanted: (task: Task) => boolean = () => true): Task[] {
    return [...this.#live.values()].filter(isWanted);
  }

  get liveCount(): number {
    return this.#live.size;
  }

  find(id: string): Task | undefined {
    return this.#live.get(id);
  }

  async get(id: string): Promise<Task | undefined> {
    return this.#live.get(id) ?? this.#store.get(id);
  }

  onChange(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Called with what is as if it had never been, once it is. */
  onGone(listener: Listener): void {
    this.#goneListeners.push(listener);
  }

  /** Tells of a task as it is: nobody who listens now was there when it changed. */
  announce(task: Task): void {
    for (const listener of this.#listeners) listener(task);
  }

  async add(task: Task): Promise<void> {
    try {
      await this.#store.put(task);
    } catch (error) {
      this.#unwanted.set(task.id, task);
      throw error;
    }
    this.#live.set(task.id, task);
  }

  /** As if it had never been. */
  async forget(id: string): Promise<void> {
    await this.#lock.run(id, async () => {
      const task = await this.get(id);
      if (task) await this.#store.remove(task);
      this.#live.delete(id);
      this.#unsaved.delete(id);
      if (task) for (const listener of this.#goneListeners) listener(task);
    });
  }

  /**
   * Changes one task; whoever else wants to change it waits. `mustHold` is for what would be lost for good if the store could
   * not take it just then: it is kept in memory and stored as soon as possible.
   */
  async change(id: string, transition: Transition, { mustHold = false } = {}): Promise<Task> {
    return this.#lock.run(id, async () => {
      const before = await this.get(id);
      if (!before) throw new Refusal('refusals.unknownTask');
      const after = transition(before);
      if (after === before) return before;
      if (this.#unsaved.has(id) || isWorthStoring(before, after)) await this.#save(after, mustHold);
      this.#hold(after);
      if (isNews(before, after)) this.announce(after);
      return after;
    });
  }

  /** Tries again to store what the store could not take, and to take out of it what it should never have had. */
  async saveUnsaved(): Promise<void> {
    await this.#removeUnwanted();
    for (const id of [...this.#unsaved]) {
      await this.#lock.run(id, async () => {
        const task = this.#live.get(id);
        if (!task) return;
        await this.#save(task, true);
        this.#hold(task);
      });
    }
  }

  async #removeUnwanted(): Promise<void> {
    for (const [id, task] of [...this.#unwanted]) {
      try {
        await this.#store.remove(task);
        this.#unwanted.delete(id);
      } catch (error) {
        this.#log.debug({ task: id, err: error }, 'What was refused may still lie in the store.');
      }
    }
  }

  async #save(task: Task, mustHold: boolean): Promise<void> {
    try {
      await this.#store.put(task);
      if (this.#unsaved.delete(task.id)) this.#log.info({ task: task.id }, 'The store has taken the task at last.');
    } catch (error) {
      if (!mustHold) throw error;
      if (!this.#unsaved.has(task.id))
        this.#log.error({ task: task.id, err: error }, 'The store could not take a task.');
      this.#unsaved.add(task.id);
    }
  }

  #hold(task: Task): void {
    if (isLive(task) || this.#unsaved.has(task.id)) this.#live.set(task.id, task);
    else this.#live.delete(task.id);
  }
}

type Facts = Readonly<Record<string, unknown>>;

/** That it was asked about once more is no news to anybody, nor is the page to whoever turned it. */
const NO_NEWS: ReadonlySet<string> = new Set(['polls', 'lastPending', 'page']);
/** And what a restart may forget, for the next answer of the gateway tells it again. */
const FLEETING: ReadonlySet<string> = new Set([
  ...NO_NEWS,
  'progress',
  'word',
  'queuedBehind',
  'preview',
  'unknown',
  'draft',
  'doing',
]);

/** Kept for the bot alone and shown by no view: whoever stores it knows it, and to tell of it would make every view once more. */
const UNSEEN: ReadonlySet<string> = new Set([
  ...NO_NEWS,
  ...['progressEdits', 'intention', 'goingAt', 'message', 'beside', 'keptAt', 'parts', 'posting'],
  ...['word', 'started', 'remoteStarted', 'remoteFinished'],
]);

const isNews = (before: Task, after: Task): boolean => differ(before, after, UNSEEN);
const isWorthStoring = (before: Task, after: Task): boolean => differ(before, after, FLEETING);

/** Most answers bring nothing new, and this is asked at every one of them: only what is another object is looked into. */
function differ(before: Facts, after: Facts, ignored: ReadonlySet<string>): boolean {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]];
    if (was === is || ignored.has(name)) continue;
    if (!isRecord(was) || !isRecord(is)) {
      if (!Array.isArray(was) || JSON.stringify(was) !== JSON.stringify(is)) return true;
    } else if (differ(was, is, ignored)) return true;
  }
  return false;
}
