import { createHash } from 'node:crypto';
import { customIds, ruleSections } from '../../discord/custom-ids.ts';
import { memberMention } from '../../discord/markdown.ts';
import { type ButtonPlan, buttonPlan, type Control, type FilePlan, type MessagePlan } from '../../discord/plan.ts';
import { entriesOf } from '../../lib/entries.ts';
import { listText } from '../../lib/formats.ts';
import type { Say } from '../../locales/index.ts';
import {
  type AccessRule,
  accessText,
  type RuleSet,
  ruleText,
  withoutProposal,
  withProposal,
  withRules,
} from '../../services/safety/server-rules.ts';
import { bucketOf } from '../../services/tasks/homes.ts';
import { createTaskId } from '../../services/tasks/task-id.ts';
import { type Context, on } from '../feature.ts';
import {
  type ChangeName,
  logChannelWarnings,
  type RuleFacts,
  ruleFacts,
  ruleLines,
  rulesInSections,
  unreadableLines,
} from '../rule-lines.ts';
import { managedServer } from './managed-server.ts';
import { accessMarkdown, readableAccess, readableWords, withNames } from './readable.ts';
import { rulesForNoOne } from './rules-for-no-one.ts';

interface RulesPageFacts extends RuleFacts {
  /** The names of the server's roles and channels, by their mentions. */
  names: ReadonlyMap<string, string>;
  forNoOne: readonly AccessRule[];
  warnings: readonly string[];
}

export async function currentRulesPage(context: Context, note?: string): Promise<MessagePlan> {
  const { guildId } = managedServer(context);
  const facts = ruleFacts(guildId, context.services);
  const namesPlaces = facts.rules.access.some(({ roleIds, channelIds }) => roleIds ?? channelIds);
  const { reads } = context.services.discord;
  const names = namesPlaces ? await reads.serverNames(guildId) : new Map<string, string>();
  const forNoOne = await rulesForNoOne(facts.rules.access, names, reads);
  const warnings = await logChannelWarnings(guildId, facts, context.services, context.say);
  const page = rulesPage({ ...facts, names, forNoOne, warnings }, context.say);
  return note === undefined ? page : { ...page, content: `${note}\n\n${page.content}` };
}

/** The rules of each section, who changed them last, and a button to change them. */
function rulesPage(facts: RulesPageFacts, say: Say): MessagePlan {
  const namesOfOperator = facts.setByOperator.map((name) => say(`rules.names.${name}`));
  const ownLines = ruleLines(facts, say);
  ownLines.access.push(
    ...facts.forNoOne.map((rule) =>
      say('rules.access.noOne', { rule: accessMarkdown(accessText(rule), facts.targets, say) }),
    ),
  );
  ownLines.log.push(...facts.warnings);
  const lines = [
    say('rules.title'),
    ...unreadableLines(facts, say),
    ...(namesOfOperator.length === 0 ? [] : [say('rules.byOperator', { rules: listText(namesOfOperator, say) })]),
    ...entriesOf(rulesInSections).flatMap(([section, names]) => [
      '',
      say(`rules.section.${section}`),
      ...ownLines[section].map((line) => `- ${line}`),
      ...lastChangeLines(names, facts, say),
    ]),
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

/** Stores changed rules until their admin decides. `content` shows what would change. */
export async function previewRules(rules: RuleSet, content: string, context: Context): Promise<MessagePlan> {
  const { guildId, author } = managedServer(context);
  const { services, say } = context;
  const id = createTaskId(author.at, bucketOf(guildId));
  await services.safety.rules.change(guildId, (current) => withProposal(current, { id, rules, ...author }));
  return {
    content: [content, say('rules.preview.notApplied')].join('\n'),
    overflow: 'file',
    controls: [
      buttonPlan(say('rules.preview.apply'), customIds.rulesApply.id(id), { style: 'good' }),
      buttonPlan(say('rules.preview.cancel'), customIds.rulesCancel.id(id)),
    ],
    files: [],
  };
}

export const previewButtons = [
  on(customIds.rulesApply, {
    reply: 'here',
    async run(id, context): Promise<MessagePlan> {
      const { guildId, author } = managedServer(context);
      let isOutdated = false;
      await context.services.safety.rules.change(guildId, (current) => {
        isOutdated = current.proposed?.id !== id;
        return current.proposed?.id === id ? withRules(current, current.proposed.rules, author) : current;
      });
      // The page replaces a preview that no longer stands, so that its buttons are gone.
      return currentRulesPage(context, isOutdated ? context.say('rules.preview.outdated') : undefined);
    },
  }),
  on(customIds.rulesCancel, {
    reply: 'here',
    async run(id, context): Promise<MessagePlan> {
      const { guildId } = managedServer(context);
      const { rules } = context.services.safety;
      if (rules.get(guildId).proposed?.id !== id)
        return currentRulesPage(context, context.say('rules.preview.outdated'));
      await rules.change(guildId, (current) => (current.proposed?.id === id ? withoutProposal(current) : current));
      return currentRulesPage(context, context.say('rules.preview.canceled'));
    },
  }),
];
