import { memberMention } from '../discord/markdown.ts';
import type { MessagePlan } from '../discord/plan.ts';
import { truncateMarkdown } from '../discord/truncate.ts';
import { csv } from '../lib/csv.ts';
import type { Say } from '../locales/index.ts';

interface Change {
  at: number;
  by?: string | undefined;
}

interface HistoryTexts<One extends Change> {
  name: 'rules' | 'budget';
  whatOf(change: One): string;
  /** By default, the member who made the change. */
  whoOf?(change: One): string | undefined;
  /** The columns of the file, after those of when and by whom, and their values. */
  columns: readonly string[];
  valuesOf(change: One): readonly string[];
}

const MAX_LINES = 15;
/** The title and the line about older changes take the rest of a message. */
const MAX_LENGTH = 1_800;

/** The newest of an admin's changes, and a file with all of them. */
export function historyPage<One extends Change>(
  history: readonly One[],
  { name, whatOf, whoOf, columns, valuesOf }: HistoryTexts<One>,
  say: Say,
): MessagePlan {
  if (history.length === 0) return { content: say(`${name}.history.none`) };
  const newestFirst = history.toReversed();
  const lines = newestFirst.slice(0, MAX_LINES).map((change) => {
    const who = whoOf?.(change) ?? memberMention(change.by, say);
    const facts = { at: Math.floor(change.at / 1000), who, what: whatOf(change) };
    return truncateMarkdown(`- ${say(`${name}.history.line`, facts)}`, MAX_LENGTH);
  });
  while (lines.join('\n').length > MAX_LENGTH) lines.pop();
  const remainingCount = newestFirst.length - lines.length;
  if (remainingCount > 0) lines.push(say(`${name}.history.rest`, { count: remainingCount }));
  const rows = newestFirst.map((change) => [new Date(change.at).toISOString(), change.by ?? '', ...valuesOf(change)]);
  const bytes = csv([['time', 'by', ...columns], ...rows]);
  return {
    content: [say(`${name}.history.title`), ...lines].join('\n'),
    files: [{ name: `${name}-history.csv`, bytes }],
  };
}
