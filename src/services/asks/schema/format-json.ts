const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Formats valid JSON with one value per line, leaving every number as it was written. Undefined if the result is longer than `max`. */
export function formatJson(text: string, max: number): string | undefined {
  let formatted = '';
  let depth = 0;
  let lastToken = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']';
    const isAfterOpening = lastToken === '{' || lastToken === '[';
    if (isClosing) depth--;
    if (isClosing ? !isAfterOpening : isAfterOpening || lastToken === ',') formatted += `\n${'  '.repeat(depth)}`;
    else if (lastToken === ':') formatted += ' ';
    formatted += token;
    if (token === '{' || token === '[') depth++;
    if (formatted.length > max) return undefined;
    lastToken = token;
  }
  return formatted;
}
