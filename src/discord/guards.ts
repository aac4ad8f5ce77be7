import { PermissionFlagsBits as May, PermissionsBitField } from 'discord.js';
import { Refusal } from '../lib/refusal.ts';
import type { Place } from './place.ts';

/** Looks at the payload alone, before the acknowledgement: a refusal, or nothing. A command's own guards also see its values. */
export type Guard<Given = unknown> = (place: Place, given: Given) => Refusal | undefined;

/** Whoever may order spends the operator's money, so only the operator's servers (and, if wanted, personal installs) may. */
export function servedHere(served: {
  guildIds: readonly string[];
  userInstall: boolean;
}): (place: Pick<Place, 'guildId' | 'install'>, given: unknown) => Refusal | undefined {
  return ({ guildId, install }) => {
    if (install === 'user') return served.userInstall ? undefined : new Refusal('refusals.notUserInstallable');
    if (served.guildIds.length === 0) return undefined;
    // A direct message names no server, so nobody can tell whether it comes from one that is served.
    const isServed = guildId !== undefined && served.guildIds.includes(guildId);
    return isServed ? undefined : new Refusal('refusals.guildNotServed');
  };
}

/** What a public result needs, by the names that Discord's settings show; one of each line is enough. */
const TO_POST_FILES = [
  { bits: May.ViewChannel, name: 'View Channel' },
  // The payload does not say whether this channel is a thread. To believe too much costs a detour in the delivery;
  // to believe too little would refuse what works.
  { bits: May.SendMessages | May.SendMessagesInThreads, name: 'Send Messages' },
  { bits: May.AttachFiles, name: 'Attach Files' },
];

/**
 * A public result outlives the interaction's token, and then only the bot's own permissions bring it to its message.
 * What only its member sees takes the token or nothing, and a person's install brings no bot into the channel.
 */
export const mayPostFiles: Guard<{ private?: boolean | undefined }> = (place, given) => {
  if (given.private || place.install === 'user' || place.guildId === undefined) return undefined;
  const granted = new PermissionsBitField(place.appPermissions);
  const missing = TO_POST_FILES.filter(({ bits }) => !granted.any(bits)).map(({ name }) => name);
  return missing.length === 0 ? undefined : new Refusal('refusals.picturesNotPostable', { missing });
};

export function firstRefusal<Given>(guards: readonly Guard<Given>[], place: Place, given: Given): Refusal | undefined {
  for (const guard of guards) {
    const refusal = guard(place, given);
    if (refusal) return refusal;
  }
  return undefined;
}
