import { customIds } from '../../discord/custom-ids.ts';
import { withRules } from '../../services/rules/server-rules.ts';
import type { Feature } from '../feature.ts';
import { command, on } from '../services.ts';
import { managedServer } from './access.ts';
import { checkServer } from './check.ts';
import { openRulesForm, rulesForm } from './forms.ts';
import { rulesHistory } from './history.ts';
import { accessRuleId, currentRulesPage } from './page.ts';
import { previewButtons } from './preview.ts';
import { reportButtons } from './report-decisions.ts';
import { reportForm, reportMenu } from './report-form.ts';
import { text } from './text.ts';
import { exportRules, importRules } from './transfer.ts';

const rules = command({
  name: 'rules',
  isPrivate: true,
  options: {},
  run: async (_values, context) => currentRulesPage(context),
});

const removeAccessRule = on(customIds.accessRemove, {
  reply: 'here',
  async run(_nothing, context, { selectedValues: [chosenId] }) {
    const { guildId, author } = managedServer(context);
    let isRemoved = false;
    await context.services.rules.change(guildId, (current) => {
      const access = current.rules.access.filter((rule) => accessRuleId(rule) !== chosenId);
      isRemoved = access.length < current.rules.access.length;
      return withRules(current, { ...current.rules, access }, author);
    });
    const page = await currentRulesPage(context);
    return isRemoved ? page : { ...page, content: `${context.say('rules.outdated')}\n\n${page.content}` };
  },
});

/** The commands with which a server's admins decide what its members can request. */
export const server: Feature<typeof text> = {
  command: {
    name: 'server',
    isForServers: true,
    isForAdmins: true,
    subcommands: [rules, rulesHistory, checkServer, exportRules, importRules],
  },
  menus: [reportMenu],
  handlers: [openRulesForm, rulesForm, removeAccessRule, reportForm, ...previewButtons, ...reportButtons],
  text,
};
