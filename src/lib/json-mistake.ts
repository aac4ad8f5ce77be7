const TOKEN =
  /[ \t\r\n]*("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{},:])/gy;

/** A token is a bracket, a comma, a colon, a quotation mark for any string, or 0 for any other value. */
const tokenKind = ([first = '']: string): string => ('"[]{},:'.includes(first) ? first : '0');

const VALUE = '"0[{';

/** The place in a text that is not JSON where it stops being JSON: its first token that cannot follow those before it. */
export function findJsonMistake(text: string): { line: number; column: number } {
  const closers: string[] = [];
  let allowed = VALUE;
  let index = 0;
  for (const { 0: match, 1: token = '', index: start } of text.matchAll(TOKEN)) {
    const kind = tokenKind(token);
    if (!allowed.includes(kind)) break;
    index = start + match.length;
    // Where no number is allowed, a string is a key.
    const isKey = kind === '"' && !allowed.includes('0');
    if (kind === '{' || kind === '[') closers.push(kind === '{' ? '}' : ']');
    else if (kind === '}' || kind === ']') closers.pop();
    allowed = isKey ? ':' : allowedAfter(kind, closers.at(-1));
  }
  const lines = text.slice(0, index + (/^[ \t\r\n]*/.exec(text.slice(index))?.[0].length ?? 0)).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/** `closer`: the bracket that closes the innermost open one. */
function allowedAfter(kind: string, closer: string | undefined): string {
  if (kind === ':') return VALUE;
  if (kind === '{') return '"}';
  if (kind === '[') return `${VALUE}]`;
  if (kind === ',') return closer === '}' ? '"' : VALUE;
  return closer === undefined ? '' : `,${closer}`;
}
