import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Filling, fillStore } from './filled-store.ts';

/** Stores for measurements, in a temporary folder: a store of the operator must neither be read nor written. */
export class StoreFolder {
  readonly #folder: string;
  #stores = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<StoreFolder> {
    return new StoreFolder(await mkdtemp(join(tmpdir(), 'atelier-bench-')));
  }

  /** Fills a new store; the ages of its tasks are relative to now. */
  async filled(filling: Filling): Promise<string> {
    this.#stores += 1;
    const file = join(this.#folder, `${this.#stores}.sqlite`);
    await fillStore(file, filling);
    return file;
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
