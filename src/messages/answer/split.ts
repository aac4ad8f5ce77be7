import { hasVisibleText } from '../../lib/text.ts';
import { alignedTable } from './aligned-table.ts';
import { type Block, blocksOf } from './blocks.ts';

/** A file that contains text that a message cannot show. */
export interface AnswerFile {
  name: string;
  text: string;
}

export interface AnswerPart {
  /** The original text. The sources of all parts joined together are exactly the answer. */
  source: string;
  text: string;
  files: AnswerFile[];
}

interface SpaceLimits {
  /** The characters available in the first message, and in each of the others. */
  first: number;
  other: number;
  /** The maximum number of messages; the rest is attached to the last one as a file. */
  max: number;
  /** What the names of files begin with. */
  prefix?: string;
}

/** Longer code, which would fill about two messages, is attached as a file. */
const MAX_CODE_LENGTH = 3_600;
/** Discord allows ten files per message, and one of them may be the rest of the answer. */
const MAX_FILES = 8;
/** The end of the name of the file with the text that the messages do not show. */
export const REST_NAME = 'the-rest.md';
const FENCE_OPEN = '```';
const FENCE_CLOSE = '\n```';

/** Fills the messages in order, so text stays in its message while more text arrives. */
export function answerParts(text: string, limits: SpaceLimits): AnswerPart[] {
  const parts: AnswerPart[] = [];
  const counts = { prefix: limits.prefix ?? '', table: 0, code: 0 };
  for (const block of blocksOf(text)) {
    const max = parts.length === 0 ? limits.first : limits.other;
    for (const piece of piecesOf(block, { first: max, other: limits.other }, counts)) {
      const last = parts.at(-1);
      const mergedPart = last && appendPiece(last, piece, parts.length === 1 ? limits.first : limits.other);
      if (mergedPart) parts[parts.length - 1] = mergedPart;
      else parts.push(piece);
    }
  }
  return limitParts(parts.map(ensureVisible), limits);
}

/** Adds a piece to a part. Undefined if it does not fit. */
function appendPiece(part: AnswerPart, piece: AnswerPart, max: number): AnswerPart | undefined {
  const text = joinText(part, piece.text);
  const files = [...part.files, ...piece.files];
  return text.length <= max && files.length <= MAX_FILES
    ? { source: part.source + piece.source, text, files }
    : undefined;
}

/** Keeps the empty lines between the pieces, but at most one. */
function joinText({ text, source }: AnswerPart, next: string): string {
  const end = source.slice(source.trimEnd().length);
  return text + (end.indexOf('\n') !== end.lastIndexOf('\n') ? '\n\n' : '\n') + next;
}

const codeBlock = (language: string, code: string): string => `${FENCE_OPEN}${language}\n${code}${FENCE_CLOSE}`;

/** An unclosed code fence would swallow everything after it. */
const closeFence = (text: string): string =>
  (text.match(/```/g)?.length ?? 0) % 2 === 1 ? `${text}${FENCE_CLOSE}` : text;

function toFile(block: Block, counts: FileCounts): AnswerFile | undefined {
  if (block.kind === 'table') return { name: `${counts.prefix}table-${++counts.table}.md`, text: block.table };
  // Code that contains a code fence cannot be shown in a code block.
  if (block.kind !== 'code' || (block.code.length <= MAX_CODE_LENGTH && !block.code.includes(FENCE_OPEN)))
    return undefined;
  return { name: `${counts.prefix}code-${++counts.code}.${extensionOf(block.language)}`, text: block.code };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  javascript: 'js',
  typescript: 'ts',
  python: 'py',
  markdown: 'md',
  rust: 'rs',
  ruby: 'rb',
  shell: 'sh',
  bash: 'sh',
  yaml: 'yml',
  csharp: 'cs',
  'c++': 'cpp',
  'c#': 'cs',
};

function extensionOf(language: string): string {
  const extension = EXTENSIONS[language.toLowerCase()] ?? language.toLowerCase();
  return /^[a-z0-9]{1,8}$/.test(extension) ? extension : 'txt';
}

type FileCounts = { prefix: string; table: number; code: number };

/** Splits a block into pieces that are each valid Markdown; the whole block if it fits into a message. */
function piecesOf(
  block: Block,
  { first, other }: Omit<SpaceLimits, 'max' | 'prefix'>,
  counts: FileCounts,
): AnswerPart[] {
  const { source } = block;
  const table = block.kind === 'table' ? alignedTable(block.table) : undefined;
  if (table !== undefined) return [{ source, text: codeBlock('', table), files: [] }];
  const file = toFile(block, counts);
  if (file) return [{ source, text: `📄 ${file.name}`, files: [file] }];
  const text = block.kind === 'code' ? codeBlock(block.language, block.code) : closeFence(textOf(block));
  return text.length <= first ? [{ source, text, files: [] }] : splitBlock(block, first, other);
}

function splitBlock(block: Block, first: number, other: number): AnswerPart[] {
  const isCode = block.kind === 'code';
  const overhead = isCode ? codeBlock(block.language, '').length : FENCE_CLOSE.length;
  const pieces: string[] = [];
  for (let rest = isCode ? block.code : textOf(block); rest !== ''; ) {
    const max = (pieces.length === 0 ? first : other) - overhead;
    const end = rest.length <= max ? rest.length : splitIndex(rest, max, isCode);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  // The opening fence belongs to the first piece, and the text after the block to the last one.
  let remainingSource = block.source;
  const openingLength = isCode ? remainingSource.indexOf('\n') + 1 : 0;
  return pieces.map((piece, index) => {
    const length =
      index === pieces.length - 1 ? remainingSource.length : piece.length + (index === 0 ? openingLength : 0);
    const source = remainingSource.slice(0, length);
    remainingSource = remainingSource.slice(length);
    const trimmed = piece.replace(/^\n+/, '').trimEnd();
    return { source, text: isCode ? codeBlock(block.language, trimmed) : closeFence(trimmed), files: [] };
  });
}

const textOf = (block: Block): string => (block.kind === 'paragraph' ? block.text : block.source);

/** Discord rejects messages without visible text, and half of a surrogate pair. */
function ensureVisible(part: AnswerPart): AnswerPart {
  const text = part.text.trimEnd().toWellFormed();
  return { ...part, text: hasVisibleText(text) ? text : '…' };
}

function limitParts(parts: readonly AnswerPart[], { max, prefix = '' }: SpaceLimits): AnswerPart[] {
  const last = parts[max - 1];
  if (!last || parts.length <= max) return [...parts];
  const rest = parts.slice(max).reduce((text, { source }) => text + source, '');
  const file = { name: `${prefix}${REST_NAME}`, text: rest };
  return [...parts.slice(0, max - 1), { ...last, source: last.source + rest, files: [...last.files, file] }];
}

/** Splitting earlier than this share of a message would waste too much of it. */
const MIN_SHARE = 0.5;

/** Where to split, in order of preference: between lines, sentences or words. */
const BETWEEN_LINES = /\n/g;
const BETWEEN_SENTENCES = /[.!?…。！？]["'”’)]?(?=\s)/g;
const BETWEEN_WORDS = /\s(?=\S)/g;

/** The best index at which to split text that is too long, never inside a surrogate pair. */
function splitIndex(text: string, max: number, isCode: boolean): number {
  const excerpt = text.slice(0, max);
  const separators = isCode ? [BETWEEN_LINES] : [BETWEEN_LINES, BETWEEN_SENTENCES, BETWEEN_WORDS];
  for (const separator of separators) {
    const last = [...excerpt.matchAll(separator)].at(-1);
    const end = last ? last.index + last[0].length : 0;
    if (end > max * MIN_SHARE) return end;
  }
  return /[\uD800-\uDBFF]$/.test(excerpt) ? max - 1 : max;
}
