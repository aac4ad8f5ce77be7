/** Larger counts are not told apart. */
export const MAX_COUNTED = 1_000_000;

/** Text, or a list of alternatives. */
type Piece = string | { count: number; alternatives: readonly Sequence[] };
interface Sequence {
  count: number;
  pieces: readonly Piece[];
}

/**
 * Expands lists such as `{red, green}` in a text: braces with a comma inside, which can be nested. A backslash before a brace, a comma or a backslash makes
 * it plain text. Text without a list stays as it is, backslashes included. `count` is known before anything is expanded, and is `Infinity` above
 * `MAX_COUNTED`. There are no texts if there would be more than `max`; else the last list varies first.
 */
export function expandLists(text: string, max: number): { count: number; texts: string[] } {
  if (!hasList(text)) return { count: 1, texts: [text] };
  const sequence = parse(text);
  return { count: sequence.count, texts: sequence.count > max ? [] : textsOf(sequence) };
}

/** Writes a text so that it stands for itself alone. */
export const escapeLists = (text: string): string => (hasList(text) ? text.replace(/[\\{},]/g, '\\$&') : text);

/** Whether a pair of braces has a comma of its own, escaped or not. */
function hasList(text: string): boolean {
  const hasComma: boolean[] = [];
  for (const character of text) {
    if (character === '{') hasComma.push(false);
    else if (character === ',' && hasComma.length > 0) hasComma[hasComma.length - 1] = true;
    else if (character === '}' && hasComma.pop()) return true;
  }
  return false;
}

const TOKEN = /\\[\\{},]|[{},]|[^\\{},]+|\\/g;

/** The positions of the braces and commas that form lists. All others are plain text. */
function listMarks(tokens: readonly string[]): Set<number> {
  const marks = new Set<number>();
  const openBraces: number[][] = [];
  for (const [position, token] of tokens.entries()) {
    if (token === '{') openBraces.push([position]);
    else if (token === ',') openBraces.at(-1)?.push(position);
    else if (token === '}') {
      const [brace, ...commas] = openBraces.pop() ?? [];
      if (brace !== undefined && commas.length > 0) for (const mark of [brace, ...commas, position]) marks.add(mark);
    }
  }
  return marks;
}

function parse(text: string): Sequence {
  const tokens = text.match(TOKEN) ?? [];
  const marks = listMarks(tokens);
  let current: { alternatives: Sequence[]; pieces: Piece[] } = { alternatives: [], pieces: [] };
  const outer: (typeof current)[] = [];
  for (const [position, token] of tokens.entries()) {
    if (!marks.has(position)) current.pieces.push(/^\\./.test(token) ? token.slice(1) : token);
    else if (token === '{') {
      outer.push(current);
      current = { alternatives: [], pieces: [] };
    } else {
      current.alternatives.push(sequenceOf(current.pieces));
      current.pieces = [];
      const parent = token === '}' ? outer.pop() : undefined;
      if (!parent) continue;
      const { alternatives } = current;
      parent.pieces.push({ count: limited(alternatives.reduce((sum, { count }) => sum + count, 0)), alternatives });
      current = parent;
    }
  }
  return sequenceOf(current.pieces);
}

const limited = (count: number): number => (count > MAX_COUNTED ? Number.POSITIVE_INFINITY : count);

const sequenceOf = (pieces: readonly Piece[]): Sequence => ({
  count: pieces.reduce((product, piece) => (typeof piece === 'string' ? product : limited(product * piece.count)), 1),
  pieces,
});

/** Lists are nested less deeply than there are texts, because each adds one at least. */
function textsOf({ pieces }: Sequence): string[] {
  let texts = [''];
  for (const piece of pieces) {
    const endings = typeof piece === 'string' ? [piece] : piece.alternatives.flatMap(trimmedTextsOf);
    texts = texts.flatMap((start) => endings.map((ending) => start + ending));
  }
  return texts;
}

const trimmedTextsOf = (alternative: Sequence): string[] => textsOf(alternative).map((text) => text.trim());
