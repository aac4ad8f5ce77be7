import { isLive, type Task } from '../../services/tasks/task.ts';
import { Editor } from './editor.ts';
import type { DeliveryParts } from './parts.ts';

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
