import { type Clock, SteadyClock } from '../../lib/clock.ts';
import type { RefusableFeature } from '../tasks/answer.ts';

/** What a request is sent without. */
export interface Omission {
  without: readonly RefusableFeature[];
  /** What of it the member is told. */
  told: readonly RefusableFeature[];
  /** What the model refuses for certain once a request without it works: what the gateway named, and what was left out last. */
  named: readonly RefusableFeature[];
  last?: RefusableFeature | undefined;
}

export const omit = (
  omission: Omission,
  { part, isNamed, isOfSize = false }: { part: RefusableFeature; isNamed: boolean; isOfSize?: boolean },
): Omission => ({
  without: [...omission.without, part],
  told: [...omission.told, part],
  named: isNamed ? [...omission.named, part] : omission.named,
  last: isOfSize ? omission.last : part,
});

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

  /** A request that left these out has worked. */
  learn(model: string, { named, last }: Omission): void {
    const learned = last === undefined ? named : [...named, last];
    if (learned.length === 0) return;
    const features = [...new Set([...this.of(model), ...learned])];
    this.#refused.delete(model);
    this.#refused.set(model, { features, until: this.#clock.now() + REMEMBERED_MS });
    const [oldest = model] = this.#refused.keys();
    if (this.#refused.size > MAX_MODELS) this.#refused.delete(oldest);
  }
}
