import { customIds } from '../../discord/custom-ids.ts';
import { missingPermissions, neededPermissions } from '../../discord/guards.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { installLinks } from '../../discord/registration.ts';
import { sayIn } from '../../locales/index.ts';
import { withRules } from '../../services/safety/server-rules.ts';
import { command, type Feature, on } from '../feature.ts';
import { historyPage } from '../history.ts';
import { changeableOwner, preferencesPage } from '../preference-page.ts';
import { exportRules, importRules } from './export-rules.ts';
import { rulesForms } from './forms.ts';
import { managedServer } from './managed-server.ts';
import { accessRuleId, currentRulesPage, previewButtons } from './page.ts';
import { changeText, readableLine } from './readable.ts';
import { reportButtons } from './report-buttons.ts';
import { presetReports, reportForm, reportMenu } from './report-form.ts';

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
