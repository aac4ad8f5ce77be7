import { type ActionFamily, meaningOfAction } from './actions.ts';
import type { TaskKind } from './task.ts';

/** Gateways answer that they do not know it (wire facts). */
const NEVER_OFFERED: readonly ActionFamily[] = ['favourite'];

/** What this gateway takes. What it has refused once is not offered again until the bot restarts. */
export class Offers {
  readonly #refused = new Set<string>(NEVER_OFFERED);
  readonly #missing = new Set<TaskKind>();

  refuse(customId: string): void {
    this.#refused.add(nameOf(customId));
  }

  /** Of the buttons on results. */
  isOffered(customId: string): boolean {
    return !this.#refused.has(nameOf(customId));
  }

  /** It has no way to order this kind of job. */
  miss(kind: TaskKind): void {
    this.#missing.add(kind);
  }

  isMissing(kind: TaskKind): boolean {
    return this.#missing.has(kind);
  }
}

/** The same button of another result is refused as well; of those that nobody has heard of only the very same is. */
function nameOf(customId: string): string {
  const { family } = meaningOfAction(customId);
  return family === 'other' ? customId : family;
}
