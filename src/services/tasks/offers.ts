import { type ActionFamily, meaningOfAction } from './actions.ts';

/** Gateways answer that they do not know it (wire facts). */
const NEVER_OFFERED: readonly ActionFamily[] = ['favourite'];

/** Which of the buttons on results this gateway takes. What it has refused once is not offered again until the bot restarts. */
export class Offers {
  readonly #refused = new Set<string>(NEVER_OFFERED);

  refuse(customId: string): void {
    this.#refused.add(nameOf(customId));
  }

  isOffered(customId: string): boolean {
    return !this.#refused.has(nameOf(customId));
  }
}

/** The same button of another result is refused as well; of those that nobody has heard of only the very same is. */
function nameOf(customId: string): string {
  const { family } = meaningOfAction(customId);
  return family === 'other' ? customId : family;
}
