import { hasEnded, isLive, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { Appearance } from '../outbox/appearance.ts';
import { factsOf, type Load, lighterThan, loaded, troubleOf } from '../outbox/errors.ts';
import { type EditWay, type TokenWay, wayToProgress } from '../outbox/ways.ts';
import { Caller, Ending, type Scene } from './ending.ts';
import { LatestNews } from './latest.ts';
import { newReference } from './obstacle.ts';
import { mayShowAt } from './pace.ts';
import { type DeliveryParts, DeliveryRecord } from './record.ts';

/** The only place that changes a task's message. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #editors = new Map<string, Editor>();
  readonly #stopping = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Takes every new state of a task. Never throws: results are stored and failures logged. */
  show(task: Task): void {
    const known = this.#editors.get(task.id);
    if (task.unwanted) known?.drop();
    else if (known) known.show(task);
    else if (isLive(task)) this.#editorOf(task).show(task);
  }

  /** Running work is finished. An end that was not sent stays stored for the next start. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#editors.values()].map((editor) => editor.finish()));
  }

  #editorOf({ id }: Task): Editor {
    const editor = new Editor(id, this.#parts, this.#stopping.signal, () => this.#editors.delete(id));
    this.#editors.set(id, editor);
    return editor;
  }
}

class Editor extends LatestNews {
  readonly #scene: Scene;
  readonly #onOver: () => void;
  readonly #heardAt: number;
  #edits = 0;
  #lastAt: number | undefined;
  readonly #appearance = new Appearance();
  /** Content that Discord has refused is not sent again. */
  #load: Load = 'whole';
  /** Progress is refused here; the end is tried all the same. */
  #isRefused = false;

  constructor(id: string, parts: DeliveryParts, stopping: AbortSignal, onOver: () => void) {
    super(parts.clock, stopping);
    const record = new DeliveryRecord({ ...parts, id });
    this.#scene = { ...parts, id, record, known: { shut: new Set(), isDeleted: false }, stopping };
    this.#onOver = onOver;
    this.#heardAt = parts.clock.now();
  }

  override drop(): void {
    super.drop();
    this.#onOver();
  }

  protected mayShowAt(task: Task): number | undefined {
    // Holds even if the store failed to save the count.
    this.#edits = Math.max(this.#edits, task.delivery.progressEdits);
    return mayShowAt(task, { edits: this.#edits, lastAt: this.#lastAt, heardAt: this.#heardAt });
  }

  protected async bring(task: Task): Promise<void> {
    if (!hasEnded(task)) return this.#progress(task);
    await new Ending(this.#scene).bring();
    if (!this.#scene.stopping.aborted) await new Caller(this.#scene).ping();
    this.#onOver();
  }

  protected failed(error: unknown): void {
    const { id, clock, log } = this.#scene;
    this.#lastAt = clock.now();
    log.error({ task: id, reference: newReference(), err: error }, 'Could not show progress.');
  }

  async #progress(task: Task): Promise<void> {
    const { clock, known, prepare, stopping } = this.#scene;
    const isBlocked = known.isDeleted || this.#isRefused;
    const way = isBlocked ? undefined : wayToProgress(task, known.shut, clock.now());
    if (!way) return;
    // A preview that is still loading must not delay the end.
    const notNeeded = AbortSignal.any([this.ending, stopping]);
    const prepared = await prepare(task, notNeeded);
    try {
      if (!notNeeded.aborted) await this.#edit(way, bodyOf(loaded(prepared.plan, this.#load)));
    } finally {
      prepared.release();
    }
  }

  async #edit(way: TokenWay | EditWay, wanted: MessageBody): Promise<void> {
    const change = this.#appearance.changeTo(wanted);
    if (!change) return;
    this.#lastAt = this.#scene.clock.now();
    try {
      const message = await this.#scene.outbox.edit(way, change.sent);
      change.confirmed();
      this.#edits += 1;
      await this.#scene.record.progressShown(message);
    } catch (error) {
      await this.#learnFrom(error, way);
    }
  }

  /** Progress is not retried, but its failure is remembered. */
  async #learnFrom(error: unknown, { by }: TokenWay | EditWay): Promise<void> {
    const trouble = troubleOf(error, by);
    this.#scene.log.info({ task: this.#scene.id, by, trouble, ...factsOf(error) }, 'Progress was not shown.');
    if (trouble === 'deleted') this.#scene.known.isDeleted = true;
    if (trouble === 'no-access') this.#isRefused = true;
    this.#load = lighterThan(this.#load, trouble) ?? this.#load;
    if (trouble !== 'token-over') return;
    this.#scene.known.shut.add(by);
    await this.#scene.record.forgetToken();
  }
}
