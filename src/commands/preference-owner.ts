import { mayManageChannels, mayManageServer } from '../discord/interaction-facts.ts';
import { Refusal } from '../lib/refusal.ts';
import type { PreferenceLevel, PreferenceOwner } from '../services/orders/preference-set.ts';
import { preferenceOwnersOf } from '../services/orders/preferences.ts';
import type { Context } from './feature.ts';

/** Whose settings a page is about, where it is used. */
export function preferenceOwnerHere(
  of: PreferenceLevel,
  { facts: { userId: memberId, ...place } }: Context,
): PreferenceOwner {
  const owner = preferenceOwnersOf({ ...place, memberId })[of];
  if (!owner) throw new Refusal('refusals.settings.noServer');
  return owner;
}

export function mayChangePreferences(of: PreferenceLevel, { facts }: Context): boolean {
  if (of === 'channel') return mayManageChannels(facts);
  return of === 'member' || mayManageServer(facts);
}

/** Checked with every command, press and form, because permissions change. */
export function changeableOwner(of: PreferenceLevel, context: Context): PreferenceOwner {
  const owner = preferenceOwnerHere(of, context);
  if (!mayChangePreferences(of, context))
    throw new Refusal(of === 'channel' ? 'refusals.settings.channelNotYours' : 'refusals.settings.serverNotYours');
  return owner;
}
