import { historyPage } from '../history.ts';
import { command } from '../services.ts';
import { managedServer } from './access.ts';
import { changeText, readableLine } from './readable.ts';

/** Shows who changed which rule and when, and how. The file has all entries that a change of a list removed and added. */
export const rulesHistory = command({
  name: 'history',
  isPrivate: true,
  options: {},
  async run(_values, context) {
    const { guildId } = managedServer(context);
    const { say, services } = context;
    const { rules, ruleTargets } = services;
    return historyPage(
      rules.get(guildId).history,
      {
        name: 'rules',
        whatOf: (change) => changeText(change, ruleTargets, say),
        columns: ['rule', 'before', 'after'],
        valuesOf({ what, before = '', after = '' }) {
          const readable = (text: string): string =>
            text.replace(/.+/g, (line) => readableLine(what, line, ruleTargets, say));
          return [say(`rules.names.${what}`), readable(before), readable(after)];
        },
      },
      say,
    );
  },
});
