/** The text of a result: the lines that can be used as prompts, and the rest. */
export interface ResultText {
  lines: string[];
  rest: string[];
}

/** A keycap emoji anywhere starts a new line. */
const KEYCAP = /(?:\d\ufe0f?\u20e3|🔟)/gu;
const NUMBERED = /^[\s*_>#]*(?:\d\ufe0f?\u20e3|🔟|\(?\d{1,2}[.):](?=[\s*_])[*_]*)\s*/u;
const BULLETED = /^\s*[-*•–]\s+/;
const HEADING = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|.*:)$/;

const TITLE = /^[\p{L}\p{M}'’-]+(?: [\p{L}\p{M}'’-]+){0,4}$/u;

const isHeading = (row: string): boolean => HEADING.test(row.trim());

/** Gateways usually number lines with keycap emoji. For text numbered differently, or not at all, parsing is best-effort. */
export function readResultText(text: string): ResultText {
  const rows = text.replace(KEYCAP, '\n$&').split(/\r?\n/);
  const marker = [NUMBERED, BULLETED].find((pattern) => rows.some((row) => pattern.test(row)));
  const parsed = marker ? readMarked(rows, marker) : readUnmarked(rows);
  const lines = parsed.lines.map(toPlainText).filter((line) => line !== '');
  const wholeText = toPlainText(text);
  return lines.length > 0 || wholeText === '' ? { ...parsed, lines } : { lines: [wholeText], rest: [] };
}

export const lineAt = (text: string, number: number): string | undefined => readResultText(text).lines[number - 1];

function readMarked(rows: readonly string[], marker: RegExp): ResultText {
  const lines: string[] = [];
  const rest: string[] = [];
  let isInItem = false;
  let previousRow = '';
  for (const row of rows) {
    if (marker.test(row)) {
      // A few words directly above the first line are its heading.
      if (lines.length === 0 && rest.at(-1) === previousRow && TITLE.test(previousRow)) rest.pop();
      lines.push(row.replace(marker, ''));
      isInItem = true;
    } else if (row.trim() === '' || isHeading(row)) isInItem = false;
    else if (isInItem) lines.push(`${lines.pop()} ${row}`);
    else rest.push(row.trim());
    if (row.trim() !== '') previousRow = row.trim();
  }
  return { lines, rest };
}

/** Returns paragraphs if there are several, otherwise single lines. */
function readUnmarked(rows: readonly string[]): ResultText {
  const paragraphs = rows
    .map((row) => (isHeading(row) ? '' : row))
    .join('\n')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '');
  const [only = ''] = paragraphs;
  return { lines: paragraphs.length > 1 ? paragraphs : only.split('\n'), rest: [] };
}

/** Replaces each link with its text, because URLs must not become part of the prompt, and collapses whitespace. */
function toPlainText(line: string): string {
  return line
    .replace(/\[([^\][]*)\]\(<?https?:[^()\s]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns the emphasised words of a prompt, with their weights. Words that are struck out mean the opposite and are left out. */
export function emphasisedWords({ rest }: ResultText): string[] {
  const rows = rest.map((row) => row.replace(/~~[^~]*~~,?/g, ''));
  const boldMatches = rows.flatMap((row) => [...row.matchAll(/\*\*([^*]+)\*\*(?:\s*(\([\d.]+\)))?/g)]);
  if (boldMatches.length > 0)
    return boldMatches.map(([, words = '', weight = '']) => toPlainText(`${words} ${weight}`));
  return rows.map((row) => toPlainText(row.replaceAll('**', ''))).filter((row) => row !== '');
}
