import { missingPermissions, type PermissionName, postPermissions } from '../discord/guards.ts';
import { inlineCode } from '../discord/markdown.ts';
import type { DiscordReader } from '../discord/reads.ts';
import { entriesOf } from '../lib/entries.ts';
import { listText } from '../lib/formats.ts';
import type { Say } from '../locales/index.ts';
import {
  accessText,
  canHold,
  type ServerRules,
  thresholdLines,
  usesModeration,
} from '../services/safety/server-rules.ts';
import type { Services } from './feature.ts';
import { accessMarkdown } from './server/readable.ts';

export type ChangeName = ServerRules['history'][number]['what'];

export const rulesInSections = {
  access: ['access'],
  use: ['pressers', 'privateCommands', 'personalInstalls'],
  words: ['words', 'allowedWords', 'patterns', 'longestPrompt'],
  links: ['allowedDomains', 'deniedDomains'],
  moderation: ['moderation'],
  log: ['log-channel', 'log-retention'],
} as const satisfies Record<string, readonly ChangeName[]>;

type RulesSection = keyof typeof rulesInSections;

export type RuleFacts = ReturnType<typeof ruleFacts>;

export function ruleFacts(guildId: string, { safety, money, settings }: Services) {
  const { hasModerationService, setByOperator, operatorAccess } = safety.rules;
  return {
    ...safety.rules.get(guildId),
    /** The rules that the operator has set for all servers. */
    setByOperator,
    operatorAccess,
    /** Whether the operator lets members install the bot for themselves. */
    offersPersonalInstalls: settings.discord.userInstall,
    /** Whether the rules of the server and of the operator let members use them there. */
    allowsPersonalInstalls: safety.rules.allowsPersonalInstalls(guildId),
    hasModerationService,
    /** The channel for the log if it has no channel of its own. */
    alertsChannelId: money.budgets.get(guildId).alertsChannelId,
    targets: safety.targets,
  };
}

/** Says that the rules shown are empty only because the stored ones cannot be read. */
export const unreadableLines = ({ unreadable }: RuleFacts, say: Say): string[] =>
  unreadable ? [say('rules.unreadable')] : [];

export function ruleLines(facts: RuleFacts, say: Say): Record<RulesSection, string[]> {
  const { rules, targets } = facts;
  const operatorNames = new Set<ChangeName>(facts.setByOperator);
  const { access, words, allowedWords, patterns, longestPrompt, deniedDomains, allowedDomains } = rules;
  const accessLine = (rule: (typeof access)[number]): string => accessMarkdown(accessText(rule), targets, say);
  const accessLines = [
    ...access.map(accessLine),
    ...facts.operatorAccess.map((rule) => say('rules.access.operators', { rule: accessLine(rule) })),
  ];
  const lines: Record<RulesSection, string[]> = {
    access: accessLines.length === 0 ? [say('rules.access.none')] : accessLines,
    use: [
      buttonAccessLine(facts, say),
      say('rules.privateCommands', { commands: commandsText(facts, say) }),
      say(
        `rules.personalInstalls.${facts.offersPersonalInstalls ? (facts.allowsPersonalInstalls ? 'on' : 'off') : 'notOffered'}`,
      ),
    ],
    words: [
      say('rules.words', { count: words.length }),
      ...(allowedWords.length === 0 ? [] : [say('rules.allowedWords', { count: allowedWords.length })]),
      say('rules.patterns', { count: patterns.length }),
      ...(longestPrompt === undefined ? [] : [say('rules.longestPrompt', { count: longestPrompt })]),
    ],
    links: [
      say('rules.deniedDomains', { count: deniedDomains.length }),
      ...(allowedDomains === undefined ? [] : [say('rules.allowedDomains', { count: allowedDomains.length })]),
    ],
    moderation: moderationLines(facts, say),
    log: logLines(facts, say),
  };
  for (const [section, names] of entriesOf(rulesInSections))
    if (section !== 'access' && names.some((name) => operatorNames.has(name)))
      lines[section].push(say('rules.alsoOperators'));
  return lines;
}

/** Warns if the bot cannot post in the log channel, or if everyone on the server can read what is for moderators only. */
export async function logChannelWarnings(
  guildId: string,
  { logChannelId, alertsChannelId }: RuleFacts,
  services: Services,
  say: Say,
): Promise<string[]> {
  const channel = logChannelId ?? alertsChannelId;
  if (channel === undefined) return [];
  const [isSeen, missing] = await Promise.all([
    services.discord.reads.isSeenByEveryone(channel, guildId),
    missingLines(guildId, channel, 'log', services, say),
  ]);
  return [...missing, ...(isSeen ? [say('rules.log.seenByEveryone', { channel })] : [])];
}

/** A line if the bot cannot post in the log channel or the alerts channel. */
async function missingLines(
  guildId: string,
  channel: string,
  purpose: 'log' | 'alerts',
  { discord: { reads, outbox } }: Services,
  say: Say,
): Promise<string[]> {
  const granted = await reads.ownPermissions(guildId, outbox.botUserId ?? '');
  const missing = await missingIn(channel, granted, reads);
  return missing === undefined || missing.length === 0 ? [] : [permissionsLine(channel, purpose, missing, say)];
}

/** Undefined if Discord does not tell, which it does not for a thread. */
export type MissingInChannel = PermissionName[] | 'gone' | undefined;

/** What the bot lacks to post in a channel. `granted`: its permissions in the channels of the server. */
export async function missingIn(
  channelId: string,
  granted: ReadonlyMap<string, bigint>,
  reads: DiscordReader,
): Promise<MissingInChannel> {
  const appPermissions = granted.get(channelId);
  if (appPermissions !== undefined) return missingPermissions({ appPermissions }, postPermissions);
  return (await reads.isGone(channelId)) ? 'gone' : undefined;
}

/** Says what the bot lacks in a channel that settings name. */
export function permissionsLine(
  channel: string,
  purpose: 'log' | 'alerts' | 'access',
  missing: MissingInChannel,
  say: Say,
): string {
  const use = say(`setup.permissions.uses.${purpose}`);
  if (missing === 'gone') return say(`setup.permissions.gone.${purpose}`, { channel, use });
  if (missing === undefined) return say('setup.permissions.unknown', { channel, use });
  if (missing.length === 0) return say('setup.permissions.granted', { channel, use });
  const names = missing.map((name) => say(`permissions.${name}`));
  return say('setup.permissions.missing', { channel, use, missing: listText(names, say) });
}

/** Where alerts are posted, and what the bot lacks there. */
export const alertsLines = async (guildId: string, channel: string, services: Services, say: Say) => [
  say('budget.alerts', { channel }),
  ...(await missingLines(guildId, channel, 'alerts', services, say)),
];

function buttonAccessLine({ rules: { pressers } }: RuleFacts, say: Say): string {
  if (typeof pressers === 'string') return say(`rules.buttonAccess.${pressers}`);
  return say('rules.buttonAccess.roles', { roles: pressers.roleIds.map((role) => `<@&${role}>`).join(' ') });
}

const commandsText = ({ rules: { privateCommands } }: RuleFacts, say: Say): string =>
  privateCommands.length === 0
    ? say('rules.noCommands')
    : privateCommands.map((command) => inlineCode(`/${command}`)).join(' ');

function moderationLines({ rules: { moderation }, hasModerationService, setByOperator }: RuleFacts, say: Say) {
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

function logLines({ rules, logChannelId, logDays, alertsChannelId }: RuleFacts, say: Say): string[] {
  const channel = logChannelId ?? alertsChannelId;
  if (channel === undefined)
    return [say('rules.log.none'), ...(canHold(rules.moderation) ? [say('rules.log.nothingHeld')] : [])];
  return [
    logChannelId === undefined ? say('rules.log.alerts', { channel }) : say('rules.log.own', { channel }),
    logDays === undefined ? say('rules.log.kept') : say('rules.log.days', { count: logDays }),
  ];
}
