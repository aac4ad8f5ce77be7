import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What has to be put away at the end, the newest first. */
export class Belongings {
  readonly #closers: (() => unknown)[] = [];
  #isClosed = false;

  /** What comes when everything is over already is put away at once. */
  async keep<Thing>(thing: Thing, close: () => unknown): Promise<Thing> {
    if (this.#isClosed) await close();
    else this.#closers.push(close);
    return thing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) await close();
  }
}

/** Gone at the end, also where this process ends without asking anybody. */
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
