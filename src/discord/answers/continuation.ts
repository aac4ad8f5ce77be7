import { Refusal } from '../../lib/refusal.ts';
import { answerOf, dropParts, markPartsShown } from '../../services/asks/transitions.ts';
import type { AnswerPart } from '../../services/tasks/answer.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import { Backoff, RetryLater } from '../delivery/backoff.ts';
import { LatestState } from '../delivery/latest-state.ts';
import type { DeliveryParts } from '../delivery/record.ts';
import { errorFacts, failureKindOf } from '../outbox/errors.ts';
import { ShownContent } from '../outbox/shown-content.ts';
import { type MessageRoute, partRoutes, tokenRoute } from '../outbox/ways.ts';
import type { MessagePlan } from '../plan.ts';
import { PartPoster, type PartToPost, type SendFailure } from './part-poster.ts';

const TOKEN_EDIT_GAP_MS = 1_100;
/** Edits with the bot's token share the channel's rate limit with all other messages there. */
const BOT_EDIT_GAP_MS = 4_000;

export interface ContinuationParts extends Pick<DeliveryParts, 'outbox' | 'clock' | 'log' | 'change'> {
  /** The plans of the task's message and of the further messages. */
  plansOf(task: Task): { first: MessagePlan; further: MessagePlan[] };
}

interface ContinuationContext extends ContinuationParts {
  id: string;
  stopping: AbortSignal;
  onEnd(task: Task): void;
}

/** The further messages of one answer. At the end, each of them shows exactly its part. */
export class Continuation extends LatestState {
  readonly #context: ContinuationContext;
  readonly #backoff: Backoff;
  readonly #closedRoutes = new Set<MessageRoute['by']>();
  readonly #shownContents = new Map<string, ShownContent>();
  readonly #deletedIds = new Set<string>();
  readonly #poster: PartPoster;
  #nextAt = 0;

  constructor(context: ContinuationContext) {
    super(context.clock, context.stopping);
    this.#context = context;
    this.#backoff = new Backoff(context);
    this.#poster = new PartPoster({
      ...{ ...context, backoff: this.#backoff, closedRoutes: this.#closedRoutes },
      attempt: (by, work) => this.#attempt(by, work),
      change: (transition) => this.#change(transition),
    });
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
    return !isByBot && !this.#closedRoutes.has('token') && tokenRoute(task, this.#context.clock.now())
      ? TOKEN_EDIT_GAP_MS
      : BOT_EDIT_GAP_MS;
  }

  /** Returns the changed task, or the same object if there was nothing to do. */
  async #showParts(task: Task, isEnd: boolean): Promise<Task> {
    const { first, further } = this.#context.plansOf(task);
    const hasSurplusParts = answerOf(task).parts.length > further.length;
    if (further.length === 0 && !hasSurplusParts) return task;
    // This state of the task may be older than the message that was posted last.
    const latestTask = await this.#withRetry(isEnd, () => this.#change((storedTask) => storedTask));
    if (typeof latestTask !== 'object') return task;
    let current = latestTask;
    let isComplete = true;
    for (const [index, plan] of further.entries()) {
      const place = answerOf(current).parts[index];
      // A part can grow while it waits to be posted. A later part is never posted before an earlier one.
      const outcome = place
        ? await this.#withRetry(isEnd, () => this.#edit(current, place, bodyOf(plan)))
        : await this.#withRetry(isEnd, () => this.#post({ index, first, body: bodyOf(plan) }));
      if (typeof outcome === 'object') current = outcome;
      else if (outcome !== 'done' && outcome !== 'gone') {
        isComplete = false;
        break;
      }
    }
    if (!isEnd) return current === task ? { ...task } : current;
    if (hasSurplusParts) current = await this.#removeSurplus(current, further.length);
    return isComplete ? this.#change(markPartsShown) : current;
  }

  /** Showing the end is retried until it succeeds; showing progress is not retried. */
  async #withRetry<T>(isEnd: boolean, work: () => Promise<T>): Promise<T | SendFailure> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error;
        if (!isEnd || this.#context.stopping.aborted) return 'no-way';
        await this.#backoff.wait(error);
      }
    }
  }

  async #edit(task: Task, place: AnswerPart, intended: MessageBody): Promise<'done' | SendFailure> {
    if (this.#deletedIds.has(place.id)) return 'gone';
    const shownContent = this.#shownContents.get(place.id) ?? new ShownContent();
    this.#shownContents.set(place.id, shownContent);
    const change = shownContent.changeTo(intended);
    if (!change) return 'done';
    for (const route of this.#routesTo(task, place)) {
      const outcome = await this.#attempt(route.by, async () => {
        await this.#context.outbox.edit(route, change.sent);
        change.confirm();
        return 'done' as const;
      });
      if (outcome === 'gone') this.#deletedIds.add(place.id);
      if (outcome !== 'no-way') return outcome;
    }
    return 'no-way';
  }

  async #post(part: PartToPost): Promise<Task | SendFailure> {
    const posted = await this.#poster.post(await this.#change((storedTask) => storedTask), part);
    if (posted === 'no-way') return 'no-way';
    const place = answerOf(posted.task).parts[part.index];
    if (!place) return 'no-way';
    if (posted.isCurrent) {
      const shownContent = new ShownContent();
      shownContent.changeTo(part.body)?.confirm();
      this.#shownContents.set(place.id, shownContent);
    } else await this.#edit(posted.task, place, part.body);
    return posted.task;
  }

  /** Deletes messages that are no longer needed because their text was moved into a file. */
  async #removeSurplus(task: Task, max: number): Promise<Task> {
    for (const place of answerOf(task).parts.slice(max)) {
      const [route] = this.#routesTo(task, place);
      if (route) await this.#withRetry(true, () => this.#attempt(route.by, () => this.#context.outbox.remove(route)));
    }
    return this.#change((current) => dropParts(current, max));
  }

  async #attempt<T>(by: MessageRoute['by'], work: () => Promise<T>): Promise<T | SendFailure> {
    try {
      return await work();
    } catch (error) {
      const failureKind = failureKindOf(error, by);
      this.#context.log.info(
        { task: this.#context.id, by, trouble: failureKind, ...errorFacts(error) },
        'Could not show a part of an answer.',
      );
      if (failureKind === 'later') throw new RetryLater('unreachable', error);
      if (failureKind === 'deleted') return 'gone';
      // Not retried: every refusal counts towards Discord's block of invalid requests.
      this.#closedRoutes.add(by);
      return 'no-way';
    }
  }

  #routesTo(task: Task, place: AnswerPart) {
    return partRoutes(task, place, this.#context.clock.now()).filter(({ by }) => !this.#closedRoutes.has(by));
  }

  async #change(transition: (task: Task) => Task): Promise<Task> {
    try {
      return await this.#context.change(this.#context.id, transition);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new RetryLater('unstored', error);
    }
  }
}
