/** More names than members can produce within a short time. */
const MAX_NAMES = 1_000;

/** Remembers the newest names, so that work is done only once for each. */
export class RecentNames {
  readonly #names = new Set<string>();

  addIfNew(name: string): boolean {
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    const [oldest] = this.#names;
    if (this.#names.size > MAX_NAMES && oldest !== undefined) this.#names.delete(oldest);
    return true;
  }
}
