/**
 * A map of limited size. `set` makes an entry the newest, and drops the oldest thousandth if there are too many: one at a time would be slow in a
 * large map, because reading it skips every entry that was deleted before its first one.
 */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#max) for (const oldest of this.keys().take(Math.ceil(this.#max / 1_000))) this.delete(oldest);
    return this;
  }
}
