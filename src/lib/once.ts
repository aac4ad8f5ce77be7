/** So many names are more than anybody can press in a moment. */
const MOST_REMEMBERED = 1_000;

/** What has been done once already, among the newest things, as long as this process lives. */
export class Once {
  readonly #names = new Set<string>();

  isFirst(name: string): boolean {
    if (this.#names.has(name)) return false;
    this.#names.add(name);
    const [oldest] = this.#names;
    if (this.#names.size > MOST_REMEMBERED && oldest !== undefined) this.#names.delete(oldest);
    return true;
  }
}
