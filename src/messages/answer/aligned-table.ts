import { textWidth } from '../../lib/text-width.ts';

/** What a code block holds on a phone that is 390 points wide. A longer line would wrap and lose its columns. */
const MAX_WIDTH = 36;
const MAX_ROWS = 10;
/** A character can carry any number of marks, which have no width. */
const MAX_LENGTH = 900;
/** Tables with longer lines are never narrow enough. */
const MAX_LINE_LENGTH = 500;
const GAP = '  ';

/** A small Markdown table as text for a code block, with aligned columns; undefined if it has too many rows or is too wide. */
export function alignedTable(table: string): string | undefined {
  const lines = table.split('\n');
  if (lines.length > MAX_ROWS + 2 || lines.some((line) => line.length > MAX_LINE_LENGTH)) return undefined;
  const [header = [], delimiters = [], ...rows] = lines.map(cellsOf);
  if (rows.some((row) => row.length > header.length)) return undefined;
  const widths = header.map((_, index) => Math.max(...[header, ...rows].map((row) => textWidth(row[index] ?? ''))));
  const rightAligned = delimiters.map((cell) => /^-+:$/.test(cell));
  const lineOf = (row: readonly string[]): string =>
    widths
      .map((width, index) => {
        const cell = row[index] ?? '';
        const padding = ' '.repeat(width - textWidth(cell));
        return rightAligned[index] ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join(GAP);
  const text = [lineOf(header), rule, ...rows.map(lineOf)].join('\n');
  return rule.length <= MAX_WIDTH && text.length <= MAX_LENGTH ? text : undefined;
}

/** The cells of a line without the Markdown that a code block would show, and without backticks, which could end the block. */
function cellsOf(line: string): string[] {
  const cells = line.trim().split(/(?<!\\)\|/);
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((cell) =>
    cell
      .replace(/\*\*|`|[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069]/gu, '')
      .replaceAll('\\|', '|')
      .replace(/<br ?\/?>/g, ' ')
      .trim(),
  );
}
