import { z } from 'zod';
import { type SentOrder, sentOrder } from '../../tasks/kind.ts';
import { isLive, mayBeSentAgain, type Task } from '../../tasks/task.ts';
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

  /** Runs after the task is stored, since the task says whether the row is still needed. */
  async update(task: Task): Promise<void> {
    if (isLive(task) && !this.#taskIds.has(task.id)) return;
    if (!mayBeSentAgain(task)) await this.remove(task.id);
    else if (!isLive(task)) this.#taskIds.delete(task.id);
  }

  async remove(id: string): Promise<void> {
    await this.#namespace.delete(id);
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

  /** Runs before the task is stored, so that every stored task can be found. */
  async put(task: Task): Promise<void> {
    const { id, traits, remoteId } = task;
    if (remoteId === undefined || !traits.isFollowable) return;
    if (isLive(task)) {
      if ((await this.find(remoteId)) !== id) await this.#namespace.put(rowKey(remoteId), { id });
    } else await this.#namespace.put(rowKey(remoteId), { id }, RETENTION_MS);
  }

  async find(remoteId: string): Promise<string | undefined> {
    return remoteSchema.safeParse(await this.#namespace.get(rowKey(remoteId))).data?.id;
  }

  async remove({ id, remoteId }: Task): Promise<void> {
    if (remoteId !== undefined && (await this.find(remoteId)) === id) await this.#namespace.delete(rowKey(remoteId));
  }
}
