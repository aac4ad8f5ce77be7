import type { FormValues } from '../../discord/form.ts';
import { inlineCode } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { RuleTargets } from '../../services/safety/rules-file.ts';
import { type AccessRule, accessText, MAX_ACCESS_RULES, MENTIONS } from '../../services/safety/server-rules.ts';
import type { Context } from '../feature.ts';
import { parseModels } from './lines.ts';
import { managedServer } from './managed-server.ts';
import { previewRules } from './preview.ts';
import { accessMarkdown, readableAccess } from './readable.ts';

/** What the text of a rule has before the id of a model. */
const MODEL = 'model ';

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
    effectText(rule, services.safety.targets, say),
    ...(rule.kinds || rule.models || !services.settings.discord.mentions ? [] : [say('rules.preview.mentions')]),
  ];
  return previewRules({ ...rules, access: [...rules.access, rule] }, lines.join('\n'), context);
}

function effectText(rule: AccessRule, targets: RuleTargets, say: Say): string {
  const { effect, roleIds, channelIds } = rule;
  const { roleIds: _, channelIds: __, ...subjects } = rule;
  const subjectText = readableAccess(accessText(subjects), targets, say).replace(/^\w+ /, '');
  const subjectMarkdown = (one: string): string => {
    if (one === say('rules.access.mentions')) return one;
    return one.startsWith(MODEL) ? `${MODEL}${inlineCode(one.slice(MODEL.length))}` : inlineCode(one);
  };
  const facts = {
    what:
      (subjects.kinds ?? subjects.models)
        ? subjectText
            .split(', ')
            .map(subjectMarkdown)
            .join(` ${say('rules.preview.or')} `)
        : say('rules.preview.everything'),
    where:
      channelIds === undefined
        ? say('rules.preview.everywhere')
        : say('rules.preview.channels', { channels: channelIds.map((id) => `<#${id}>`).join(' ') }),
  };
  if (roleIds === undefined) return say(`rules.preview.forAll.${effect}`, facts);
  return say(`rules.preview.forRoles.${effect}`, { ...facts, roles: roleIds.map((id) => `<@&${id}>`).join(' ') });
}
