/** A block of an answer's Markdown, parsed only as far as needed to split it into messages. */
export type Block =
  | { kind: 'paragraph'; source: string; text: string }
  | { kind: 'code'; source: string; language: string; code: string }
  | { kind: 'table'; source: string; table: string };

/** Longer lines are treated as plain text, because matching them would take too long. */
const MAX_MARKER_LINE_LENGTH = 500;
const FENCE = /^[ \t]{0,8}(`{3,20}|~{3,20})([^`\n]*)$/;
const LANGUAGE = /^[\w+\-.#]{1,30}/;
const DELIMITER_CELL = /^[ \t]*:?-+:?[ \t]*$/;
const BLANK = /^[ \t]*$/;

/** Returns the blocks in order. Their sources, joined together, are exactly the text. */
export function blocksOf(text: string): Block[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; ) {
    const length = lengthOfCode(lines, index) ?? lengthOfTable(lines, index) ?? lengthOfParagraph(lines, index);
    const contentLines = lines.slice(index, index + length);
    let next = index + length;
    // Blank lines belong to the block before them.
    while (next < lines.length && isBlank(lines[next])) next++;
    blocks.push(blockOf(contentLines, lines.slice(index, next).join('')));
    index = next;
  }
  return blocks;
}

function blockOf(contentLines: readonly string[], source: string): Block {
  const body = contentLines.join('').replace(/\n$/, '');
  const fence = matchFence(contentLines[0]);
  if (fence) {
    const isClosed = contentLines.length > 1 && closesFence(contentLines.at(-1), fence[1]);
    const code = contentLines
      .slice(1, isClosed ? -1 : undefined)
      .join('')
      .replace(/\n$/, '');
    return { kind: 'code', source, language: LANGUAGE.exec(fence[2]?.trim() ?? '')?.[0] ?? '', code };
  }
  if (contentLines.length > 1 && isTable(contentLines, 0)) return { kind: 'table', source, table: body };
  return { kind: 'paragraph', source, text: body };
}

/** An unclosed code block extends to the end of the text: the rest of it has not arrived yet, or never will. */
function lengthOfCode(lines: readonly string[], index: number): number | undefined {
  const fence = matchFence(lines[index]);
  if (!fence) return undefined;
  let end = index + 1;
  while (end < lines.length && !closesFence(lines[end], fence[1])) end++;
  return Math.min(end + 1, lines.length) - index;
}

function closesFence(line = '', openingFence = ''): boolean {
  const trimmed = withoutLineBreak(line).trim();
  return trimmed.length >= openingFence.length && trimmed === openingFence.charAt(0).repeat(trimmed.length);
}

function lengthOfTable(lines: readonly string[], index: number): number | undefined {
  if (!isTable(lines, index)) return undefined;
  let end = index + 2;
  while (end < lines.length && (lines[end] ?? '').includes('|') && !matchFence(lines[end])) end++;
  return end - index;
}

function isTable(lines: readonly string[], index: number): boolean {
  const [header = '', delimiter = ''] = [lines[index], lines[index + 1]];
  return (
    header.includes('|') &&
    delimiter.includes('|') &&
    delimiter.length <= MAX_MARKER_LINE_LENGTH &&
    isDelimiterRow(withoutLineBreak(delimiter))
  );
}

/** Whether this is the line between a table's header and its rows; the leading and trailing pipes are optional. */
function isDelimiterRow(line: string): boolean {
  const cells = line.split('|');
  if (BLANK.test(cells[0] ?? '')) cells.shift();
  if (BLANK.test(cells.at(-1) ?? '')) cells.pop();
  return cells.length > 0 && cells.every((cell) => DELIMITER_CELL.test(cell));
}

/** A paragraph extends to the next blank line, code block or table. */
function lengthOfParagraph(lines: readonly string[], index: number): number {
  let end = index + 1;
  while (end < lines.length && !isBlank(lines[end]) && !matchFence(lines[end]) && !isTable(lines, end)) end++;
  return end - index;
}

const matchFence = (line = '') => (line.length <= MAX_MARKER_LINE_LENGTH ? FENCE.exec(withoutLineBreak(line)) : null);
const withoutLineBreak = (line = ''): string => line.replace(/\r?\n$/, '');
const isBlank = (line = ''): boolean => line.trim() === '';
