import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillStore, type StoreContent } from './filled-store.ts';

/** Stores for measurements, in a temporary folder: the operator's store must neither be read nor written. */
export class StoreFolder {
  readonly #folder: string;
  #stores = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<StoreFolder> {
    return new StoreFolder(await mkdtemp(join(tmpdir(), 'atelier-bench-')));
  }

  /** Creates and fills a new store; the ages of its tasks are relative to now. */
  async createStore(content: StoreContent): Promise<string> {
    const file = this.newFile();
    await fillStore(file, content);
    return file;
  }

  /** The path of a store that does not exist yet. */
  newFile(): string {
    this.#stores += 1;
    return join(this.#folder, `${this.#stores}.sqlite`);
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
