import { z } from 'zod';
import { isLive, mayBeSentAgain, type Task } from '../tasks/task.ts';
import type { SentBody } from '../tasks/task-store.ts';
import { RETENTION_MS } from './retention.ts';
import type { Shelf } from './shelf.ts';

export const sentSchema = z.object({ idempotencyKey: z.string(), body: z.string() });

/**
 * Orders as they were sent, a row each beside their tasks. They may be large and hold a member's pictures, so they are read one at a time, when
 * their member tries again, and go as soon as it is known what became of the order.
 */
export class SentRows {
  readonly #shelf: Shelf;
  /** Live tasks that may have one. What a crash has left behind one that needs it no more is seen to at its end. */
  readonly #kept = new Set<string>();

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** From an earlier run. */
  found(task: Task): void {
    if (mayBeSentAgain(task)) this.#kept.add(task.id);
  }

  async read(id: string): Promise<SentBody | undefined> {
    return sentSchema.safeParse(await this.#shelf.get(id)).data;
  }

  async put(id: string, sent: SentBody): Promise<void> {
    this.#kept.add(id);
    await this.#shelf.put(id, sent, RETENTION_MS);
  }

  /** After its task, which alone says whether it is still needed. */
  async follow(task: Task): Promise<void> {
    if (isLive(task) && !this.#kept.has(task.id)) return;
    if (!mayBeSentAgain(task)) await this.remove(task.id);
    else if (!isLive(task)) this.#kept.delete(task.id);
  }

  async remove(id: string): Promise<void> {
    await this.#shelf.delete(id);
    this.#kept.delete(id);
  }
}
