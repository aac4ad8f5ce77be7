import { type Clock, SteadyClock } from './clock.ts';
import { RecentMap } from './recent-map.ts';

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
