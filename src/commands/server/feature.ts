import { customIds } from '../../discord/custom-ids.ts';
import { refusalMessage } from '../../discord/funnel.ts';
import { missingPermissions, neededPermissions } from '../../discord/guards.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { installLinks } from '../../discord/registration.ts';
import { parsePlainJson } from '../../lib/exact-json.ts';
import { sentencesText } from '../../lib/formats.ts';
import { findJsonMistake } from '../../lib/json-mistake.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Say, sayIn } from '../../locales/index.ts';
import { type RuleMistake, type RuleTargets, readRules } from '../../services/safety/rules-file.ts';
import { changedLines, type RuleSet, ruleNames, withRules } from '../../services/safety/server-rules.ts';
import { command, type Feature, on } from '../feature.ts';
import { historyPage } from '../history.ts';
import { changeableOwner, preferencesPage } from '../preference-page.ts';
import { ruleFacts, unreadableLines } from '../rule-lines.ts';
import { rulesForms } from './forms.ts';
import { assertCanModerate, managedServer, requireCategories } from './managed-server.ts';
import { accessRuleId, currentRulesPage, previewButtons, previewRules } from './page.ts';
import { changeText, readableLine, withNames } from './readable.ts';
import { reportButtons } from './report-buttons.ts';
import { presetReports, reportForm, reportMenu } from './report-form.ts';
import { rulesForNoOne } from './rules-for-no-one.ts';

/** Far more than all lists at their maximum size. */
const MAX_BYTES = 1_000_000;

const exportRules = command({
  name: 'export',
  options: {},
  async run(_values, context): Promise<MessagePlan> {
    const { guildId } = managedServer(context);
    const { services, say } = context;
    const bytes = Buffer.from(`${JSON.stringify(services.safety.rules.get(guildId).rules, null, 2)}\n`);
    const exported = sentencesText([say('rules.exported'), say('rules.log.notExported')], say);
    const content = [...unreadableLines(ruleFacts(guildId, services), say), exported].join('\n');
    return { content, files: [{ name: `rules-${guildId}.json`, bytes }] };
  },
});

/** Shows the changes that an import would make; a button applies them. */
const importRules = command({
  name: 'import',
  options: { file: { type: 'attachment', required: true } },
  parse: ({ file }) => (file.size > MAX_BYTES ? new Refusal('refusals.rules.importTooLarge') : file),
  async run(file, context): Promise<MessagePlan> {
    const { guildId, author } = managedServer(context);
    const { services, say } = context;
    const fileText = await services.conversations.readText(file, author.by).catch(throwNotText);
    const json = parsePlainJson(fileText);
    if (json === undefined) throw new Refusal('refusals.rules.importNotJson', findJsonMistake(fileText));
    const importedRules = readRules(json, services.safety.targets);
    if (Array.isArray(importedRules)) return mistakesPage(importedRules, say);
    const { rules: currentRules, logChannelId } = services.safety.rules.get(guildId);
    assertCanModerate(importedRules.moderation, logChannelId, context);
    await requireCategories(importedRules.moderation.thresholds, context);
    const lines = diffLines(currentRules, importedRules, services.safety.targets, say);
    if (lines.length === 0) return { content: say('rules.same') };
    const { reads } = services.discord;
    const names = await reads.serverNames(guildId);
    const diff = withNames(lines.join('\n'), names, say);
    const forNoOne = await rulesForNoOne(importedRules.access, names, reads);
    const warning = forNoOne.length === 0 ? [] : [say('rules.preview.noOne')];
    const content = [say('rules.preview.import'), '```diff', diff, '```', ...warning].join('\n');
    return previewRules(importedRules, content, context);
  },
});

/** More could not be read at a glance. */
const MAX_MISTAKES = 10;

function mistakesPage(mistakes: readonly RuleMistake[], say: Say): MessagePlan {
  const count = mistakes.length;
  const lines = mistakes.slice(0, MAX_MISTAKES).map((one) => (count > 1 ? '- ' : '') + refusalMessage(one, say));
  const more = count > MAX_MISTAKES ? [say('rules.moreMistakes', { count: count - MAX_MISTAKES })] : [];
  return { content: say('rules.mistakes', { count, mistakes: [...lines, ...more].join('\n') }), overflow: 'file' };
}

function throwNotText(error: unknown): never {
  const isAboutText =
    error instanceof Refusal && ['refusals.documentUnreadable', 'refusals.notText'].includes(error.key);
  throw isAboutText ? new Refusal('refusals.rules.importNotText') : error;
}

/** One line for each entry that is added or removed. */
function diffLines(oldRules: RuleSet, newRules: RuleSet, targets: RuleTargets, say: Say): string[] {
  return ruleNames.flatMap((name) => {
    const { removed, added } = changedLines(oldRules, newRules, name);
    const show = (line: string): string => readableLine(name, line, targets, say).replaceAll('`', 'ˋ');
    const lines = [...removed.map((line) => `- ${show(line)}`), ...added.map((line) => `+ ${show(line)}`)];
    return lines.length === 0 ? [] : [`# ${say(`rules.names.${name}`)}`, ...lines];
  });
}

const rules = command({
  name: 'rules',
  options: {},
  run: async (_values, context) => currentRulesPage(context),
});

/** Shows who changed which rule and when, and how. The file is in English, like all tables, and has all entries that a change of a list removed and added. */
const rulesHistory = command({
  name: 'history',
  options: {},
  async run(_values, context) {
    const { guildId } = managedServer(context);
    const { say, services } = context;
    const { rules, targets: ruleTargets } = services.safety;
    const english = sayIn('en');
    return historyPage(
      rules.get(guildId).history,
      {
        name: 'rules',
        whatOf: (change) => changeText(change, ruleTargets, say),
        columns: ['rule', 'before', 'after'],
        valuesOf({ what, before = '', after = '' }) {
          const readable = (text: string): string =>
            text.replace(/.+/g, (line) => readableLine(what, line, ruleTargets, english));
          return [english(`rules.names.${what}`), readable(before), readable(after)];
        },
      },
      say,
    );
  },
});

/** Lists the permissions that the bot needs in this channel, and whether it has them. */
const checkServer = command({
  name: 'check',
  options: {},
  async run(_values, context): Promise<MessagePlan> {
    managedServer(context);
    const { facts, say, origin } = context;
    const { server } = installLinks(origin.route.applicationId, { userInstall: false });
    const missingNames = missingPermissions(facts);
    const lines = neededPermissions.map(({ name, purpose }) =>
      say(missingNames.includes(name) ? 'rules.check.missing' : 'rules.check.granted', {
        name: say(`permissions.${name}`),
        use: say(`rules.check.uses.${purpose}`),
      }),
    );
    return {
      content: [
        say('rules.check.title', { channel: facts.channelId ?? '' }),
        ...lines,
        missingNames.length === 0 ? say('rules.check.allThere') : say('rules.check.howTo'),
      ].join('\n'),
      controls: [{ type: 'link', address: server, label: say('rules.check.invite') }],
    };
  },
});

const removeAccessRule = on(customIds.accessRemove, {
  reply: 'here',
  async run(_nothing, context, { selectedValues: [chosenId] }) {
    const { guildId, author } = managedServer(context);
    let isRemoved = false;
    await context.services.safety.rules.change(guildId, (current) => {
      const access = current.rules.access.filter((rule) => accessRuleId(rule) !== chosenId);
      isRemoved = access.length < current.rules.access.length;
      return withRules(current, { ...current.rules, access }, author);
    });
    return currentRulesPage(context, isRemoved ? undefined : context.say('rules.outdated'));
  },
});

/** What applies where neither a member nor a channel has settings. */
const defaults = command({
  name: 'defaults',
  options: {},
  async run(_values, context) {
    changeableOwner('server', context);
    return preferencesPage('server', context, { canChange: true });
  },
});

/** The commands with which a server's admins decide what its members can request. */
export const server: Feature = {
  command: {
    name: 'server',
    isForServers: true,
    isForAdmins: true,
    subcommands: [rules, defaults, rulesHistory, checkServer, exportRules, importRules],
  },
  menus: [reportMenu],
  handlers: [...rulesForms, removeAccessRule, reportForm, ...presetReports, ...previewButtons, ...reportButtons],
};
