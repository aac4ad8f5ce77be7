import { customIds, type RuleSection } from '../../discord/custom-ids.ts';
import type { ReplyMode } from '../../discord/interaction-facts.ts';
import type { FormPlan, FormValues, MessagePlan } from '../../discord/plan.ts';
import { Mistakes } from '../../lib/mistakes.ts';
import { Refusal } from '../../lib/refusal.ts';
import { Judge } from '../../services/safety/judge.ts';
import { type RuleSet, ruleSet, type ServerRules, withLog, withRules } from '../../services/safety/server-rules.ts';
import { type Context, on } from '../feature.ts';
import { digestsOf, latestValues } from '../latest-values.ts';
import { previewAccessRule } from './access-rule.ts';
import { formFieldsOf, isShown, MODERATION_CHOICES } from './form-fields.ts';
import {
  parseAllowedWords,
  parseCommands,
  parseDomains,
  parseLogDays,
  parseLongestPrompt,
  parsePatterns,
  parseThresholds,
  parseWords,
} from './lines.ts';
import { postInLog } from './log.ts';
import { assertCanHold, assertCanModerate, managedServer, requireCategories } from './managed-server.ts';
import { currentRulesPage } from './page.ts';
import { overtakenRefusal } from './readable.ts';

type FilledVerb = typeof customIds.rulesFilled;
type OpenedForm = Parameters<FilledVerb['id']>[0];

async function openForm(section: RuleSection, filled: FilledVerb, context: Context): Promise<FormPlan> {
  const { guildId } = managedServer(context);
  const fields = formFieldsOf(section, context.services.safety.rules.get(guildId), context);
  const id = filled.id({ section, opened: digestsOf(fields) });
  return { id, title: context.say(`rules.forms.${section}`), fields };
}

/** Forms that are opened by one verb, and submitted with another. */
const formsOf = (opening: typeof customIds.rules, filled: FilledVerb, reply: ReplyMode) => [
  on(opening, { open: (section, context) => openForm(section, filled, context) }),
  on(filled, {
    reply,
    reopen: ({ section }, context) => openForm(section, filled, context),
    parse: (values) => values,
    run: (form, context, values) => applyForm(filled, form, context, values),
  }),
];

/** The rules page shows a change that was made from it. Other pages stay as they are. */
export const rulesForms = [
  ...formsOf(customIds.rules, customIds.rulesFilled, 'here'),
  ...formsOf(customIds.rulesApart, customIds.rulesApartFilled, 'new-private'),
];

async function applyForm(
  filled: FilledVerb,
  { section, opened, seen }: OpenedForm,
  context: Context,
  entered: FormValues,
): Promise<MessagePlan> {
  const { guildId, author } = managedServer(context);
  const { rules } = context.services.safety;
  if (section === 'access') return previewAccessRule(entered, context);
  const previous = rules.get(guildId);
  const [file] = entered.files.file ?? [];
  const words = file && (await context.services.conversations.readText(file, context.facts.userId));
  const submitted = { ...entered, fields: { ...entered.fields, ...(words !== undefined && { words }) } };
  const isCurrent = opened === digestsOf(formFieldsOf(section, previous, context));
  const names = isCurrent ? new Map<string, string>() : await context.services.discord.reads.serverNames(guildId);
  const latest = (current: ServerRules): FormValues => {
    const fields = formFieldsOf(section, current, context);
    const { values, overtaken } = latestValues(submitted, { opened, seen }, fields);
    if (overtaken.length === 0) return values;
    const formId = filled.id({ section, opened, seen: digestsOf(fields) });
    throw overtakenRefusal(formId, overtaken, current, names, context);
  };
  if (section === 'log') {
    const logOf = (current: ServerRules) => {
      const { fields, lists } = latest(current);
      return { channelId: lists.logChannel?.[0], days: parseLogDays(fields.logDays ?? '') };
    };
    const { channelId } = logOf(previous);
    if (channelId !== previous.logChannelId) await verifyChannel(guildId, channelId, context);
    await rules.change(guildId, (current) => withLog(current, logOf(current), author));
  } else {
    if (section === 'categories') await requireCategories(parseThresholds(entered.fields.thresholds ?? ''), context);
    await rules.change(guildId, (current) => {
      const mistakes = new Mistakes();
      const changed = { ...current.rules, ...changesOf(section, latest(current), current, mistakes, context) };
      // An invalid pattern is told together with the other mistakes.
      mistakes.collect(undefined, () => new Judge(changed));
      mistakes.throwIfAny();
      return withRules(current, changed, author);
    });
  }
  return currentRulesPage(context, rules.get(guildId) === previous ? context.say('rules.unchanged') : undefined);
}

/** Posts a message, which shows immediately whether the bot is allowed to post in the channel. */
async function verifyChannel(guildId: string, channelId: string | undefined, context: Context): Promise<void> {
  const { services } = context;
  assertCanHold(services.safety.rules.get(guildId).rules.moderation, channelId, context);
  if (channelId === undefined) return;
  if (await services.discord.reads.isForeignChannel(channelId, guildId))
    throw new Refusal('refusals.rules.foreignChannel');
  const say = await services.discord.readers.sayTo({ guildId, channelId });
  if (!(await postInLog({ guildId, channelId }, { content: say('rules.log.here') }, services)))
    throw new Refusal('refusals.rules.logFailed');
}

/** The changed rules; what could not be read is added to the mistakes. */
function changesOf(
  section: Exclude<RuleSection, 'access' | 'log'>,
  { fields, lists, files }: FormValues,
  { rules: current, logChannelId }: ServerRules,
  mistakes: Mistakes,
  context: Context,
): Partial<RuleSet> {
  const { targets: ruleTargets } = context.services.safety;
  const { pressers, privateCommands = '', personalInstalls } = fields;
  switch (section) {
    case 'use': {
      const roleIds = [...(lists.presserRoles ?? [])];
      if (pressers === 'roles' && roleIds.length === 0) mistakes.add(new Refusal('refusals.rules.noRoles'));
      const commands = mistakes.collect([], () => parseCommands(privateCommands, ruleTargets.privateCommands));
      return {
        pressers: pressers === 'roles' ? { roleIds } : pressers === 'requester' ? 'requester' : 'everyone',
        privateCommands: commands,
        personalInstalls: personalInstalls !== 'off',
      };
    }
    case 'words': {
      const { words = '', patterns = '', allowedWords = '', longestPrompt = '' } = fields;
      const parsed = {
        words: mistakes.collect([], () => parseWords(words, ruleTargets)),
        allowedWords: mistakes.collect([], () => parseAllowedWords(allowedWords)),
        patterns: mistakes.collect([], () => parsePatterns(patterns, ruleTargets)),
        longestPrompt: mistakes.collect(undefined, () => parseLongestPrompt(longestPrompt)),
      };
      return {
        // A list that was too long for its field was shown as an empty field, which must not empty the list.
        ...(files.file?.length || isShown(current, 'words') ? { words: parsed.words } : {}),
        ...(isShown(current, 'patterns') ? { patterns: parsed.patterns } : {}),
        ...(isShown(current, 'allowedWords') ? { allowedWords: parsed.allowedWords } : {}),
        longestPrompt: parsed.longestPrompt,
      };
    }
    case 'moderation':
    case 'categories': {
      const { thresholds, ...choices } = fields;
      const submitted = {
        ...pick(choices, Object.keys(MODERATION_CHOICES)),
        ...(section === 'categories' && { thresholds: parseThresholds(thresholds ?? '') }),
      };
      const { data: moderation } = ruleSet.shape.moderation.safeParse({ ...current.moderation, ...submitted });
      // A form can be forged.
      if (!moderation) throw new Refusal('refusals.unknownButton');
      assertCanModerate(moderation, logChannelId, context);
      return { moderation };
    }
    case 'links': {
      const denied = mistakes.collect([], () => parseDomains(fields.deniedDomains ?? ''));
      const allowed = mistakes.collect([], () => parseDomains(fields.allowedDomains ?? ''));
      return {
        ...(isShown(current, 'deniedDomains') ? { deniedDomains: denied } : {}),
        ...(isShown(current, 'allowedDomains') ? { allowedDomains: allowed.length === 0 ? undefined : allowed } : {}),
      };
    }
  }
}

const pick = (fields: FormValues['fields'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
