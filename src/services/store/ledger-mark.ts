import { z } from 'zod';
import type { Shelf } from './shelf.ts';

const KEY = 'ledger';
const markSchema = z.object({ openSince: z.string() });

/** Says that a ledger is kept, and from which day on its entries may still be open: a start looks no further back. */
export class LedgerMark {
  readonly #meta: Shelf;

  constructor(meta: Shelf) {
    this.#meta = meta;
  }

  async read(): Promise<string | undefined> {
    return markSchema.safeParse(await this.#meta.get(KEY)).data?.openSince;
  }

  async write(openSince: string): Promise<void> {
    if ((await this.read()) !== openSince) await this.#meta.put(KEY, { openSince });
  }
}
