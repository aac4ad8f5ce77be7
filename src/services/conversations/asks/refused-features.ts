import { type Clock, SteadyClock } from '../../../lib/clock.ts';
import { RecentMap } from '../../../lib/recent-map.ts';
import type { RefusableFeature } from '../../tasks/answer.ts';

export interface Omission {
  features: readonly RefusableFeature[];
  /** The features whose omission the member is notified of. */
  announced: readonly RefusableFeature[];
  /** Features that the gateway's error named. They are known to be unsupported once a request without them succeeds. */
  namedInError: readonly RefusableFeature[];
  /** Features that were left out although the gateway's error named none. */
  guessed: readonly RefusableFeature[];
  /** The feature that was left out last. It is also known to be unsupported once that request succeeds. */
  lastOmitted?: RefusableFeature | undefined;
}

type KnownRefusals = Pick<Omission, 'features' | 'guessed'>;

export const omit = (
  omission: Omission,
  { part, isNamed, isBecauseOfSize = false }: { part: RefusableFeature; isNamed: boolean; isBecauseOfSize?: boolean },
): Omission => ({
  features: [...omission.features, part],
  announced: [...omission.announced, part],
  guessed: isNamed || isBecauseOfSize ? omission.guessed : [...omission.guessed, part],
  namedInError: isNamed ? [...omission.namedInError, part] : omission.namedInError,
  lastOmitted: isBecauseOfSize ? omission.lastOmitted : part,
});

/** Refusals are forgotten after this time, because the gateway may switch a model to another upstream provider. */
const MEMORY_MS = 6 * 3_600_000;
/** Members can name any model, so the oldest are dropped. */
const MAX_MODELS = 500;

/** Remembers for six hours which features each model refused, and which of them are guesses, so they are not sent again. */
export class RefusedFeatures {
  readonly #clock: SteadyClock;
  readonly #knownByModel = new RecentMap<string, KnownRefusals & { until: number }>(MAX_MODELS);

  constructor(clock: Clock) {
    this.#clock = new SteadyClock(clock);
  }

  get(model: string): KnownRefusals {
    const entry = this.#knownByModel.get(model);
    return entry && this.#clock.now() < entry.until ? entry : { features: [], guessed: [] };
  }

  learn(model: string, omission: Omission): void {
    const { namedInError, lastOmitted } = omission;
    const known = this.get(model);
    const newFeatures = lastOmitted === undefined ? namedInError : [...namedInError, lastOmitted];
    if (newFeatures.length === 0) return;
    const features = [...new Set([...known.features, ...newFeatures])];
    const guesses = new Set([...known.guessed, ...omission.guessed]).difference(new Set(namedInError));
    const guessed = features.filter((part) => guesses.has(part));
    this.#knownByModel.set(model, { features, guessed, until: this.#clock.now() + MEMORY_MS });
  }
}
