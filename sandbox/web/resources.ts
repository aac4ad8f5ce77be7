import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Closes resources at the end, newest first. */
export class Resources {
  readonly #closers: (() => unknown)[] = [];
  #isClosed = false;

  /** A resource that is added after `close` is closed immediately. */
  async add<Resource>(resource: Resource, close: () => unknown): Promise<Resource> {
    if (this.#isClosed) await close();
    else this.#closers.push(close);
    return resource;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) await close();
  }
}

/** Creates a folder that is removed even if the process exits early. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'atelier-sandbox-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}
