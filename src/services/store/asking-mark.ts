import { z } from 'zod';
import type { Shelf } from './shelf.ts';

const KEY = 'last';
const markSchema = z.object({ at: z.number() });

/** Until when the gateway was asked about tasks: the next start keeps its distance from questions of which no task tells. */
export class AskingMark {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  async read(): Promise<number | undefined> {
    return markSchema.safeParse(await this.#shelf.get(KEY)).data?.at;
  }

  write(at: number): Promise<void> {
    return this.#shelf.put(KEY, { at });
  }
}
