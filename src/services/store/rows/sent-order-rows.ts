import { z } from 'zod';
import { type SentOrder, sentOrder } from '../../tasks/kind.ts';
import { isLive, mayBeSentAgain, type Task } from '../../tasks/task.ts';
import type { Change } from '../backend.ts';
import type { Namespace } from '../namespaces.ts';
import { rowKey } from './rows.ts';
import { RETENTION_MS } from './task-rows.ts';

/** Requests as they were sent, until their outcome is known. They may be large and contain a member's images, so they are read one at a time. */
export class SentOrderRows {
  readonly #namespace: Namespace;
  /** Live tasks that may have a row. A row left by a crash is deleted at the end of its task. */
  readonly #taskIds = new Set<string>();

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  /** Registers a live task from an earlier run. */
  restore(task: Task): void {
    if (mayBeSentAgain(task)) this.#taskIds.add(task.id);
  }

  async read(id: string): Promise<SentOrder | undefined> {
    return sentOrder.safeParse(await this.#namespace.get(id)).data;
  }

  async put(id: string, sent: SentOrder): Promise<void> {
    this.#taskIds.add(id);
    await this.#namespace.put(id, sent, RETENTION_MS);
  }

  /** Deletes the row of a task that no longer needs it. */
  changesFor(task: Task): Change[] {
    if (mayBeSentAgain(task) || (isLive(task) && !this.#taskIds.has(task.id))) return [];
    return [this.removal(task.id)];
  }

  removal(id: string): Change {
    return this.#namespace.removal(id);
  }

  /** To be called when a task no longer needs its row, or is no longer live. */
  forget(id: string): void {
    this.#taskIds.delete(id);
  }
}

const remoteSchema = z.object({ id: z.string() });

/** Finds tasks by remote id. A row is only a reference: the task itself says whether it still exists and has that id. */
export class RemoteIdRows {
  readonly #namespace: Namespace;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  async changesFor(task: Task): Promise<Change[]> {
    const { id, traits, remoteId } = task;
    if (remoteId === undefined || !traits.isFollowable) return [];
    if (!isLive(task)) return [this.#namespace.row(rowKey(remoteId), { id }, RETENTION_MS)];
    return (await this.find(remoteId)) === id ? [] : [this.#namespace.row(rowKey(remoteId), { id })];
  }

  async find(remoteId: string): Promise<string | undefined> {
    return remoteSchema.safeParse(await this.#namespace.get(rowKey(remoteId))).data?.id;
  }

  async removals({ id, remoteId }: Task): Promise<Change[]> {
    if (remoteId === undefined || (await this.find(remoteId)) !== id) return [];
    return [this.#namespace.removal(rowKey(remoteId))];
  }
}
