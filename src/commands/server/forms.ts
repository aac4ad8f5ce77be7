import { customIds, type RuleSection } from '../../discord/custom-ids.ts';
import type { FormValues } from '../../discord/form.ts';
import type { FieldPlan, FormPlan, MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import {
  MAX_LIST_ENTRIES,
  type RuleSet,
  ruleSet,
  ruleText,
  type ServerRules,
  thresholdLines,
  withLog,
  withRules,
} from '../../services/rules/server-rules.ts';
import { type Context, on } from '../services.ts';
import { managedServer } from './access.ts';
import { accessFields, previewAccessRule } from './access-rule.ts';
import { choiceField, fieldLabel, type OwnChoice, type RuleField } from './fields.ts';
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
import { assertCanHold, assertCanModerate } from './moderation.ts';
import { currentRulesPage } from './page.ts';
import { readableWords } from './readable.ts';

/** The capacity of a text field; a longer list has to be uploaded as a file. */
const MAX_FIELD_LENGTH = 4_000;

async function openForm(section: RuleSection, context: Context): Promise<FormPlan> {
  const { guildId } = managedServer(context);
  const fields = fieldsOf(section, context.services.rules.get(guildId), context);
  return { id: customIds.rulesFilled.id(section), title: context.say(`rules.forms.${section}`), fields };
}

export const openRulesForm = on(customIds.rules, { open: openForm });

/** The choices of moderation, in the order of their form. */
const MODERATION_CHOICES = {
  prompts: ['off', 'refuse', 'spoiler', 'hold'],
  references: ['off', 'refuse', 'spoiler', 'hold'],
  results: ['off', 'refuse', 'spoiler', 'hold'],
  unseen: ['show', 'hold'],
  whenAway: ['refuse', 'allow'],
  ageRestricted: ['like-others', 'refuse', 'spoiler', 'channels'],
} as const;

function moderationChoice(name: keyof typeof MODERATION_CHOICES, moderation: RuleSet['moderation'], say: Say) {
  const options = MODERATION_CHOICES[name].map((value) => ({ value, label: say(`rules.moderation.choices.${value}`) }));
  return choiceField(name, options, moderation[name], say);
}

function fieldsOf(
  section: RuleSection,
  { rules, logChannelId, logDays }: ServerRules,
  { say, services }: Context,
): FieldPlan[] {
  const { moderation, pressers } = rules;
  const text = (name: RuleField, value: string, isLong = false): FieldPlan => ({
    name,
    type: 'text',
    isLong,
    ...fieldLabel(name, say),
    value,
  });
  const list = (name: 'words' | 'patterns' | 'allowedWords' | 'allowedDomains' | 'deniedDomains'): FieldPlan =>
    text(name, isShown(rules, name) ? readableWords(ruleText(rules, name), services.ruleTargets) : '', true);
  const choice = (name: RuleField, values: readonly OwnChoice[], selected: OwnChoice): FieldPlan => {
    const options = values.map((value) => ({ value, label: say(`rules.choices.${value}`) }));
    return choiceField(name, options, selected, say);
  };
  switch (section) {
    case 'access':
      return accessFields(services.ruleTargets, say);
    case 'use':
      return [
        choice('pressers', ['everyone', 'requester', 'roles'], typeof pressers === 'string' ? pressers : 'roles'),
        {
          name: 'presserRoles',
          type: 'roles',
          max: MAX_LIST_ENTRIES,
          ...fieldLabel('presserRoles', say),
          values: typeof pressers === 'string' ? [] : pressers.roleIds,
        },
        text('privateCommands', rules.privateCommands.join(', ')),
        choice('personalInstalls', ['on', 'off'], rules.personalInstalls ? 'on' : 'off'),
      ];
    case 'words':
      return [
        list('words'),
        { name: 'file', type: 'file', ...fieldLabel('file', say) },
        list('allowedWords'),
        list('patterns'),
        text('longestPrompt', ruleText(rules, 'longestPrompt')),
      ];
    case 'links':
      return [list('deniedDomains'), list('allowedDomains')];
    case 'moderation':
      return (['prompts', 'references', 'results', 'unseen', 'whenAway'] as const).map((name) =>
        moderationChoice(name, moderation, say),
      );
    case 'categories':
      return [
        text('thresholds', thresholdLines(moderation.thresholds).join('\n'), true),
        moderationChoice('ageRestricted', moderation, say),
      ];
    case 'log':
      return [
        {
          name: 'logChannel',
          type: 'channels',
          max: 1,
          ...fieldLabel('logChannel', say),
          values: logChannelId === undefined ? [] : [logChannelId],
        },
        text('logDays', logDays === undefined ? '' : String(logDays)),
      ];
  }
}

/** Applies the values of a submitted form. The page that opened the form shows the change. */
export const rulesForm = on(customIds.rulesFilled, {
  reply: 'here',
  reopen: openForm,
  parse: (values) => values,
  async run(section, context, values: FormValues): Promise<MessagePlan> {
    const { guildId, author } = managedServer(context);
    const { rules } = context.services;
    if (section === 'access') return previewAccessRule(values, context);
    const previous = rules.get(guildId);
    if (section === 'log') {
      const [channelId] = values.lists.logChannel ?? [];
      const days = parseLogDays(values.fields.logDays ?? '');
      if (channelId !== previous.logChannelId) await verifyChannel(guildId, channelId, context);
      await rules.change(guildId, (current) => withLog(current, { channelId, days }, author));
    } else {
      const applyChanges = await changesOf(section, values, context);
      await rules.change(guildId, (current) =>
        withRules(current, { ...current.rules, ...applyChanges(current.rules) }, author),
      );
    }
    const page = await currentRulesPage(context);
    if (rules.get(guildId) !== previous) return page;
    return { ...page, content: `${context.say('rules.unchanged')}\n\n${page.content}` };
  },
});

/** Posts a message, which shows immediately whether the bot is allowed to post in the channel. */
async function verifyChannel(guildId: string, channelId: string | undefined, context: Context): Promise<void> {
  const { services, say } = context;
  assertCanHold(services.rules.get(guildId).rules.moderation, channelId, context);
  if (channelId === undefined) return;
  if (await services.isForeignChannel(channelId, guildId)) throw new Refusal('refusals.rules.foreignChannel');
  if (!(await postInLog({ guildId, channelId }, { content: say('rules.log.here') }, services)))
    throw new Refusal('refusals.rules.logFailed');
}

type RulesChange = (current: RuleSet) => Partial<RuleSet>;

async function changesOf(
  section: Exclude<RuleSection, 'access' | 'log'>,
  { fields, lists, files }: FormValues,
  context: Context,
): Promise<RulesChange> {
  const { ruleTargets } = context.services;
  const { pressers, privateCommands = '', personalInstalls } = fields;
  switch (section) {
    case 'use': {
      const roleIds = [...(lists.presserRoles ?? [])];
      if (pressers === 'roles' && roleIds.length === 0) throw new Refusal('refusals.rules.noRoles');
      const changes: Partial<RuleSet> = {
        pressers: pressers === 'roles' ? { roleIds } : pressers === 'requester' ? 'requester' : 'everyone',
        privateCommands: parseCommands(privateCommands, ruleTargets.privateCommands),
        personalInstalls: personalInstalls !== 'off',
      };
      return () => changes;
    }
    case 'words': {
      const file = files.file && (await context.services.readText(files.file, context.place.userId));
      const { words = '', patterns = '', allowedWords = '', longestPrompt = '' } = fields;
      const parsed = {
        words: parseWords(file ?? words, ruleTargets),
        patterns: parsePatterns(patterns, ruleTargets),
        allowedWords: parseAllowedWords(allowedWords),
      };
      return (current) => ({
        // A list that was too long for its field was shown as an empty field, which must not empty the list.
        ...(file !== undefined || isShown(current, 'words') ? { words: parsed.words } : {}),
        ...(isShown(current, 'patterns') ? { patterns: parsed.patterns } : {}),
        ...(isShown(current, 'allowedWords') ? { allowedWords: parsed.allowedWords } : {}),
        longestPrompt: parseLongestPrompt(longestPrompt),
      });
    }
    case 'moderation':
    case 'categories': {
      const { thresholds, ...choices } = fields;
      const submitted = {
        ...pick(choices, Object.keys(MODERATION_CHOICES)),
        ...(section === 'categories' && { thresholds: parseThresholds(thresholds ?? '') }),
      };
      return ({ moderation: current }) => {
        const { data: moderation } = ruleSet.shape.moderation.safeParse({ ...current, ...submitted });
        // A form can be forged.
        if (!moderation) throw new Refusal('refusals.unknownButton');
        const { guildId } = managedServer(context);
        assertCanModerate(moderation, context.services.rules.get(guildId).logChannelId, context);
        return { moderation };
      };
    }
    case 'links': {
      const allowed = parseDomains(fields.allowedDomains ?? '');
      const denied = parseDomains(fields.deniedDomains ?? '');
      return (current) => ({
        ...(isShown(current, 'deniedDomains') ? { deniedDomains: denied } : {}),
        ...(isShown(current, 'allowedDomains') ? { allowedDomains: allowed.length === 0 ? undefined : allowed } : {}),
      });
    }
  }
}

const pick = (fields: FormValues['fields'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

const isShown = (rules: RuleSet, name: Parameters<typeof ruleText>[1]): boolean =>
  ruleText(rules, name).length <= MAX_FIELD_LENGTH;
