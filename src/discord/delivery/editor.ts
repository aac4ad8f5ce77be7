import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { Appearance } from './appearance.ts';
import { Caller } from './caller.ts';
import type { Carrier } from './carrier.ts';
import { Ending, type Knowledge } from './ending.ts';
import { factsOf, type Load, lighterThan, loaded, troubleOf } from './errors.ts';
import { reference } from './hindered.ts';
import { mayShowAt } from './pace.ts';
import type { DeliveryParts } from './parts.ts';
import { DeliveryRecord } from './record.ts';
import { type EditWay, type TokenWay, wayToProgress } from './ways.ts';

/** Node's timers take no more than some 24 days; looking again now and then costs nothing. */
const LONGEST_SLEEP_MS = 60 * 60_000;

interface EditorParts {
  parts: DeliveryParts;
  carrier: Carrier;
  stopping: AbortSignal;
  /** Nothing is left to show. */
  onOver(): void;
}

/** One task's message: of all that could be shown only the latest counts, and one request at a time is under way. */
export class Editor {
  readonly #id: string;
  readonly #parts: DeliveryParts;
  readonly #carrier: Carrier;
  readonly #stopping: AbortSignal;
  readonly #onOver: () => void;
  readonly #record: DeliveryRecord;
  readonly #known: Knowledge = { shut: new Set(), isDeleted: false };
  readonly #heardAt: number;
  #edits = 0;
  #lastAt: number | undefined;
  readonly #appearance = new Appearance();
  /** What Discord has refused once is not sent again. */
  #load: Load = 'whole';
  /** Not yet shown. */
  #news: Task | undefined;
  /** Progress may not be shown here; the end asks once more. */
  #isUnwelcome = false;
  readonly #ending = new AbortController();
  #isAtWork = false;
  #work: Promise<void> = Promise.resolve();
  #cancelTimer: (() => void) | undefined;

  constructor(id: string, { parts, carrier, stopping, onOver }: EditorParts) {
    this.#id = id;
    this.#parts = parts;
    this.#carrier = carrier;
    this.#stopping = stopping;
    this.#onOver = onOver;
    this.#record = new DeliveryRecord(id, parts);
    this.#heardAt = parts.clock.now();
  }

  show(task: Task): void {
    if (this.#ending.signal.aborted) return;
    if (hasEnded(task)) this.#ending.abort();
    this.#news = task;
    this.#wake();
  }

  /** Nothing of it is to be seen any more. */
  drop(): void {
    this.#ending.abort();
    this.#news = undefined;
    this.#cancelTimer?.();
    this.#onOver();
  }

  async finish(): Promise<void> {
    this.#cancelTimer?.();
    await this.#work;
  }

  #wake(): void {
    this.#cancelTimer?.();
    if (!this.#isAtWork) this.#work = this.#showAll();
  }

  async #showAll(): Promise<void> {
    this.#isAtWork = true;
    try {
      for (let task = this.#next(); task; task = this.#next()) {
        if (hasEnded(task)) await this.#end();
        else await this.#progress(task);
      }
    } catch (error) {
      this.#bug(error);
    } finally {
      this.#isAtWork = false;
    }
  }

  /** What may be shown now; for what has to wait a timer is set. */
  #next(): Task | undefined {
    const task = this.#news;
    if (!task || this.#stopping.aborted) return undefined;
    const now = this.#parts.clock.now();
    const at = hasEnded(task) ? now : this.#mayShowAt(task);
    if (at !== undefined && at > now) {
      this.#cancelTimer = this.#parts.clock.after(Math.min(at - now, LONGEST_SLEEP_MS), () => this.#wake());
      return undefined;
    }
    this.#news = undefined;
    return at === undefined ? undefined : task;
  }

  #mayShowAt(task: Task): number | undefined {
    // A store that could not take a number does not make the edits more.
    this.#edits = Math.max(this.#edits, task.delivery.progressEdits);
    return mayShowAt(task, { edits: this.#edits, lastAt: this.#lastAt, heardAt: this.#heardAt });
  }

  async #end(): Promise<void> {
    const shared = { parts: this.#parts, carrier: this.#carrier, known: this.#known, stopping: this.#stopping };
    await new Ending(this.#id, shared).bring();
    await new Caller(this.#id, shared).call();
    this.#onOver();
  }

  async #progress(task: Task): Promise<void> {
    const { clock } = this.#parts;
    const isOver = this.#known.isDeleted || this.#isUnwelcome;
    const way = isOver ? undefined : wayToProgress(task, this.#known.shut, clock.now());
    if (!way) return;
    try {
      // The end waits for no preview that is still on its way.
      const unwanted = AbortSignal.any([this.#ending.signal, this.#stopping]);
      const prepared = await this.#parts.prepare(task, unwanted);
      try {
        if (!unwanted.aborted) await this.#edit(way, bodyOf(loaded(prepared.plan, this.#load)));
      } finally {
        prepared.release();
      }
    } catch (error) {
      this.#lastAt = clock.now();
      this.#bug(error);
    }
  }

  async #edit(way: TokenWay | EditWay, wanted: MessageBody): Promise<void> {
    const change = this.#appearance.changeTo(wanted);
    if (!change) return;
    this.#lastAt = this.#parts.clock.now();
    try {
      const message = await this.#carrier.edit(way, change.sent);
      change.confirmed();
      this.#edits += 1;
      await this.#record.progressShown(message);
    } catch (error) {
      await this.#learn(error, way);
    }
  }

  /** What only passes by is not tried again; but what its failure tells is remembered. */
  async #learn(error: unknown, { by }: TokenWay | EditWay): Promise<void> {
    const trouble = troubleOf(error, by);
    this.#parts.log.info({ task: this.#id, by, trouble, ...factsOf(error) }, 'Progress was not shown.');
    if (trouble === 'deleted') this.#known.isDeleted = true;
    if (trouble === 'no-access') this.#isUnwelcome = true;
    this.#load = lighterThan(this.#load, trouble) ?? this.#load;
    if (trouble !== 'token-over') return;
    this.#known.shut.add(by);
    await this.#record.forgetToken();
  }

  #bug(error: unknown): void {
    this.#parts.log.error({ task: this.#id, reference: reference(), err: error }, 'Progress could not be shown.');
  }
}
