import { isLive, type Task, type TaskKind } from '../tasks/task.ts';
import { RETENTION_MS } from './retention.ts';
import type { Shelf } from './shelf.ts';

/** Nothing else can be followed by its id. */
const FOLLOWABLE: ReadonlySet<TaskKind> = new Set(['song', 'music']);

/** Which task the gateway knows by which id. A row only points: whether its task is there, and goes by that id, is asked of the task. */
export class RemoteRows {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Before the task itself, so that none is there that cannot be found. */
  async point(task: Task): Promise<void> {
    const { id, kind, remoteId } = task;
    if (remoteId === undefined || !FOLLOWABLE.has(kind)) return;
    if (isLive(task)) {
      if ((await this.find(remoteId)) !== id) await this.#shelf.put(rowKey(remoteId), { id });
    } else await this.#shelf.put(rowKey(remoteId), { id }, RETENTION_MS);
  }

  async find(remoteId: string): Promise<string | undefined> {
    const row = await this.#shelf.get(rowKey(remoteId));
    const id = (row as { id?: unknown } | undefined)?.id;
    return typeof id === 'string' ? id : undefined;
  }

  async forget({ id, remoteId }: Task): Promise<void> {
    if (remoteId !== undefined && (await this.find(remoteId)) === id) await this.#shelf.delete(rowKey(remoteId));
  }
}

/** It comes from outside: an empty one is no key to keyv, and one that begins like the namespace loses its beginning. */
const rowKey = (remoteId: string): string => `of ${remoteId}`;
