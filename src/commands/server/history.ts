import { command, type HandlerContext } from '../../discord/handlers.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { csv } from '../../lib/csv.ts';
import { memberMention } from '../../messages/who-is.ts';
import type { Services } from '../services.ts';
import { managedServer } from './access.ts';
import { changeText } from './readable.ts';

const MAX_LINES = 15;

/** Shows who changed which rule and when, and how. The file has all entries that a change of a list removed and added. */
export const rulesHistory = command({
  name: 'history',
  isPrivate: true,
  options: {},
  async run(_values, context: HandlerContext<Services>): Promise<MessagePlan> {
    const { guildId } = managedServer(context);
    const { say, services } = context;
    const newestFirst = services.rules.get(guildId).history.toReversed();
    if (newestFirst.length === 0) return { content: say('rules.history.none') };
    const lines = newestFirst.slice(0, MAX_LINES).map((change) => {
      const what = changeText(change, services.ruleTargets, say);
      const facts = { at: Math.floor(change.at / 1000), who: memberMention(change.by, say), what };
      return `- ${say('rules.history.line', facts)}`;
    });
    const rows = newestFirst.map(({ at, by = '', what, before = '', after = '' }) => {
      return [new Date(at).toISOString(), by, what, before, after];
    });
    const bytes = csv([['time', 'by', 'rule', 'before', 'after'], ...rows]);
    return {
      content: [say('rules.history.title'), ...lines].join('\n'),
      overflow: 'cut',
      files: [{ name: 'rules-history.csv', bytes }],
    };
  },
});
