import { createHash } from 'node:crypto';
import { customIds, ruleSections } from '../../discord/custom-ids.ts';
import { inlineCode, memberMention } from '../../discord/markdown.ts';
import type { ButtonPlan, Control, FilePlan, MessagePlan } from '../../discord/plan.ts';
import { entriesOf } from '../../lib/entries.ts';
import type { Say } from '../../locales/index.ts';
import { buttonPlan } from '../../messages/task-buttons.ts';
import type { RuleTargets } from '../../services/safety/rules-file.ts';
import {
  type AccessRule,
  accessText,
  canHold,
  type RuleName,
  ruleText,
  type ServerRules,
  thresholdLines,
  usesModeration,
} from '../../services/safety/server-rules.ts';
import type { Context } from '../feature.ts';
import { managedServer } from './managed-server.ts';
import { accessMarkdown, readableAccess, readableWords, withNames } from './readable.ts';
import type { text } from './text.ts';

interface RulesPageFacts extends ServerRules {
  /** The rules that the operator has set for all servers. */
  setByOperator: readonly RuleName[];
  /** Whether the operator has configured a moderation service. */
  hasModerationService: boolean;
  /** The channel for the log if it has no channel of its own. */
  alertsChannelId: string | undefined;
  targets: RuleTargets;
  /** The names of the server's roles and channels, by their mentions. */
  names: ReadonlyMap<string, string>;
}

/** The rules page of the current server. */
export async function currentRulesPage(context: Context): Promise<MessagePlan> {
  const { guildId } = managedServer(context);
  const { rules, targets } = context.services.safety;
  const { alertsChannelId } = context.services.money.budgets.get(guildId);
  const { hasModerationService, setByOperator } = rules;
  const current = rules.get(guildId);
  const namesPlaces = current.rules.access.some(({ roleIds, channelIds }) => roleIds ?? channelIds);
  const names = namesPlaces ? await context.services.discord.reads.serverNames(guildId) : new Map<string, string>();
  return rulesPage({ ...current, setByOperator, hasModerationService, alertsChannelId, targets, names }, context.say);
}

/** The rules of each section, who changed them last, and a button to change them. */
function rulesPage(facts: RulesPageFacts, say: Say): MessagePlan {
  const { rules, targets, setByOperator } = facts;
  const operatorNames = new Set<ChangeName>(setByOperator);
  const { access, words, allowedWords, patterns, longestPrompt, deniedDomains, allowedDomains } = rules;
  const section = (
    name: keyof (typeof text)['rules']['section'],
    lines: readonly string[],
    changeNames: readonly ChangeName[],
  ): string[] => [
    '',
    say(`rules.section.${name}`),
    ...lines.map((line) => `- ${line}`),
    ...(changeNames.some((one) => operatorNames.has(one)) ? [`- ${say('rules.alsoOperators')}`] : []),
    ...lastChangeLines(changeNames, facts, say),
  ];
  const accessLines = access.map((rule) => accessMarkdown(accessText(rule), targets, say));
  const useLines = [
    buttonAccessLine(facts, say),
    say('rules.privateCommands', { commands: commandsText(facts, say) }),
    say(`rules.personalInstalls.${rules.personalInstalls ? 'on' : 'off'}`),
  ];
  const wordLines = [
    say('rules.words', { count: words.length }),
    ...(allowedWords.length === 0 ? [] : [say('rules.allowedWords', { count: allowedWords.length })]),
    say('rules.patterns', { count: patterns.length }),
    ...(longestPrompt === undefined ? [] : [say('rules.longestPrompt', { count: longestPrompt })]),
  ];
  const linkLines = [
    say('rules.deniedDomains', { count: deniedDomains.length }),
    ...(allowedDomains === undefined ? [] : [say('rules.allowedDomains', { count: allowedDomains.length })]),
  ];
  const lines = [
    say('rules.title'),
    ...(setByOperator.length === 0
      ? []
      : [say('rules.byOperator', { rules: setByOperator.map((name) => say(`rules.names.${name}`)).join(', ') })]),
    ...section('access', access.length === 0 ? [say('rules.access.none')] : accessLines, ['access']),
    ...section('use', useLines, ['pressers', 'privateCommands', 'personalInstalls']),
    ...section('words', wordLines, ['words', 'allowedWords', 'patterns', 'longestPrompt']),
    ...section('links', linkLines, ['allowedDomains', 'deniedDomains']),
    ...section('moderation', moderationLines(facts, say), ['moderation']),
    ...section('log', logLines(facts, say), ['log-channel', 'log-retention']),
    '',
    `-# ${say('rules.integrations')}`,
  ];
  return { content: lines.join('\n'), overflow: 'file', files: listFiles(facts), controls: controls(facts, say) };
}

/** Identifies an access rule by what it says, because its position may have changed since a page was shown. */
export const accessRuleId = (rule: AccessRule): string =>
  createHash('sha256').update(accessText(rule)).digest('base64url');

function controls({ rules, names, targets }: RulesPageFacts, say: Say): Control[] {
  const buttons = ruleSections.map(
    (section): ButtonPlan => buttonPlan(say(`rules.buttons.${section}`), customIds.rules.id(section)),
  );
  if (rules.access.length === 0) return buttons;
  // Equal rules are one option, because Discord refuses the same value twice.
  const labelOf = (rule: AccessRule): string => withNames(readableAccess(accessText(rule), targets, say), names, say);
  const labels = new Map(rules.access.map((rule) => [accessRuleId(rule), labelOf(rule)]));
  const options = [...labels].map(([value, label]) => ({ value, label }));
  return [...buttons, { type: 'select', id: customIds.accessRemove.id(), placeholder: say('rules.remove'), options }];
}

function buttonAccessLine({ rules: { pressers } }: RulesPageFacts, say: Say): string {
  if (typeof pressers === 'string') return say(`rules.buttonAccess.${pressers}`);
  return say('rules.buttonAccess.roles', { roles: pressers.roleIds.map((role) => `<@&${role}>`).join(' ') });
}

const commandsText = ({ rules: { privateCommands } }: RulesPageFacts, say: Say): string =>
  privateCommands.length === 0
    ? say('rules.noCommands')
    : privateCommands.map((command) => inlineCode(`/${command}`)).join(' ');

function moderationLines(
  { rules: { moderation }, hasModerationService, setByOperator }: RulesPageFacts,
  say: Say,
): string[] {
  const { thresholds, ...choices } = moderation;
  if (!usesModeration(moderation)) {
    if (!hasModerationService) return [say('rules.moderation.none')];
    return [say(setByOperator.includes('moderation') ? 'rules.moderation.offHere' : 'rules.moderation.off')];
  }
  const thresholdText = thresholdLines(thresholds).map(inlineCode).join(' ');
  return [
    ...entriesOf(choices).map(([name, value]) =>
      say('rules.moderation.choice', {
        what: say(`rules.fields.${name}.label`),
        choice: say(`rules.moderation.choices.${value}`),
      }),
    ),
    ...(thresholdText === '' ? [] : [say('rules.moderation.thresholds', { thresholds: thresholdText })]),
  ];
}

function logLines({ rules, logChannelId, logDays, alertsChannelId }: RulesPageFacts, say: Say): string[] {
  const channel = logChannelId ?? alertsChannelId;
  if (channel === undefined)
    return [say('rules.log.none'), ...(canHold(rules.moderation) ? [say('rules.log.nothingHeld')] : [])];
  return [
    logChannelId === undefined ? say('rules.log.alerts', { channel }) : say('rules.log.own', { channel }),
    logDays === undefined ? say('rules.log.kept') : say('rules.log.days', { count: logDays }),
  ];
}

type ChangeName = ServerRules['history'][number]['what'];

function lastChangeLines(names: readonly ChangeName[], { history }: RulesPageFacts, say: Say): string[] {
  const last = history.findLast(({ what }) => names.includes(what));
  if (!last) return [];
  return [`-# ${say('rules.changed', { who: memberMention(last.by, say), at: Math.floor(last.at / 1000) })}`];
}

const LIST_FILES = {
  words: 'blocked-words.txt',
  allowedWords: 'never-blocked.txt',
  patterns: 'blocked-patterns.txt',
  allowedDomains: 'allowed-sites.txt',
  deniedDomains: 'blocked-sites.txt',
} as const;

/** The lists, visible only to the admin, as files because they would not fit into a message. */
const listFiles = ({ rules, targets }: RulesPageFacts): FilePlan[] =>
  entriesOf(LIST_FILES).flatMap(([name, file]) => {
    const text = readableWords(ruleText(rules, name), targets);
    return text === '' ? [] : [{ name: file, bytes: Buffer.from(text) }];
  });
