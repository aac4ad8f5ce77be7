import { type Clock, SteadyClock } from '../../lib/clock.ts';
import { type ActionFamily, meaningOfAction } from './actions.ts';
import type { TaskKind } from './task.ts';

/** Gateways answer that they do not know it (wire facts). */
const NEVER_OFFERED: ReadonlySet<string> = new Set<ActionFamily>(['favourite']);

/** A gateway gets new channels without telling anybody, so that what it has not is asked for again after a while. */
const REMEMBERED_MS = 10 * 60_000;
/** Gateways name buttons as they like: of those that nobody has heard of, the oldest go first. */
const MOST_REMEMBERED = 200;

/** What this gateway takes. What it has refused by name is not offered for some minutes, or until it was taken after all. */
export class Offers {
  readonly #clock: SteadyClock;
  /** Until when each is not offered, the oldest first. */
  readonly #refused = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = new SteadyClock(clock);
  }

  /** The gateway has said by a code of its own that it has no way to do this: what a button, or a kind, goes by. */
  refuse(as: string): void {
    const name = nameOf(as);
    this.#refused.delete(name);
    this.#refused.set(name, this.#clock.now() + REMEMBERED_MS);
    for (const oldest of this.#refused.keys()) {
      if (this.#refused.size <= MOST_REMEMBERED) break;
      this.#refused.delete(oldest);
    }
  }

  /** It has taken one. */
  take(as: string): void {
    this.#refused.delete(nameOf(as));
  }

  /** Of the buttons on results. */
  isOffered(customId: string): boolean {
    const name = nameOf(customId);
    return !NEVER_OFFERED.has(name) && !this.#isRefused(name);
  }

  /** It has no way to order this kind of job. */
  isMissing(kind: TaskKind): boolean {
    return this.#isRefused(kindName(kind));
  }

  #isRefused(name: string): boolean {
    const until = this.#refused.get(name);
    return until !== undefined && this.#clock.now() < until;
  }
}

export const kindName = (kind: TaskKind): string => `kind ${kind}`;

/** The same button of another result is refused as well; of those that nobody has heard of only the very same is. */
function nameOf(customId: string): string {
  const { family } = meaningOfAction(customId);
  return family === 'other' ? customId : family;
}
