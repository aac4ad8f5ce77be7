import { customIds, type RuleSection } from '../../discord/custom-ids.ts';
import type { FormValues } from '../../discord/form.ts';
import { form, type HandlerContext, opener } from '../../discord/handlers.ts';
import type { FieldPlan, FormPlan, MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import {
  MAX_ACCESS_RULES,
  MAX_LIST_ENTRIES,
  type RuleSet,
  ruleSet,
  ruleText,
  type ServerRules,
  thresholdLines,
  withLog,
  withRules,
} from '../../services/rules/server-rules.ts';
import type { Services } from '../services.ts';
import { managedServer } from './access.ts';
import {
  parseAllowedWords,
  parseCommands,
  parseDomains,
  parseKindsAndModels,
  parseLogDays,
  parseLongestPrompt,
  parsePatterns,
  parseThresholds,
  parseWords,
} from './lines.ts';
import { rulesPage } from './page.ts';
import type { text } from './text.ts';

type Context = HandlerContext<Services>;

/** The capacity of a text field; a longer list has to be uploaded as a file. */
const MAX_FIELD_LENGTH = 4_000;

/** The names that admins can use in rules. */
export interface RuleNames {
  kinds: readonly string[];
  commands: readonly string[];
}

export const openRulesForm = opener(customIds.rules, async (section, context: Context): Promise<FormPlan> => {
  const { guildId } = managedServer(context);
  const { say, services } = context;
  const title = say(`rules.forms.${section}`);
  return { id: customIds.rulesFilled.id(section), title, fields: fieldsOf(section, services.rules.get(guildId), say) };
});

function fieldsOf(section: RuleSection, { rules, logChannelId, logDays }: ServerRules, say: Say): FieldPlan[] {
  const label = (name: Parameters<typeof fieldLabel>[0]) => fieldLabel(name, say);
  const list = (name: 'words' | 'patterns' | 'allowedWords' | 'allowedDomains' | 'deniedDomains'): FieldPlan => {
    const value = ruleText(rules, name);
    const isTooLong = value.length > MAX_FIELD_LENGTH;
    return { name, type: 'text', isLong: true, ...label(name), ...(!isTooLong && { value }) };
  };
  switch (section) {
    case 'access':
      return [
        { name: 'effect', type: 'choice', required: true, ...label('effect'), options: effectOptions(say) },
        { name: 'work', type: 'text', ...label('work') },
        { name: 'roles', type: 'roles', max: MAX_LIST_ENTRIES, ...label('roles') },
        { name: 'channels', type: 'channels', max: MAX_LIST_ENTRIES, ...label('channels') },
      ];
    case 'use':
      return [
        {
          name: 'pressers',
          type: 'choice',
          required: true,
          ...label('pressers'),
          options: buttonAccessOptions(rules, say),
        },
        {
          ...{ name: 'presserRoles', type: 'roles', max: MAX_LIST_ENTRIES, ...label('presserRoles') },
          ...(typeof rules.pressers === 'object' && { values: rules.pressers.roleIds }),
        },
        { name: 'privateCommands', type: 'text', ...label('privateCommands'), value: rules.privateCommands.join(', ') },
        {
          name: 'personalInstalls',
          type: 'choice',
          required: true,
          ...label('personalInstalls'),
          options: personalInstallOptions(rules, say),
        },
      ];
    case 'words':
      return [
        list('words'),
        { name: 'file', type: 'file', ...label('file') },
        list('allowedWords'),
        list('patterns'),
        { name: 'longestPrompt', type: 'text', ...label('longestPrompt'), value: ruleText(rules, 'longestPrompt') },
      ];
    case 'links':
      return [list('deniedDomains'), list('allowedDomains')];
    case 'moderation':
      return moderationFields(rules.moderation, say);
    case 'categories':
      return [
        {
          ...{ name: 'thresholds', type: 'text', isLong: true, ...label('thresholds') },
          value: thresholdLines(rules.moderation.thresholds).join('\n'),
        },
        moderationChoice('ageRestricted', rules.moderation, say),
      ];
    case 'log':
      return [
        {
          ...{ name: 'logChannel', type: 'channels', max: 1, ...label('logChannel') },
          ...(logChannelId !== undefined && { values: [logChannelId] }),
        },
        {
          name: 'logDays',
          type: 'text',
          ...label('logDays'),
          ...(logDays !== undefined && { value: String(logDays) }),
        },
      ];
  }
}

type FieldName = keyof (typeof text)['rules']['fields'];

const fieldLabel = (name: FieldName, say: Say): { label: string; hint: string } => ({
  label: say(`rules.fields.${name}.label`),
  hint: say(`rules.fields.${name}.hint`),
});

const effectOptions = (say: Say) =>
  (['deny', 'allow'] as const).map((value) => ({
    value,
    label: say(`rules.choices.${value}`),
    isDefault: value === 'deny',
  }));

function buttonAccessOptions({ pressers }: RuleSet, say: Say) {
  const selected = typeof pressers === 'string' ? pressers : 'roles';
  return (['everyone', 'requester', 'roles'] as const).map((value) => ({
    value,
    label: say(`rules.choices.${value}`),
    isDefault: value === selected,
  }));
}

const personalInstallOptions = ({ personalInstalls }: RuleSet, say: Say) =>
  (['on', 'off'] as const).map((value) => ({
    value,
    label: say(`rules.choices.${value}`),
    isDefault: (value === 'on') === personalInstalls,
  }));

/** The choices of moderation, in the order of their form. */
const MODERATION_CHOICES = {
  prompts: ['off', 'refuse', 'spoiler', 'hold'],
  references: ['off', 'refuse', 'spoiler', 'hold'],
  results: ['off', 'refuse', 'spoiler', 'hold'],
  unseen: ['show', 'hold'],
  whenAway: ['refuse', 'allow'],
  ageRestricted: ['like-others', 'refuse', 'spoiler', 'channels'],
} as const;

const MODERATION_FIELDS = ['prompts', 'references', 'results', 'unseen', 'whenAway'] as const;

const moderationFields = (moderation: RuleSet['moderation'], say: Say): FieldPlan[] =>
  MODERATION_FIELDS.map((name) => moderationChoice(name, moderation, say));

const moderationChoice = (
  name: keyof typeof MODERATION_CHOICES,
  moderation: RuleSet['moderation'],
  say: Say,
): FieldPlan => ({
  ...{ name, type: 'choice', required: true, ...fieldLabel(name, say) },
  options: MODERATION_CHOICES[name].map((value) => ({
    value,
    label: say(`rules.moderation.choices.${value}`),
    isDefault: moderation[name] === value,
  })),
});

/** Applies the values of a submitted form. The page that opened the form shows the change. */
export const rulesForm = (ruleNames: RuleNames) =>
  form(customIds.rulesFilled, {
    reply: 'here',
    parse: (values) => values,
    async run(section, values: FormValues, context: Context): Promise<MessagePlan> {
      const { guildId, author } = managedServer(context);
      const { rules } = context.services;
      if (section === 'log') {
        const [channelId] = values.lists.logChannel ?? [];
        const days = parseLogDays(values.fields.logDays ?? '');
        if (channelId !== rules.get(guildId).logChannelId) await verifyChannel(guildId, channelId, context);
        await rules.change(guildId, (current) => withLog(current, { channelId, days }, author));
      } else {
        const applyChanges = await changesOf(section, values, ruleNames, context);
        await rules.change(guildId, (current) => withRules(current, applyChanges(current.rules), author));
      }
      return currentRulesPage(context);
    },
  });

/** Posts a message, which shows immediately whether the bot is allowed to post in the channel. */
async function verifyChannel(guildId: string, channel: string | undefined, { services, say }: Context): Promise<void> {
  if (channel !== undefined && !(await services.postInLog(guildId, channel, { content: say('rules.log.here') })))
    throw new Refusal('refusals.rules.logFailed');
}

type RulesChange = (current: RuleSet) => Partial<RuleSet>;

async function changesOf(
  section: Exclude<RuleSection, 'log'>,
  { fields, lists, files }: FormValues,
  { kinds, commands }: RuleNames,
  context: Context,
): Promise<RulesChange> {
  const { effect, work = '', pressers, privateCommands = '', personalInstalls } = fields;
  switch (section) {
    case 'access': {
      const rule = {
        effect: effect === 'allow' ? ('allow' as const) : ('deny' as const),
        ...parseKindsAndModels(work, kinds),
        ...(lists.roles?.length && { roleIds: [...lists.roles] }),
        ...(lists.channels?.length && { channelIds: [...lists.channels] }),
      };
      return ({ access }) => {
        if (access.length >= MAX_ACCESS_RULES)
          throw new Refusal('refusals.rules.tooManyAccessRules', { max: MAX_ACCESS_RULES, count: MAX_ACCESS_RULES });
        return { access: [...access, rule] };
      };
    }
    case 'use': {
      const roleIds = [...(lists.presserRoles ?? [])];
      if (pressers === 'roles' && roleIds.length === 0) throw new Refusal('refusals.rules.noRoles');
      const changes: Partial<RuleSet> = {
        pressers: pressers === 'roles' ? { roleIds } : pressers === 'requester' ? 'requester' : 'everyone',
        privateCommands: parseCommands(privateCommands, commands),
        personalInstalls: personalInstalls !== 'off',
      };
      return () => changes;
    }
    case 'words': {
      const file = files.file && (await context.services.readText(files.file, context.place.userId));
      const { words = '', patterns = '', allowedWords = '', longestPrompt = '' } = fields;
      const parsed = {
        words: parseWords(file ?? words, kinds),
        patterns: parsePatterns(patterns, kinds),
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
        const chosenActions = [moderation.prompts, moderation.references, moderation.results];
        const isUsed = chosenActions.some((one) => one !== 'off');
        const { rules, budgets } = context.services;
        if (isUsed && !rules.hasModerationService) throw new Refusal('refusals.rules.noModerator');
        const { guildId } = managedServer(context);
        const mayHold =
          chosenActions.includes('hold') || (moderation.results !== 'off' && moderation.unseen === 'hold');
        if (mayHold && (rules.get(guildId).logChannelId ?? budgets.get(guildId).alertsChannelId) === undefined)
          throw new Refusal('refusals.rules.holdNeedsLog');
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

/** The rules page of the current server. */
export async function currentRulesPage(context: Context): Promise<MessagePlan> {
  const { guildId } = managedServer(context);
  const { rules, budgets, serverNames } = context.services;
  const { alertsChannelId } = budgets.get(guildId);
  const { hasModerationService } = rules;
  const current = rules.get(guildId);
  const namesPlaces = current.rules.access.some(({ roleIds, channelIds }) => roleIds ?? channelIds);
  const names = namesPlaces ? await serverNames(guildId) : new Map<string, string>();
  return rulesPage({ ...current, hasModerationService, alertsChannelId, names }, context.say);
}
