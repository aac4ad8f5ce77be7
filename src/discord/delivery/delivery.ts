import { countProgressEdit, dropToken, setMessage } from '../../services/tasks/delivery-state.ts';
import { isLive, isShowable, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../message-body.ts';
import { type PlanPortion, portionOf, smallerPortion } from '../outbox/errors.ts';
import { ShownContent } from '../outbox/shown-content.ts';
import { type EditRoute, progressRoute, type TokenRoute } from '../outbox/ways.ts';
import { logFailure, newReference } from './backoff.ts';
import { type DeliveryContext, EndDelivery, OwnerPing } from './end-delivery.ts';
import { LatestState } from './latest-state.ts';
import { nextEditAt } from './next-edit.ts';
import { type DeliveryParts, DeliveryRecord } from './record.ts';

/** Posts and edits the messages of tasks. Nothing else changes a task's message. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #editors = new Map<string, Editor>();
  readonly #shutdown = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Receives every new state of a task. Never throws: results are stored and failures logged. */
  show(task: Task): void {
    const editor = this.#editors.get(task.id);
    if (task.unwanted) editor?.drop();
    else if (editor) editor.show(task);
    else if (isLive(task)) {
      const created = new Editor(task.id, this.#parts, this.#shutdown.signal, () => this.#editors.delete(task.id));
      this.#editors.set(task.id, created);
      created.show(task);
    }
  }

  /** Finishes running work. An end that has not been sent stays stored for the next start. */
  async finish(): Promise<void> {
    this.#shutdown.abort();
    await Promise.all([...this.#editors.values()].map((editor) => editor.finish()));
  }
}

class Editor extends LatestState {
  readonly #context: DeliveryContext;
  readonly #onFinished: () => void;
  readonly #firstSeenAt: number;
  #editCount = 0;
  #lastAt: number | undefined;
  readonly #shownContent = new ShownContent();
  /** How much of the content is still sent: parts that Discord has refused are not sent again. */
  #portion: PlanPortion = 'whole';
  /** Whether Discord refuses to show progress here; showing the end is attempted anyway. */
  #isRefused = false;

  constructor(id: string, parts: DeliveryParts, stopping: AbortSignal, onFinished: () => void) {
    super(parts.clock, stopping);
    const record = new DeliveryRecord(id, parts);
    this.#context = { ...parts, id, record, messageState: { closed: new Set(), isDeleted: false }, stopping };
    this.#onFinished = onFinished;
    this.#firstSeenAt = parts.clock.now();
  }

  override drop(): void {
    super.drop();
    this.#onFinished();
  }

  protected nextShowAt(task: Task): number | undefined {
    // The count in memory is correct even if it could not be stored.
    this.#editCount = Math.max(this.#editCount, task.delivery.progressEdits);
    return nextEditAt(task, { editCount: this.#editCount, lastAt: this.#lastAt, firstSeenAt: this.#firstSeenAt });
  }

  protected async deliver(task: Task): Promise<void> {
    if (!isShowable(task)) return this.#showProgress(task);
    const ended = await new EndDelivery(this.#context).deliver();
    // Most ends need no ping, and a task that has settled would be read from the store again.
    if (ended?.delivery.call && !this.#context.stopping.aborted) await new OwnerPing(this.#context).ping();
    this.#onFinished();
  }

  protected logFailure(error: unknown): void {
    const { id, clock, log } = this.#context;
    this.#lastAt = clock.now();
    log.error({ task: id, reference: newReference(), err: error }, 'Could not show progress.');
  }

  async #showProgress(task: Task): Promise<void> {
    const { clock, messageState, prepareMessage: prepare, stopping } = this.#context;
    // The message of a restored task may show its end already, which progress would hide.
    const isBlocked = messageState.isDeleted || this.#isRefused || task.restored !== undefined;
    const route = isBlocked ? undefined : progressRoute(task, messageState.closed, clock.now());
    if (!route) return;
    // A preview that is still loading must not delay the end.
    const cancelSignal = AbortSignal.any([this.endSignal, stopping]);
    const prepared = await prepare(task, cancelSignal);
    try {
      if (!cancelSignal.aborted) await this.#edit(route, bodyOf(portionOf(prepared, this.#portion)));
    } finally {
      prepared.release();
    }
  }

  async #edit(route: TokenRoute | EditRoute, intended: MessageBody): Promise<void> {
    const change = this.#shownContent.changeTo(intended);
    if (!change) return;
    this.#lastAt = this.#context.clock.now();
    try {
      const message = await this.#context.outbox.edit(route, change.sent);
      change.confirm();
      this.#editCount += 1;
      // Edits of an answer are not counted, because there is about one a second.
      await this.#context.record.tryChange((task) => {
        const updated = message ? setMessage(task, message) : task;
        return task.traits.isText ? updated : countProgressEdit(updated);
      });
    } catch (error) {
      await this.#noteFailure(error, route);
    }
  }

  /** An edit that shows progress is not retried, but its failure is remembered. */
  async #noteFailure(error: unknown, { by }: TokenRoute | EditRoute): Promise<void> {
    const { messageState, record } = this.#context;
    const failureKind = logFailure(this.#context, error, by, 'Progress was not shown.');
    if (failureKind === 'deleted') messageState.isDeleted = true;
    if (failureKind === 'no-access') this.#isRefused = true;
    this.#portion = smallerPortion(this.#portion, failureKind) ?? this.#portion;
    if (failureKind !== 'token-over') return;
    messageState.closed.add(by);
    await record.tryChange(dropToken);
  }
}
