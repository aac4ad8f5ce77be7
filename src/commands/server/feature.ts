import { customIds } from '../../discord/custom-ids.ts';
import { button, command, type HandlerContext } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { withRules } from '../../services/rules/server-rules.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { ruledServer } from './access.ts';
import { checkServer } from './check.ts';
import { openRulesForm, pageHere, type RuleWords, rulesForm } from './forms.ts';
import { rulesHistory } from './history.ts';
import { reportBlockForm, reportBlockOpener, reportButtons } from './report-decisions.ts';
import { reportForm, reportMenu } from './report-form.ts';
import { text } from './text.ts';
import { applyImportButton, cancelImportButton, exportRules, importRules } from './transfer.ts';

type Context = HandlerContext<Services>;

const rules = command({
  name: 'rules',
  isPrivate: true,
  options: {},
  run: async (_values, context: Context) => pageHere(context),
});

const removeAccessRule = button(customIds.accessRemove, {
  reply: 'here',
  async run(_nothing, context: Context, [chosen = '']) {
    const { guildId, author } = ruledServer(context);
    await context.services.rules.change(guildId, (known) => {
      const { access } = known.rules;
      if (!access[Number(chosen)]) throw new Refusal('refusals.unknownButton');
      return withRules(known, { access: access.filter((_, index) => index !== Number(chosen)) }, author);
    });
    return pageHere(context);
  },
});

/** For a server's admins: what its members can request. */
export const server = (known: RuleWords): Feature<typeof text> => ({
  command: {
    name: 'server',
    isForServers: true,
    isForAdmins: true,
    subcommands: [rules, rulesHistory, checkServer, exportRules, importRules],
  },
  menus: [reportMenu],
  openers: [openRulesForm, reportBlockOpener],
  forms: [rulesForm(known), reportForm, reportBlockForm],
  buttons: [removeAccessRule, applyImportButton, cancelImportButton, ...reportButtons],
  text,
});
