import { type Clock, SteadyClock } from '../../lib/clock.ts';
import type { RefusableFeature } from '../tasks/answer.ts';

/** A gateway may get other channels for a model at any time. */
const REMEMBERED_MS = 6 * 3_600_000;
/** Members can name any model, so the oldest are dropped. */
const MAX_MODELS = 500;

/** What models refused is not sent to them for some hours. */
export class RefusedFeatures {
  readonly #clock: SteadyClock;
  readonly #refused = new Map<string, { features: readonly RefusableFeature[]; until: number }>();

  constructor(clock: Clock) {
    this.#clock = new SteadyClock(clock);
  }

  of(model: string): readonly RefusableFeature[] {
    const known = this.#refused.get(model);
    return known && this.#clock.now() < known.until ? known.features : [];
  }

  add(model: string, feature: RefusableFeature): void {
    const features = [...new Set([...this.of(model), feature])];
    this.#refused.delete(model);
    this.#refused.set(model, { features, until: this.#clock.now() + REMEMBERED_MS });
    const [oldest = model] = this.#refused.keys();
    if (this.#refused.size > MAX_MODELS) this.#refused.delete(oldest);
  }
}
