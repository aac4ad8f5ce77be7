import { truncateMarkdown } from '../discord/message-text.ts';

const MAX_LINES = 15;
/** The title and the line about older changes take the rest of a message. */
const MAX_LENGTH = 1_800;

/** The lines of a history that fit in a message. The reader is told how many are left out. */
export function newestLines(newestFirst: readonly string[]): string[] {
  const lines = newestFirst.slice(0, MAX_LINES).map((line) => truncateMarkdown(line, MAX_LENGTH));
  while (lines.join('\n').length > MAX_LENGTH) lines.pop();
  return lines;
}
