/** Polls that were running at the first complaint bring complaints too, for the same reason. */
const ONE_COMPLAINT_MS = 2_000;
/** How long the rate takes to rise from half of the excessive rate back to it; then it rises further. */
const RECOVERY_MS = 20_000;
/** However low the rate fell, it is fully restored after this time. */
const MAX_RECOVERY_MS = 10 * 60_000;
/** A share that always remains, because without polls a gateway cannot show that it has recovered. */
const MIN_SHARE = 0.01;

/** The share of the operator's limit that may be used. It is halved when the gateway complains and rises slowly, so it settles below the rate that the gateway accepts. */
export class Pace {
  #halvedShare = 1;
  #risePerMs = 1 / MAX_RECOVERY_MS;
  #halvedAt = Number.NEGATIVE_INFINITY;

  shareAt(now: number): number {
    return Math.min(1, this.#halvedShare + this.#risePerMs * Math.max(0, now - this.#halvedAt));
  }

  /** `usedShare` belongs to the recent rate of polls: a limit above it did no harm. Returns whether the share has changed. */
  halve(usedShare: number, now: number): boolean {
    if (now - this.#halvedAt < ONE_COMPLAINT_MS) return false;
    const excessiveShare = Math.min(this.shareAt(now), Math.max(usedShare, MIN_SHARE));
    this.#halvedShare = Math.max(MIN_SHARE, excessiveShare / 2);
    this.#risePerMs = Math.max(excessiveShare / 2 / RECOVERY_MS, 1 / MAX_RECOVERY_MS);
    this.#halvedAt = now;
    return true;
  }
}
