import { type Clock, SteadyClock } from '../../lib/clock.ts';
import { type ActionFamily, meaningOfAction } from './actions.ts';
import type { TaskKind } from './task.ts';

/** Errors with which gateways say that they do not support an endpoint. */
const NEVER_OFFERED: ReadonlySet<string> = new Set<ActionFamily>(['favourite']);

/** The gateway may switch to another upstream provider at any time, so a refused kind is offered again after a while. */
const REMEMBERED_MS = 10 * 60_000;
/** Gateways may invent button names, so the oldest are dropped. */
const MAX_REMEMBERED = 200;

/** The features that this gateway supports. One that it refused by a code is not offered for some minutes, or until it succeeds again. */
export class Offers {
  readonly #clock: SteadyClock;
  /** The time until which each is not offered, oldest first. */
  readonly #refused = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = new SteadyClock(clock);
  }

  /** The gateway refused it with a specific code. `as` is a button's custom action ID or a kind's name. */
  markRefused(as: string): void {
    const name = nameOf(as);
    this.#refused.delete(name);
    this.#refused.set(name, this.#clock.now() + REMEMBERED_MS);
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= MAX_REMEMBERED) break;
      this.#refused.delete(oldest);
    }
  }

  markAccepted(as: string): void {
    this.#refused.delete(nameOf(as));
  }

  isOffered(customId: string): boolean {
    const name = nameOf(customId);
    return !NEVER_OFFERED.has(name) && !this.#isRefused(name);
  }

  isMissing(kind: TaskKind): boolean {
    return this.#isRefused(kindOfferName(kind));
  }

  #isRefused(name: string): boolean {
    const until = this.#refused.get(name);
    return until !== undefined && this.#clock.now() < until;
  }
}

export const kindOfferName = (kind: TaskKind): string => `kind ${kind}`;

/** Covers the same button on other results; an unknown button is only compared with itself. */
function nameOf(customId: string): string {
  const { family } = meaningOfAction(customId);
  return family === 'other' ? customId : family;
}
