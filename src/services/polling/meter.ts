/** The rate is that of about so long a time. */
const SPAN_MS = 1_000;

/** How many a second there have been of late: what is long past fades. */
export class Meter {
  #perSecond = 0;
  #at = Number.NEGATIVE_INFINITY;

  count(now: number): void {
    this.#perSecond = this.rate(now) + 1_000 / SPAN_MS;
    this.#at = now;
  }

  rate(now: number): number {
    return this.#perSecond === 0 ? 0 : this.#perSecond * Math.exp((this.#at - now) / SPAN_MS);
  }
}
