const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Formats valid JSON with one value per line, leaving every number as it was written. Undefined if the result is longer than `max`. */
export function formatJson(text: string, max: number): string | undefined {
  let formatted = '';
  let depth = 0;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === '}' || token === ']';
    const isOpen = last === '{' || last === '[';
    if (isEnd) depth--;
    if (isEnd ? !isOpen : isOpen || last === ',') formatted += `\n${'  '.repeat(depth)}`;
    else if (last === ':') formatted += ' ';
    formatted += token;
    if (token === '{' || token === '[') depth++;
    if (formatted.length > max) return undefined;
    last = token;
  }
  return formatted;
}
