/** A result in words, read: what one can go on from, and what stands beside it. */
export interface ReadText {
  lines: string[];
  beside: string[];
}

/** A keycap begins a line wherever it stands. */
const KEYCAP = /(?:\d\ufe0f?\u20e3|🔟)/gu;
const NUMBERED = /^[\s*_>#]*(?:\d\ufe0f?\u20e3|🔟|\(?\d{1,2}[.):](?=[\s*_])[*_]*)\s*/u;
const BULLETED = /^\s*[-*•–]\s+/;
const HEADING = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|.*:)$/;

const TITLE = /^[\p{L}\p{M}'’-]+(?: [\p{L}\p{M}'’-]+){0,4}$/u;

const isHeading = (row: string): boolean => HEADING.test(row.trim());

/** Gateways number lines by keycaps, usually; what is numbered otherwise, or not at all, is read as well as may be. */
export function readText(text: string): ReadText {
  const rows = text.replace(KEYCAP, '\n$&').split(/\r?\n/);
  const mark = [NUMBERED, BULLETED].find((pattern) => rows.some((row) => pattern.test(row)));
  const read = mark ? marked(rows, mark) : unmarked(rows);
  const lines = read.lines.map(plain).filter((line) => line !== '');
  const whole = plain(text);
  return lines.length > 0 || whole === '' ? { ...read, lines } : { lines: [whole], beside: [] };
}

/** The words of one line, counted from 1. */
export const lineAt = (text: string, number: number): string | undefined => readText(text).lines[number - 1];

function marked(rows: readonly string[], mark: RegExp): ReadText {
  const lines: string[] = [];
  const beside: string[] = [];
  let goesOn = false;
  let above = '';
  for (const row of rows) {
    if (mark.test(row)) {
      // A few words right above the first line are what the lines are called.
      if (lines.length === 0 && beside.at(-1) === above && TITLE.test(above)) beside.pop();
      lines.push(row.replace(mark, ''));
      goesOn = true;
    } else if (row.trim() === '' || isHeading(row)) goesOn = false;
    else if (goesOn) lines.push(`${lines.pop()} ${row}`);
    else beside.push(row.trim());
    if (row.trim() !== '') above = row.trim();
  }
  return { lines, beside };
}

/** Paragraphs where there are some, else every row for itself. */
function unmarked(rows: readonly string[]): ReadText {
  const paragraphs = rows
    .map((row) => (isHeading(row) ? '' : row))
    .join('\n')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '');
  const [only = ''] = paragraphs;
  return { lines: paragraphs.length > 1 ? paragraphs : only.split('\n'), beside: [] };
}

/** Of a link its words are the prompt, not where it leads. */
function plain(line: string): string {
  return line
    .replace(/\[([^\][]*)\]\(<?https?:[^()\s]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a prompt is mainly about: the words that stand out, with their weight where one is told. Struck words are the opposite. */
export function directionsIn({ beside }: ReadText): string[] {
  const rows = beside.map((row) => row.replace(/~~[^~]*~~,?/g, ''));
  const strong = rows.flatMap((row) => [...row.matchAll(/\*\*([^*]+)\*\*(?:\s*(\([\d.]+\)))?/g)]);
  if (strong.length > 0) return strong.map(([, words = '', weight = '']) => plain(`${words} ${weight}`));
  return rows.map((row) => plain(row.replaceAll('**', ''))).filter((row) => row !== '');
}
