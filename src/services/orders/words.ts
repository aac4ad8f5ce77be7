import { Refusal } from '../../lib/refusal.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { GatewayError } from '../gateway/errors.ts';
import { updateRoute } from '../tasks/delivery-state.ts';
import type { CommonRequest } from '../tasks/kind-spec.ts';
import type { Region } from '../tasks/materials.ts';
import { type Task, withRequest } from '../tasks/task.ts';
import { hasUnsentWords } from '../tasks/task-facts.ts';
import { markWordsRefused, markWordsSent, markWordsTaken } from '../tasks/transitions.ts';
import type { OrderOrigin } from './orders.ts';
import type { OrdersContext } from './orders-context.ts';
import { callbackUrlFor } from './sender.ts';

export interface WrittenWords {
  words: string;
  typedWords?: string | undefined;
  region?: Region | undefined;
}

/** Sends words to tasks that wait for them. The job that this starts may be charged, so words are sent only once, like an order. */
export class Words {
  readonly #context: OrdersContext;

  constructor(context: OrdersContext) {
    this.#context = context;
  }

  /** Sends words from the task's owner. The new interaction replaces the task's route, whose token may have expired. */
  async provide(id: string, origin: OrderOrigin, { words, typedWords, region }: WrittenWords): Promise<Task> {
    const changes = { words, typedWords, ...(region && { region }) };
    const check = (task: Task): Task => {
      if (task.requesterId !== origin.requesterId) throw new Refusal('refusals.notYours');
      return updateRoute(requireWaitingForWords(task), origin.route, origin.message);
    };
    const send = async (): Promise<Task> => {
      const judged = await this.#judge(id, origin, changes, check);
      const { spoiler } = judged?.request ?? {};
      return this.#send(id, { ...changes, ...(spoiler && { spoiler }) }, (task) => ({
        ...check(task),
        ...(judged?.holdFor && { holdFor: judged.holdFor }),
      }));
    };
    return trackUntilDone(send(), this.#context.pendingWork);
  }

  /** Judges the task by the words of the form, which its order did not contain. Its images were moderated then. */
  async #judge(
    id: string,
    { roleIds }: OrderOrigin,
    words: CommonRequest,
    check: (task: Task) => Task,
  ): Promise<Task | undefined> {
    const { book, safety } = this.#context;
    const task = await book.get(id);
    if (!task) return undefined;
    const order = { ...withRequest(check(task), words), roleIds: roleIds && [...roleIds] };
    safety.rules.assertAllowed(order);
    return safety.rules.moderate(order, task.traits, { images: async () => [], documents: async () => [] });
  }

  /** Sends the words that came with an order as soon as the gateway asks for them, and only once. */
  provideIfRequested(task: Task): void {
    const { id, state } = task;
    if (state !== 'needs-input' || !hasUnsentWords(task)) return;
    trackUntilDone(this.#send(id, {}, requireWaitingForWords), this.#context.pendingWork).catch((error: unknown) => {
      // A change of the task while its files were being fetched announces it again.
      if (error instanceof Refusal && error.key === 'refusals.promptNotNeeded') return;
      // The task keeps waiting, and its owner can continue it.
      this.#context.log.warn({ task: id, err: error }, 'The prompt that came with a task could not be sent.');
    });
  }

  async #send(id: string, words: CommonRequest, check: (task: Task) => Task): Promise<Task> {
    const { book, kinds, gather, settings, clock, log } = this.#context;
    const storedTask = await book.get(id);
    if (!storedTask) throw new Refusal('refusals.unknownTask');
    const kind = kinds.get(storedTask.kind);
    if (!kind?.sendWords) throw new Error(`The kind ${storedTask.kind} takes no words.`);
    // Files are fetched before anything is sent.
    const { request: fullRequest } = withRequest(check(storedTask), words);
    const timeLimitMs = settings.maxWaitMs[kind.waitLimit(fullRequest)];
    const materials = await gather(fullRequest, { memberId: storedTask.requesterId, timeLimitMs });
    const user = await this.#context.userOf?.(storedTask.requesterId);
    const sentTask = await book.change(id, (task) => markWordsSent(check(task), words, clock.now()));
    const { remoteId = '', request } = sentTask;
    const callbackUrl = callbackUrlFor(kind, id, this.#context.callbacks);
    this.#context.store.ownership.assertOwned();
    try {
      const submission = await kind.sendWords(remoteId, request, { materials, user, callbackUrl });
      const task = await book.change(id, (current) => markWordsTaken(current, submission, clock.now()), {
        mustHold: true,
      });
      this.#context.limits.scheduler.hint(id);
      return task;
    } catch (error) {
      if (error instanceof GatewayError && !error.mayHaveTakenEffect) {
        return book.change(id, (task) => markWordsRefused(task, error.reason));
      }
      // The next poll shows whether the gateway has received the words.
      log.warn({ task: id, err: error }, 'A prompt for a task was sent with an unknown outcome.');
      return sentTask;
    }
  }
}

function requireWaitingForWords(task: Task): Task {
  if (task.state !== 'needs-input' || task.times.wordsSent !== undefined) throw new Refusal('refusals.promptNotNeeded');
  return task;
}
