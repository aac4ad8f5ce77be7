import { parseInline } from './inline.ts';
import type { Block } from './tree.ts';

const FENCE = /^```(?:([\w+#.-]*)\n)?([\s\S]*?)\n*```\n?/;
const HEADING = /^(#{1,3})[ \t]+(\S[^\n]*)(?:\n|$)/;
const SUBTEXT = /^-#[ \t]+(\S[^\n]*)(?:\n|$)/;
const QUOTE_REST = /^>>>[ \t]?([\s\S]*)$/;
const QUOTE = /^(?:>(?!>>)[ \t][^\n]*(?:\n|$))+/;
const ITEM = /^( *)([-*]|\d{1,9}\.)[ \t]+(\S[^\n]*)(?:\n|$)/;
const MAX_DEPTH = 6;

/** Parses Discord's Markdown. The start of a line determines its block type; paragraphs keep their line breaks. */
export function parseBlocks(source: string, depth = 0): readonly Block[] {
  const result: Block[] = [];
  let paragraph = '';
  let rest = source.replaceAll('\r\n', '\n');
  const flush = () => {
    const content = paragraph.replace(/^\n+|\n+$/g, '');
    if (content !== '') result.push({ type: 'paragraph', inner: parseInline(content) });
    paragraph = '';
  };
  while (rest !== '') {
    const next = blockAt(rest, depth);
    if (next) {
      flush();
      result.push(next.block);
      rest = rest.slice(next.length);
      continue;
    }
    const line = lineBeforeFence(rest);
    paragraph += line;
    rest = rest.slice(line.length);
  }
  flush();
  return result;
}

/** A code block may start within a line. */
function lineBeforeFence(rest: string): string {
  const end = rest.indexOf('\n') + 1;
  const line = end === 0 ? rest : rest.slice(0, end);
  const fence = line.indexOf('```');
  return fence > 0 && FENCE.test(rest.slice(fence)) ? line.slice(0, fence) : line;
}

function blockAt(rest: string, depth: number): { block: Block; length: number } | undefined {
  const fence = FENCE.exec(rest);
  if (fence) {
    const [match, language = '', text = ''] = fence;
    return { block: { type: 'code', language, text }, length: match.length };
  }
  const heading = HEADING.exec(rest);
  if (heading) {
    const [match, markers = '#', content = ''] = heading;
    return {
      block: { type: 'heading', level: markers.length as 1 | 2 | 3, inner: parseInline(content) },
      length: match.length,
    };
  }
  const subtext = SUBTEXT.exec(rest);
  if (subtext) return { block: { type: 'subtext', inner: parseInline(subtext[1] ?? '') }, length: subtext[0].length };
  if (depth >= MAX_DEPTH) return undefined;
  const quote = QUOTE_REST.exec(rest) ?? QUOTE.exec(rest);
  if (quote) {
    const inner = quote[1] ?? quote[0].replace(/^>[ \t]/gm, '');
    return { block: { type: 'quote', blocks: parseBlocks(inner, depth + 1) }, length: quote[0].length };
  }
  return ITEM.test(rest) ? parseList(rest, depth) : undefined;
}

function parseList(source: string, depth: number): { block: Block; length: number } {
  const items: (readonly Block[])[] = [];
  const [, margin = '', marker = '-'] = ITEM.exec(source) ?? [];
  const indent = margin.length;
  const start = /\d/.test(marker) ? Number.parseInt(marker, 10) : undefined;
  let rest = source;
  for (let match = ITEM.exec(rest); match; match = ITEM.exec(rest)) {
    const [fullMatch, spaces = '', bullet = '', content = ''] = match;
    if (spaces.length !== indent || /\d/.test(bullet) !== (start !== undefined)) break;
    rest = rest.slice(fullMatch.length);
    const nested = nestedLines(rest, indent);
    rest = rest.slice(nested.length);
    items.push([{ type: 'paragraph', inner: parseInline(content) }, ...parseBlocks(dedent(nested), depth + 1)]);
  }
  return { block: { type: 'list', start, items }, length: source.length - rest.length };
}

/** The lines that belong to an item, because they are indented more than its marker. */
function nestedLines(rest: string, indent: number): string {
  return new RegExp(`^(?: {${indent + 1},}\\S[^\\n]*(?:\\n|$))+`).exec(rest)?.[0] ?? '';
}

function dedent(text: string): string {
  const minIndent = Math.min(...text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.search(/\S/)])));
  return Number.isFinite(minIndent) ? text.replace(new RegExp(`^ {${minIndent}}`, 'gm'), '') : text;
}
