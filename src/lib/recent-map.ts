import { type Clock, SteadyClock } from './clock.ts';

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

/** Values that are read from elsewhere, and read again after a while. */
export class RecentValues<Value> {
  readonly #read: (key: string) => Promise<Value>;
  readonly #forMs: number;
  readonly #clock: Clock;
  readonly #values: RecentMap<string, { until: number; value: Promise<Value> }>;

  constructor(read: (key: string) => Promise<Value>, { forMs, max }: { forMs: number; max: number }, clock: Clock) {
    this.#read = read;
    this.#forMs = forMs;
    this.#clock = new SteadyClock(clock);
    this.#values = new RecentMap(max);
  }

  get(key: string): Promise<Value> {
    const now = this.#clock.now();
    const known = this.#values.get(key);
    if (known && known.until > now) return known.value;
    const value = this.#read(key);
    this.put(key, value);
    // A failed read is not kept.
    value.catch(() => this.#values.delete(key));
    return value;
  }

  put(key: string, value: Promise<Value>): void {
    this.#values.set(key, { until: this.#clock.now() + this.#forMs, value });
  }
}
