export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * A number that may not survive as a JavaScript number: it has a fraction, an exponent, or more digits than 2^53 holds.
 * Numbers stand after `:`, `[`, `,` or at the start, so text without a match needs no second look.
 */
const DELICATE_NUMBER = /(?:[:[,]|^)\s*-?\d+(?:[.eE]|(?<=\d{16}))/;

/**
 * Reads JSON without losing a digit: a number that JavaScript would write back differently stays as its text.
 * So `1.10` is `'1.10'` and `1320098173412546123` is `'1320098173412546123'`, while `42` is `42`.
 *
 * The reviver costs several times the plain parse, and most answers hold no such number: they take the short way.
 */
export function parseExact(text: string): Json {
  if (!DELICATE_NUMBER.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, keepSource as (key: string, value: unknown) => unknown) as Json;
}

// TypeScript's library does not know the third argument yet (ECMA-262, JSON.parse source text access).
function keepSource(_key: string, value: unknown, context: { source?: string }): unknown {
  const inexact = typeof value === 'number' && context.source !== undefined && String(value) !== context.source;
  return inexact ? context.source : value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
