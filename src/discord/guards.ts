import { Refusal } from '../lib/refusal.ts';
import type { Place } from './place.ts';

/** Looks at the payload alone, before the acknowledgement: a refusal, or nothing. */
export type Guard = (place: Place) => Refusal | undefined;

/** Whoever may order spends the operator's money, so only the operator's servers (and, if wanted, personal installs) may. */
export function servedHere(served: { guildIds: readonly string[]; userInstall: boolean }): Guard {
  return ({ guildId, install }) => {
    if (install === 'user') return served.userInstall ? undefined : new Refusal('refusals.notUserInstallable');
    if (served.guildIds.length === 0) return undefined;
    // A direct message names no server, so nobody can tell whether it comes from one that is served.
    const isServed = guildId !== undefined && served.guildIds.includes(guildId);
    return isServed ? undefined : new Refusal('refusals.guildNotServed');
  };
}

export function firstRefusal(guards: readonly Guard[], place: Place): Refusal | undefined {
  for (const guard of guards) {
    const refusal = guard(place);
    if (refusal) return refusal;
  }
  return undefined;
}
