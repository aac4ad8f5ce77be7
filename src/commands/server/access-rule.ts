import type { FormValues, MessagePlan } from '../../discord/plan.ts';
import { listText } from '../../lib/formats.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { RuleTargets } from '../../services/safety/rules-file.ts';
import { type AccessRule, accessText, MAX_ACCESS_RULES, MENTIONS } from '../../services/safety/server-rules.ts';
import type { Context } from '../feature.ts';
import { parseModels } from './lines.ts';
import { managedServer } from './managed-server.ts';
import { previewRules } from './page.ts';
import { accessMarkdown, accessScope } from './readable.ts';

function readAccessRule(
  { fields, lists }: FormValues,
  { kindsByCommand }: RuleTargets,
  everyoneId: string,
): AccessRule {
  const { subjects = [], roles: chosenRoles = [], channels = [] } = lists;
  const roles = chosenRoles.includes(everyoneId) ? [] : chosenRoles;
  const isAboutEverything = subjects.includes('everything');
  const named = subjects.flatMap((subject): readonly string[] =>
    subject === MENTIONS ? [MENTIONS] : (kindsByCommand.get(subject) ?? []),
  );
  const kinds = isAboutEverything ? [] : named;
  const models = isAboutEverything ? [] : parseModels(fields.models ?? '');
  const effect = fields.effect === 'allow' ? 'allow' : 'deny';
  if (!isAboutEverything && kinds.length + models.length === 0) throw new Refusal('refusals.rules.noModels');
  if (effect === 'allow' && roles.length + channels.length === 0) throw new Refusal('refusals.rules.allowedToAll');
  return {
    effect,
    ...(kinds.length > 0 && { kinds }),
    ...(models.length > 0 && { models }),
    ...(roles.length > 0 && { roleIds: [...roles] }),
    ...(channels.length > 0 && { channelIds: [...channels] }),
  };
}

/** Shows what a new rule would do, and asks whether to add it. */
export async function previewAccessRule(values: FormValues, context: Context): Promise<MessagePlan> {
  const { services, say } = context;
  const { guildId } = managedServer(context);
  const { rules } = services.safety.rules.get(guildId);
  const rule = readAccessRule(values, services.safety.targets, guildId);
  const added = accessText(rule);
  if (rules.access.some((one) => accessText(one) === added)) throw new Refusal('refusals.rules.sameAccessRule');
  if (rules.access.length >= MAX_ACCESS_RULES)
    throw new Refusal('refusals.rules.tooManyAccessRules', { max: MAX_ACCESS_RULES, count: MAX_ACCESS_RULES });
  const lines = [
    say('rules.preview.rule'),
    `- ${accessMarkdown(added, services.safety.targets, say)}`,
    effectText(rule, say),
    ...denialLines(rule, rules.access, context),
    ...(rule.kinds || rule.models || !services.settings.discord.mentions ? [] : [say('rules.preview.mentions')]),
  ];
  return previewRules({ ...rules, access: [...rules.access, rule] }, lines.join('\n'), context);
}

/** More could not be read at a glance. */
const MAX_DENIALS = 3;

/** The rules because of which a rule that allows something may allow less than it says. */
function denialLines(rule: AccessRule, current: readonly AccessRule[], { say, services }: Context): string[] {
  const denials = current.filter((one) => rule.effect === 'allow' && one.effect === 'deny' && canMeet(rule, one));
  if (denials.length === 0) return [];
  const count = denials.length - MAX_DENIALS;
  return [
    say('rules.preview.denials'),
    ...denials.slice(0, MAX_DENIALS).map((one) => `- ${accessMarkdown(accessText(one), services.safety.targets, say)}`),
    ...(count > 0 ? [`- ${say('rules.history.more', { count })}`] : []),
  ];
}

/** Whether both rules may be about the same request. Any command can name any model, and any member can have any role. */
function canMeet(one: AccessRule, other: AccessRule): boolean {
  const isShared = (some?: readonly string[], others?: readonly string[]): boolean =>
    some === undefined || others === undefined || some.some((entry) => others.includes(entry));
  const namesModels = one.models !== undefined || other.models !== undefined;
  return (namesModels || isShared(one.kinds, other.kinds)) && isShared(one.channelIds, other.channelIds);
}

function effectText({ effect, roleIds, channelIds }: AccessRule, say: Say): string {
  const place = accessScope(roleIds, channelIds);
  const roles = (roleIds ?? []).map((id) => `<@&${id}>`);
  const channels = (channelIds ?? []).map((id) => `<#${id}>`);
  const facts = { roles: listText(roles, say), channels: listText(channels, say) };
  // A rule that allows something names roles or channels.
  if (effect === 'deny' || place === 'everywhere') return say(`rules.preview.effect.deny.${place}`, facts);
  return say(`rules.preview.effect.allow.${place}`, facts);
}
