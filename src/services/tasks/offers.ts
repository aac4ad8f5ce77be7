import { type Clock, SteadyClock } from '../../lib/clock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { type ActionFamily, meaningOfAction } from './actions.ts';
import type { Kind } from './kind.ts';
import type { TaskKind } from './kind-spec.ts';
import type { OrderedRequest } from './transitions.ts';

const NEVER_OFFERED: ReadonlySet<string> = new Set<ActionFamily>(['favourite']);

/** A refused kind is offered again after a while, because the gateway may switch to another upstream provider at any time. */
const REFUSAL_TTL_MS = 10 * 60_000;
/** The oldest names are dropped, because a gateway could invent any number of button names. */
const MAX_REFUSED_FEATURES = 200;

/**
 * Remembers which features this gateway does not support. A feature that it refused with a specific code is not offered for some
 * minutes, or until it succeeds again.
 */
export class Offers {
  readonly #clock: SteadyClock;
  readonly #refusedUntil = new RecentMap<string, number>(MAX_REFUSED_FEATURES);

  constructor(clock: Clock) {
    this.#clock = new SteadyClock(clock);
  }

  /** Records that the gateway refused an action with a specific code. `feature` is a button's custom action ID or the offer name of a kind. */
  markRefused(feature: string): void {
    this.#refusedUntil.set(nameOf(feature), this.#clock.now() + REFUSAL_TTL_MS);
  }

  markAccepted(feature: string): void {
    this.#refusedUntil.delete(nameOf(feature));
  }

  isOffered(customId: string): boolean {
    const name = nameOf(customId);
    return !NEVER_OFFERED.has(name) && !this.#isRefused(name);
  }

  isKindRefused(kind: TaskKind): boolean {
    return this.#isRefused(kindOfferName(kind));
  }

  #isRefused(name: string): boolean {
    const until = this.#refusedUntil.get(name);
    return until !== undefined && this.#clock.now() < until;
  }
}

export const kindOfferName = (kind: TaskKind): string => `kind ${kind}`;

export const offerNameOf = (kind: Kind, { request }: OrderedRequest<TaskKind>): string =>
  kind.offerName?.(request) ?? kindOfferName(kind.name);

/** The same button on other results has the same name. A button with an unknown meaning has a name of its own. */
function nameOf(customId: string): string {
  const { family } = meaningOfAction(customId);
  return family === 'other' ? customId : family;
}
