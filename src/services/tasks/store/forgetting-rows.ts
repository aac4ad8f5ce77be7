import { z } from 'zod';
import type { ForgettingMark } from '../task-store.ts';
import type { Shelf } from './shelf.ts';

const schema = z.object({ memberId: z.string(), until: z.number(), secret: z.string() });

/** Who wants to be forgotten, until nothing of them is left. */
export class ForgettingRows {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  async all(): Promise<ForgettingMark[]> {
    const marks: ForgettingMark[] = [];
    for await (const [, value] of this.#shelf.entries()) marks.push(schema.parse(value));
    return marks;
  }

  put(mark: ForgettingMark): Promise<void> {
    return this.#shelf.put(mark.memberId, mark);
  }

  remove(memberId: string): Promise<void> {
    return this.#shelf.delete(memberId);
  }
}
