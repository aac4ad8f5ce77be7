import type { MessagePlan } from '../../discord/plan.ts';
import { csv } from '../../lib/csv.ts';
import { memberMention } from '../../messages/who-is.ts';
import { newestLines } from '../newest-lines.ts';
import { command } from '../services.ts';
import { managedServer } from './access.ts';
import { changeText, readableLine } from './readable.ts';

/** Shows who changed which rule and when, and how. The file has all entries that a change of a list removed and added. */
export const rulesHistory = command({
  name: 'history',
  isPrivate: true,
  options: {},
  async run(_values, context): Promise<MessagePlan> {
    const { guildId } = managedServer(context);
    const { say, services } = context;
    const newestFirst = services.rules.get(guildId).history.toReversed();
    if (newestFirst.length === 0) return { content: say('rules.history.none') };
    const lines = newestLines(
      newestFirst.map((change) => {
        const what = changeText(change, services.ruleTargets, say);
        const facts = { at: Math.floor(change.at / 1000), who: memberMention(change.by, say), what };
        return `- ${say('rules.history.line', facts)}`;
      }),
    );
    const remainingCount = newestFirst.length - lines.length;
    if (remainingCount > 0) lines.push(say('rules.history.rest', { count: remainingCount }));
    const rows = newestFirst.map(({ at, by = '', what, before = '', after = '' }) => {
      const readable = (text: string): string =>
        text.replace(/.+/g, (line) => readableLine(what, line, services.ruleTargets, say));
      return [new Date(at).toISOString(), by, say(`rules.names.${what}`), readable(before), readable(after)];
    });
    const bytes = csv([['time', 'by', 'rule', 'before', 'after'], ...rows]);
    return {
      content: [say('rules.history.title'), ...lines].join('\n'),
      files: [{ name: 'rules-history.csv', bytes }],
    };
  },
});
