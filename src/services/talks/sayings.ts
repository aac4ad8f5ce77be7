import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { brokenOff } from '../asks/transitions.ts';
import type { TasksLog, Transition } from '../tasks/book.ts';
import { isFollowed, type Task } from '../tasks/task.ts';
import type { Answering } from './answering.ts';
import type { Conversation } from './conversation.ts';
import type { Speaking } from './speaking.ts';
import { turnTaken } from './transitions.ts';

interface SayingsParts {
  answering: Answering;
  clock: Clock;
  log: TasksLog;
  change(id: string, transition: Transition): Promise<Task>;
  conversation(id: string): Conversation | undefined;
}

/** The conversation in which it was said. */
export const whereSaid = ({ request }: Task): string => String(request.talk);

/** What is being said in all conversations, and its answers. */
export class Sayings {
  readonly #parts: SayingsParts;
  /** Begun, and their task is not accepted yet; by the key of the order. */
  readonly #begun = new Map<string, Speaking>();
  readonly #speaking = new Map<string, Speaking>();

  constructor(parts: SayingsParts) {
    this.#parts = parts;
  }

  begin(key: string, speaking: Speaking): void {
    this.#begun.set(key, speaking);
  }

  async follow(task: Task): Promise<void> {
    const { id, idempotencyKey } = task;
    const speaking = this.#begun.get(idempotencyKey);
    this.#begun.delete(idempotencyKey);
    if (speaking) return this.#answer(task, speaking);
    // Words that were still to come do not outlast a restart.
    await this.#takeTurn(task);
    await this.#parts.change(id, (known) => brokenOff(known, 'interrupted', undefined, this.#parts.clock.now()));
  }

  async stop({ id }: Task): Promise<void> {
    const speaking = this.#speaking.get(id);
    if (speaking) return speaking.takeBack('stopped');
    const now = this.#parts.clock.now();
    const stopped = (known: Task): Task => brokenOff(known, 'stopped', undefined, now);
    await this.#parts.change(id, (known) => (isFollowed(known) ? stopped(known) : known));
  }

  /** Its member wants it forgotten: nothing more of it shall come. */
  async letGo({ id }: Task): Promise<void> {
    await this.#speaking.get(id)?.takeBack('stopped');
  }

  async #answer(task: Task, speaking: Speaking): Promise<void> {
    const { id } = task;
    const conversation = this.#parts.conversation(whereSaid(task));
    const silent = (): void => {
      this.#speaking.delete(id);
      conversation?.over(speaking);
    };
    this.#speaking.set(id, speaking);
    try {
      await this.#takeTurn(task);
      await this.#parts.answering.bring(id, speaking, silent);
    } finally {
      silent();
      await conversation?.rest();
    }
  }

  /** What was said is part of its conversation from the moment the model began to answer. */
  async #takeTurn(task: Task): Promise<void> {
    const { log, change, conversation } = this.#parts;
    const at = task.times.accepted ?? task.times.created;
    const where = whereSaid(task);
    conversation(where)?.heard(at);
    try {
      await change(where, (talk) => turnTaken(talk, task.id, at));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      log.info({ task: task.id }, 'What was said in a conversation has outlasted it.');
    }
  }
}
