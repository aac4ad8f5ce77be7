import { z } from 'zod';
import { isLive, mayBeSentAgain, type Task } from '../tasks/task.ts';
import { duration, forgettingMark, type SentBody, sentBody } from '../tasks/task-store.ts';
import { fitting, type Quarantine, Rows } from './rows.ts';
import type { Shelf } from './shelf.ts';
import { RETENTION_MS } from './task-rows.ts';

/** Orders as they were sent, until their outcome is known. They may be large and contain a member's images, so they are read one at a time. */
export class SentRows {
  readonly #shelf: Shelf;
  /** Live tasks that may have one. A row that a crash left behind is deleted at the end of its task. */
  readonly #kept = new Set<string>();

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** For a task from an earlier run. */
  found(task: Task): void {
    if (mayBeSentAgain(task)) this.#kept.add(task.id);
  }

  async read(id: string): Promise<SentBody | undefined> {
    return sentBody.safeParse(await this.#shelf.get(id)).data;
  }

  async put(id: string, sent: SentBody): Promise<void> {
    this.#kept.add(id);
    await this.#shelf.put(id, sent, RETENTION_MS);
  }

  /** Runs after the task is stored, since the task says whether the row is still needed. */
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

const remoteSchema = z.object({ id: z.string() });

/** Finds tasks by remote id. A row only points: the task itself says whether it still exists and has that id. */
export class RemoteRows {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Runs before the task is stored, so that every stored task can be found. */
  async point(task: Task): Promise<void> {
    const { id, traits, remoteId } = task;
    if (remoteId === undefined || !traits.isFollowable) return;
    if (isLive(task)) {
      if ((await this.find(remoteId)) !== id) await this.#shelf.put(rowKey(remoteId), { id });
    } else await this.#shelf.put(rowKey(remoteId), { id }, RETENTION_MS);
  }

  async find(remoteId: string): Promise<string | undefined> {
    return remoteSchema.safeParse(await this.#shelf.get(rowKey(remoteId))).data?.id;
  }

  async forget({ id, remoteId }: Task): Promise<void> {
    if (remoteId !== undefined && (await this.find(remoteId)) === id) await this.#shelf.delete(rowKey(remoteId));
  }
}

/** Keys come from outside: keyv takes no empty one, and strips the namespace's name from the start of one. */
export const rowKey = (key: string): string => `of ${key}`;

export const durationRows = (shelf: Shelf, quarantine: Quarantine) =>
  new Rows(shelf, quarantine, fitting(z.object({ durations: z.array(duration) })));

export const forgettingRows = (shelf: Shelf, quarantine: Quarantine) =>
  new Rows(shelf, quarantine, fitting(forgettingMark));
