import { type Clock, SteadyClock } from '../../lib/clock.ts';
import type { RefusableFeature } from '../tasks/answer.ts';

/** The features that a request is sent without. */
export interface Omission {
  without: readonly RefusableFeature[];
  /** Those that the member is notified of. */
  told: readonly RefusableFeature[];
  /** Features that the gateway's error named. They are known to be unsupported once a request without them succeeds. */
  named: readonly RefusableFeature[];
  /** The feature that was left out last. It is also known to be unsupported once that request succeeds. */
  last?: RefusableFeature | undefined;
}

export const omit = (
  omission: Omission,
  { part, isNamed, isBecauseOfSize = false }: { part: RefusableFeature; isNamed: boolean; isBecauseOfSize?: boolean },
): Omission => ({
  without: [...omission.without, part],
  told: [...omission.told, part],
  named: isNamed ? [...omission.named, part] : omission.named,
  last: isBecauseOfSize ? omission.last : part,
});

/** Refusals are forgotten after this time, because the gateway may switch a model to another upstream provider. */
const REMEMBERED_MS = 6 * 3_600_000;
/** Members can name any model, so the oldest are dropped. */
const MAX_MODELS = 500;

/** Remembers for six hours which features each model refused, so they are not sent again. */
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

  /** Call this when a request without these features has succeeded. */
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
