import { Refusal } from '../../lib/refusal.ts';
import { answerOf, dropParts, markPartsShown } from '../../services/asks/transitions.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { bodyOf } from '../adapter.ts';
import { type AttemptsContext, RetryLater } from '../delivery/backoff.ts';
import { LatestState } from '../delivery/latest-state.ts';
import type { DeliveryParts } from '../delivery/record.ts';
import type { MessagePlan } from '../plan.ts';
import { FurtherMessages } from './further-messages.ts';

const TOKEN_EDIT_GAP_MS = 1_100;
/** Edits with the bot's token share the channel's rate limit with all other messages there. */
const BOT_EDIT_GAP_MS = 4_000;

export interface ContinuationParts extends Pick<DeliveryParts, 'outbox' | 'clock' | 'log' | 'change'> {
  /** The plans of the task's message and of the further messages. */
  plansOf(task: Task): { first: MessagePlan; further: MessagePlan[] };
}

interface ContinuationContext extends ContinuationParts, AttemptsContext {
  onEnd(task: Task): void;
}

/** The further messages of one answer. At the end, each of them shows exactly its part. */
export class Continuation extends LatestState {
  readonly #context: ContinuationContext;
  readonly #messages: FurtherMessages;
  #nextAt = 0;

  constructor(context: ContinuationContext) {
    super(context.clock, context.stopping);
    this.#context = context;
    this.#messages = new FurtherMessages(context);
  }

  protected nextShowAt(): number {
    return this.#nextAt;
  }

  protected async deliver(task: Task): Promise<void> {
    const { clock, stopping, onEnd } = this.#context;
    const isEnd = hasEnded(task);
    const shownTask = await this.#showParts(task, isEnd).catch((error: unknown) => {
      // An erased task has no message. After a bug, the first message still shows the end, with the whole text as a file.
      if (error instanceof Refusal) this.drop();
      else this.logFailure(error);
      return task;
    });
    if (!isEnd) this.#nextAt = shownTask === task ? 0 : clock.now() + this.#gapOf(shownTask);
    else if (!stopping.aborted) onEnd(shownTask);
  }

  protected logFailure(error: unknown): void {
    this.#context.log.error({ task: this.#context.id, err: error }, 'Could not show the rest of an answer.');
  }

  #gapOf(task: Task): number {
    const isByBot = answerOf(task).parts.some(({ by }) => by === 'bot');
    return !isByBot && this.#messages.tokenRoute(task) ? TOKEN_EDIT_GAP_MS : BOT_EDIT_GAP_MS;
  }

  /** Returns the changed task, or the same object if there was nothing to do. Showing the end is retried; showing progress is not. */
  async #showParts(task: Task, isEnd: boolean): Promise<Task> {
    const { first, further } = this.#context.plansOf(task);
    if (further.length === 0 && answerOf(task).parts.length === 0) return task;
    for (;;) {
      try {
        const { current, isComplete } = await this.#showEach(first, further);
        if (!isEnd) return current === task ? { ...task } : current;
        await this.#removeSurplus(current, further.length);
        return await this.#messages.change((storedTask) => {
          const kept = dropParts(storedTask, further.length);
          return isComplete ? markPartsShown(kept) : kept;
        });
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error;
        if (!isEnd || this.#context.stopping.aborted) return { ...task };
        await this.#messages.attempts.wait(error);
      }
    }
  }

  async #showEach(first: MessagePlan, further: readonly MessagePlan[]) {
    // The state that is shown may be older than the message that was posted last.
    let current = await this.#messages.change((storedTask) => storedTask);
    for (const [index, plan] of further.entries()) {
      const updated = await this.#messages.show(current, { index, first, body: bodyOf(plan) });
      // A later part is never posted before an earlier one.
      if (!updated) return { current, isComplete: false };
      current = updated;
    }
    return { current, isComplete: true };
  }

  /** Deletes messages that are no longer needed because their text was moved into a file. */
  async #removeSurplus(task: Task, max: number): Promise<void> {
    for (const place of answerOf(task).parts.slice(max)) await this.#messages.remove(task, place);
  }
}
