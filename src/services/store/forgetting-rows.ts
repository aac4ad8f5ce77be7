import { z } from 'zod';
import type { ForgettingMark } from '../tasks/task-store.ts';
import type { Quarantine } from './quarantine.ts';
import type { Shelf } from './shelf.ts';

const count = z.number().default(0);

export const forgettingSchema = z.object({
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
export class ForgettingRows {
  readonly #shelf: Shelf;
  readonly #quarantine: Quarantine;

  constructor(shelf: Shelf, quarantine: Quarantine) {
    this.#shelf = shelf;
    this.#quarantine = quarantine;
  }

  async all(): Promise<ForgettingMark[]> {
    const rows = new Map<string, unknown>();
    for await (const [key, value] of this.#shelf.entries()) rows.set(key, value);
    const marks: ForgettingMark[] = [];
    for (const [key, value] of rows) {
      const { data } = forgettingSchema.safeParse(value);
      if (data) marks.push(data);
      else await this.#quarantine.take(this.#shelf, key, value, 'cannot be read');
    }
    return marks;
  }

  put(mark: ForgettingMark): Promise<void> {
    return this.#shelf.put(mark.memberId, mark);
  }

  remove(memberId: string): Promise<void> {
    return this.#shelf.delete(memberId);
  }
}
