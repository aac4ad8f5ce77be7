import { answerOf } from '../../services/asks/transitions.ts';
import type { AnswerPart } from '../../services/tasks/answer.ts';
import { hasEnded, isLive, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { bodyOf } from '../adapter.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { findPart } from '../outbox/adoption.ts';
import { factsOf } from '../outbox/errors.ts';
import { waysToPart } from '../outbox/ways.ts';
import type { MessagePlan } from '../plan.ts';
import { Continuation, type ContinuationParts } from './continuation.ts';

interface AnswersParts extends ContinuationParts {
  /** Brings the message that every task has. */
  delivery: Pick<Delivery, 'show'>;
}

/**
 * Shows answers: their first message is brought like that of any task, and those below it by this. The end of the first waits for
 * theirs, for it carries the whole as a file where they cannot be brought.
 */
export class Answers {
  readonly #parts: AnswersParts;
  readonly #continuations = new Map<string, Continuation>();
  readonly #stopping = new AbortController();

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  show(task: Task): void {
    if (!isLive(task) || task.unwanted) {
      if (task.unwanted) this.#continuations.get(task.id)?.drop();
      this.#continuations.delete(task.id);
    }
    if (task.unwanted) this.#parts.delivery.show(task);
    else if (isLive(task)) {
      if (!hasEnded(task) || task.delivery.call) this.#parts.delivery.show(task);
      // Its end is called to its member only after everything is shown.
      if (!task.delivery.call) this.#continuationOf(task).show(task);
    }
  }

  /** Takes away every message in which an answer goes on, or is spoken; the first is whoever's that asks for it. */
  async takeAway(task: Task): Promise<void> {
    const { outbox, clock } = this.#parts;
    const below = [...(await this.#partsOf(task)), ...spokenBeside(task)];
    // What stands elsewhere is deleted there.
    for (const place of below.filter(({ channelId }) => channelId === task.message?.channelId)) {
      const [way] = waysToPart(task, place, clock.now());
      if (way) await this.#attempt('A part of an answer could not be taken away.', task, () => outbox.remove(way));
    }
  }

  /** One that was about to be posted may be there, and nobody has heard of it. */
  async #partsOf(task: Task): Promise<AnswerPart[]> {
    const { parts, posting } = answerOf(task);
    if (posting?.by !== 'bot') return parts;
    const find = () => findPart(task, posting, this.#parts.outbox);
    const found = await this.#attempt('A part of an answer could not be looked for.', task, find);
    return found ? [...parts, { ...found, by: 'bot' }] : parts;
  }

  /** A message under what a member has said; undefined where the bot may not write. */
  async replyTo({ channelId, id }: MessagePlace, plan: MessagePlan): Promise<MessagePlace | undefined> {
    const post = () => this.#parts.outbox.post(channelId, `t-${id}`, bodyOf({ ...plan, answers: id }));
    return this.#attempt('A message in a thread was not answered.', undefined, post);
  }

  /** Changes such a message where no task came of it. */
  async change(message: MessagePlace, plan: MessagePlan): Promise<void> {
    const edit = () => this.#parts.outbox.edit({ by: 'edit', message }, bodyOf(plan));
    await this.#attempt('That a message in a thread cannot be answered was not told.', undefined, edit);
  }

  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#continuations.values()].map((one) => one.finish()));
  }

  /** A failure is only logged. */
  async #attempt<T>(failure: string, task: Task | undefined, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#parts.log.info({ ...(task && { task: task.id }), ...factsOf(error) }, failure);
      return undefined;
    }
  }

  #continuationOf({ id }: Task): Continuation {
    const known = this.#continuations.get(id);
    if (known) return known;
    const made = new Continuation(id, {
      ...this.#parts,
      stopping: this.#stopping.signal,
      onEnd: (task) => this.#parts.delivery.show(task),
    });
    this.#continuations.set(id, made);
    return made;
  }
}

const spokenBeside = ({ traits, beside = [] }: Task): MessagePlace[] => (traits.isSpoken ? beside : []);
