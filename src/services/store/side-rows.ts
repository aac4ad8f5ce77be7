import { z } from 'zod';
import { isLive, mayBeSentAgain, type Task } from '../tasks/task.ts';
import type { Duration, ForgettingMark, SentBody } from '../tasks/task-store.ts';
import { fitting, type Quarantine, Rows } from './rows.ts';
import type { Shelf } from './shelf.ts';
import { RETENTION_MS } from './task-rows.ts';

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

const remoteSchema = z.object({ id: z.string() });

/** Which task the gateway knows by which id. A row only points: whether its task is there, and goes by that id, is asked of the task. */
export class RemoteRows {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Before the task itself, so that none is there that cannot be found. */
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

/** The key comes from outside: an empty one is no key to keyv, and one that begins like the namespace loses its beginning. */
export const rowKey = (key: string): string => `of ${key}`;

const durationsSchema = z.object({
  durations: z.array(
    z.object({ atLeastMs: z.number(), atMostMs: z.number(), at: z.number(), waitedMs: z.number().optional() }),
  ),
});

export const durationRows = (shelf: Shelf, quarantine: Quarantine) =>
  new Rows(shelf, quarantine, fitting<{ durations: Duration[] }>(durationsSchema));

const count = z.number().default(0);

const forgettingSchema = z.object({
  memberId: z.string(),
  until: z.number(),
  secret: z.string(),
  tasks: count,
  messages: count,
  stays: count,
  left: z.array(z.object({ guildId: z.string().optional(), channelId: z.string(), id: z.string() })).default([]),
  told: z.number().optional(),
});

/** Who wants to be forgotten, until nothing of them is left. */
export const forgettingRows = (shelf: Shelf, quarantine: Quarantine) =>
  new Rows(shelf, quarantine, fitting<ForgettingMark>(forgettingSchema));
