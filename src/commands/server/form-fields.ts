import type { RuleSection } from '../../discord/custom-ids.ts';
import { choiceField, type FieldPlan } from '../../discord/plan.ts';
import { listText } from '../../lib/formats.ts';
import { kindNameIn, type Say } from '../../locales/index.ts';
import type { Strings } from '../../locales/strings.ts';
import type { RuleTargets } from '../../services/safety/rules-file.ts';
import {
  MAX_LIST_ENTRIES,
  type RuleSet,
  ruleText,
  type ServerRules,
  thresholdLines,
} from '../../services/safety/server-rules.ts';
import type { Context } from '../feature.ts';
import { readableWords } from './readable.ts';

type RuleField = keyof Strings['rules']['fields'];
/** What can be chosen in these forms, apart from moderation. */
type OwnChoice = keyof Strings['rules']['choices'];

/** The capacity of a text field; a longer list has to be uploaded as a file. */
const MAX_FIELD_LENGTH = 4_000;

export const isShown = (rules: RuleSet, name: Parameters<typeof ruleText>[1]): boolean =>
  ruleText(rules, name).length <= MAX_FIELD_LENGTH;

const fieldLabel = (name: RuleField, say: Say): { label: string; hint: string } => ({
  label: say(`rules.fields.${name}.label`),
  hint: say(`rules.fields.${name}.hint`),
});

const ownChoice = (name: RuleField, values: readonly OwnChoice[], selected: OwnChoice | undefined, say: Say) => ({
  ...choiceField(name, '', values, (value) => say(`rules.choices.${value}`), selected),
  ...fieldLabel(name, say),
});

/** The choices of moderation, in the order of their form. */
export const MODERATION_CHOICES = {
  prompts: ['off', 'refuse', 'spoiler', 'hold'],
  references: ['off', 'refuse', 'spoiler', 'hold'],
  results: ['off', 'refuse', 'spoiler', 'hold'],
  unseen: ['show', 'hold'],
  whenAway: ['refuse', 'allow'],
  ageRestricted: ['like-others', 'refuse', 'spoiler', 'channels'],
} as const;

function moderationChoice(name: keyof typeof MODERATION_CHOICES, moderation: RuleSet['moderation'], say: Say) {
  const labelOf = (value: RuleSet['moderation'][typeof name]) => say(`rules.moderation.choices.${value}`);
  return { ...choiceField(name, '', MODERATION_CHOICES[name], labelOf, moderation[name]), ...fieldLabel(name, say) };
}

export function formFieldsOf(
  section: RuleSection,
  { rules, logChannelId, logDays }: ServerRules,
  { say, services }: Context,
): FieldPlan[] {
  const { moderation, pressers } = rules;
  const presser = typeof pressers === 'string' ? pressers : 'roles';
  const text = (name: RuleField, value: string, isLong = false): FieldPlan => ({
    name,
    type: 'text',
    isLong,
    ...fieldLabel(name, say),
    value,
  });
  const list = (name: 'words' | 'patterns' | 'allowedWords' | 'allowedDomains' | 'deniedDomains'): FieldPlan =>
    text(name, isShown(rules, name) ? readableWords(ruleText(rules, name), services.safety.targets) : '', true);
  switch (section) {
    case 'access':
      return accessFields(services.safety.targets, services.settings.discord.mentions, say);
    case 'use':
      return [
        ownChoice('pressers', ['everyone', 'requester', 'roles'], presser, say),
        presserRolesField(pressers, say),
        text('privateCommands', rules.privateCommands.join(', ')),
        ownChoice('personalInstalls', ['on', 'off'], rules.personalInstalls ? 'on' : 'off', say),
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

const presserRolesField = (pressers: RuleSet['pressers'], say: Say): FieldPlan => ({
  name: 'presserRoles',
  type: 'roles',
  max: MAX_LIST_ENTRIES,
  ...fieldLabel('presserRoles', say),
  values: typeof pressers === 'string' ? [] : pressers.roleIds,
});

/** Nothing is chosen in advance, so no rule is made without a choice. */
function accessFields({ kindsByCommand }: RuleTargets, hasMentions: boolean, say: Say): FieldPlan[] {
  const commands = [...kindsByCommand].map(([command, kinds]) => ({
    value: command,
    label: `/${command}`,
    description: listText(kinds.map(kindNameIn(say)), say),
  }));
  const general = ['everything', 'models', ...(hasMentions ? (['mentions'] as const) : [])] as const;
  const subjects = ownChoice('subjects', general, undefined, say);
  const options = [...subjects.options, ...commands];
  return [
    ownChoice('effect', ['deny', 'allow'], undefined, say),
    { ...subjects, options, max: options.length },
    { name: 'models', type: 'text', ...fieldLabel('models', say) },
    { name: 'roles', type: 'roles', max: MAX_LIST_ENTRIES, ...fieldLabel('roles', say) },
    { name: 'channels', type: 'channels', max: MAX_LIST_ENTRIES, ...fieldLabel('channels', say) },
  ];
}
