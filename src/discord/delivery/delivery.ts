import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { isLive, type Task } from '../../services/tasks/task.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { MessagePlan } from '../plan.ts';
import { Editor } from './editor.ts';

export interface Prepared {
  plan: MessagePlan;
  /** What is sent where Discord does not take that. */
  instead?: MessagePlan;
  /** Gives back the memory that its files hold. */
  release(): void;
}

export type Transition = (task: Task) => Task;

export interface DeliveryParts {
  outbox: Outbox;
  clock: Clock;
  log: PlainLog;
  /**
   * What is to be told of a task now: what its message shows or, once that shows the end, the call to its member. It may fetch
   * results, or a preview until the signal says that nobody waits for it. Does not throw for anything expected.
   */
  prepare(task: Task, signal?: AbortSignal): Promise<Prepared>;
  /** Changes the stored task atomically and answers with it as it is then; throws if the store cannot. */
  change(id: string, transition: Transition): Promise<Task>;
}

/** The one door through which a task's message changes. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #editors = new Map<string, Editor>();
  readonly #stopping = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** Takes every news of a task. What comes of it is stored and logged, never thrown. */
  show(task: Task): void {
    const known = this.#editors.get(task.id);
    if (task.unwanted) known?.drop();
    else if (known) known.show(task);
    else if (isLive(task)) this.#editorOf(task).show(task);
  }

  /** Nothing new is shown; what is under way comes to its end. An end that has not gone out stays stored for the next start. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#editors.values()].map((editor) => editor.finish()));
  }

  #editorOf({ id }: Task): Editor {
    const editor = new Editor(id, {
      parts: this.#parts,
      stopping: this.#stopping.signal,
      onOver: () => this.#editors.delete(id),
    });
    this.#editors.set(id, editor);
    return editor;
  }
}
