import { mayManageServer } from '../../discord/interaction-facts.ts';
import { PermissionRefusal, Refusal } from '../../lib/refusal.ts';
import { canHold, type RuleSet, type RulesAuthor, usesModeration } from '../../services/safety/server-rules.ts';
import type { Context } from '../feature.ts';

/** Returns the server of the interaction, or refuses if the member cannot change its rules. Checked on every command, press and form. */
export function managedServer({ facts, services }: Context): { guildId: string; author: RulesAuthor } {
  const { guildId, userId, install } = facts;
  if (guildId === undefined || install !== 'guild') throw new Refusal('refusals.rules.noServer');
  if (!mayManageServer(facts)) throw new PermissionRefusal('refusals.rules.notYours');
  return { guildId, author: { by: userId, at: services.clock.now() } };
}

/** Refuses moderation that holds results where moderators would have no channel to decide in. */
export function assertCanHold(moderation: RuleSet['moderation'], logChannelId: string | undefined, context: Context) {
  const { alertsChannelId } = context.services.money.budgets.get(managedServer(context).guildId);
  if (canHold(moderation) && (logChannelId ?? alertsChannelId) === undefined)
    throw new Refusal('refusals.rules.holdNeedsLog');
}

/** Refuses thresholds that would never apply. If the service is unavailable, all are accepted. */
export async function requireCategories(thresholds: object, { services }: Context): Promise<void> {
  const found = await services.safety.rules.unknownCategories(Object.keys(thresholds));
  if (found && found.unknown.length > 0) throw new Refusal('refusals.rules.unknownCategories', found);
}

/** Refuses moderation that the operator has configured no service for, or that holds results without a channel. */
export function assertCanModerate(
  moderation: RuleSet['moderation'],
  logChannelId: string | undefined,
  context: Context,
): void {
  if (usesModeration(moderation) && !context.services.safety.rules.hasModerationService)
    throw new Refusal('refusals.rules.noModerator');
  assertCanHold(moderation, logChannelId, context);
}
