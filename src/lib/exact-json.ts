export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Deeper than any real value. The reviver uses stack space for each level, and so does serializing the value again. */
const MAX_DEPTH = 500;

/** A number that could lose digits: with a fraction, an exponent, or more digits than 2^53 has. It follows `:`, `[`, `,` or the start. */
const INEXACT_NUMBER = /(?:[:[,]|^)\s*-?(?:\d{16}|\d{1,15}[.eE])/;

/**
 * Parses JSON without losing a digit: a number that JavaScript would write differently stays as its text. So `1.10` is
 * `'1.10'` and `1320098173412546123` is `'1320098173412546123'`, while `42` is `42`.
 * The reviver takes several times as long as a plain parse, so it is only used if the text contains such a number.
 */
export function parseExact(text: string): Json {
  if (isNestedTooDeep(text)) throw new SyntaxError(`JSON of more than ${MAX_DEPTH} levels`);
  return INEXACT_NUMBER.test(text) ? JSON.parse(text, keepSource) : JSON.parse(text);
}

/** Every level needs two brackets, so short input needs no check. String values are skipped. */
function isNestedTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const charCode = text.charCodeAt(index);
    if (charCode === QUOTE) index = endOfString(text, index);
    else if (charCode === OPEN_LIST || charCode === OPEN_RECORD) depth++;
    else if (charCode === CLOSE_LIST || charCode === CLOSE_RECORD) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The index of the closing quote: the first one that is not preceded by an odd number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashStart = end;
    while (text.charCodeAt(backslashStart - 1) === BACKSLASH) backslashStart--;
    if ((end - backslashStart) % 2 === 0) return end;
  }
  return text.length;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_RECORD, CLOSE_RECORD] = Buffer.from('"\\[]{}');

// TypeScript's library does not know the third argument yet (ECMA-262, JSON.parse source text access).
function keepSource(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && String(value) !== source ? source : value;
}

/** Parses JSON whose numbers need no more digits than a double has; undefined if the text is not JSON. */
export function parsePlainJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
